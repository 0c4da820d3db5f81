# What the tests of the program share. Sourced with the program and the fixture maker as arguments.
ramet=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$2" "$work"
cd "$work"
failures=0

complain() {
  echo "FAILED: $*" >&2
  failures=$((failures + 1))
}

# expect STATUS WORDS...: runs ramet; stdout and stderr are then in out.txt and err.txt.
expect() {
  wanted=$1
  shift
  status=0
  "$ramet" "$@" >out.txt 2>err.txt || status=$?
  [ "$status" = "$wanted" ] || complain "ramet $* ended with $status instead of $wanted: $(cat err.txt)"
}

# refuses STATUS TEXT WORDS...: fails with one line of at most 1,000 bytes that holds the text, and nothing on stdout.
refuses() {
  wanted=$1 text=$2
  shift 2
  expect "$wanted" "$@"
  grep -qF -- "$text" err.txt || complain "ramet $* does not say '$text' but: $(cat err.txt)"
  [ "$(wc -l <err.txt)" = 1 ] || complain "ramet $* says more than one line: $(cat err.txt)"
  [ "$(wc -c <err.txt)" -le 1001 ] || complain "ramet $* says $(wc -c <err.txt) bytes"
  [ ! -s out.txt ] || complain "ramet $* fails and yet writes to stdout"
}

# shows TEXT: the last output holds the text.
shows() {
  grep -qF -- "$1" out.txt || complain "the output of the last command lacks '$1': $(head -c 2000 out.txt)"
}

finish() {
  [ "$failures" = 0 ] || { echo "$failures checks failed" >&2; exit 1; }
}

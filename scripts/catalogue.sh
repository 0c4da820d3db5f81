#!/bin/sh
# scripts/catalogue.sh RAMET_PROGRAM [--check]: the table of what is here and what Keras has besides, made from the lists of
# the program and tests/data/keras_names.txt (names of Keras 3.15), and the number of tests of the program's build, put
# into README.md or, with --check, compared with it.
set -eu
cd "$(dirname "$0")/.."
program=$1
tests=$(ctest --test-dir "$(dirname "$program")" -N | sed -n 's/^Total Tests: //p')
[ "${tests:-0}" -gt 0 ] || { echo "catalogue: the build of $program has no tests" >&2; exit 1; }
table=$(mktemp)
trap 'rm -f "$table" "$table.readme"' EXIT

"$program" describe --json | awk '
  FNR == NR && /^  "[a-z ]*": \[/ { kind = $0; gsub(/^  "|": \[.*/, "", kind); next }
  FNR == NR && /^    "/ { name = $1; gsub(/[",]/, "", name); here[kind] = here[kind] (here[kind] ? ", " : "") name; has[kind, name] = 1; next }
  FNR == NR { next }
  {
    kind = $0; sub(/: .*/, "", kind); rest = $0; sub(/^[^:]*: /, "", rest)
    n = split(rest, names, " "); missing = ""
    for (i = 1; i <= n; i++) if (!((kind, names[i]) in has)) missing = missing (missing ? ", " : "") names[i]
    if (!header++) print "| | here | not yet |\n|---|---|---|"
    print "| " kind " | " here[kind] " | " (missing ? missing : "–") " |"
  }' - tests/data/keras_names.txt >"$table"
[ -s "$table" ] || { echo "catalogue: the program printed nothing" >&2; exit 1; }

awk -v table="$table" -v tests="$tests" '
  /tests passed, 0 tests failed out of/ { sub(/out of [0-9]+/, "out of " tests) }
  /<!-- catalogue -->/ { print; print ""; while ((getline line < table) > 0) print line; print ""; skip = 1; next }
  /<!-- end of catalogue -->/ { skip = 0 }
  !skip { print }' README.md >"$table.readme"
if [ "${2-}" = --check ]; then
  diff -u README.md "$table.readme" || { echo "README.md: run scripts/catalogue.sh build/release/ramet" >&2; exit 1; }
else
  cp "$table.readme" README.md
fi

#!/bin/sh
# Names files of more than 5 MB (5 × 1024 × 1024 bytes) that are about to enter the repository or have entered it: every
# clone carries them for ever, even after they are deleted. An argument checks another repository.
set -eu
cd "${1-$(dirname "$0")/..}"
most=5242880

if ! git rev-parse --git-dir >/dev/null 2>&1; then
  echo "large files: skipped: this is no git repository" >&2
  exit 0
fi

# Two wheels came in early; taking them out would rewrite what others have cloned.
known='4da62f85ab9e5ec494d57a637787766a4755027c acde9b4b68889a89e1002fc4df445b8635b94c18'
large=$(
  git rev-list --objects HEAD 2>/dev/null |
    git cat-file --batch-check='%(objecttype) %(objectsize) %(objectname) %(rest)' |
    awk -v most="$most" -v known="$known" '
      $1 == "blob" && $2 > most && !index(known, $3) { printf "%s bytes in the history: ", $2; $1 = $2 = $3 = ""; sub(/^ +/, ""); print }'
  git ls-files -z --cached --others --exclude-standard | xargs -0 -r stat --format='%s bytes: %n' 2>/dev/null |
    awk -v most="$most" '$1 > most' || true
)
[ -z "$large" ] && exit 0
echo "$large" | sed 's/^/large files: /' >&2
echo "large files: no file over $most bytes enters the repository; make it smaller, split it, or let a script fetch it" >&2
exit 1

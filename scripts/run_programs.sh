#!/bin/sh
# scripts/run_programs.sh PATTERN: runs the programs of the release build whose names match, in the order of their names.
set -eu
cd "$(dirname "$0")/.."

any=
for program in build/release/$1; do
  if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
  any=yes
  echo
  echo "\$ $program"
  "$program"
done
if [ -z "$any" ]; then
  echo "no program build/release/$1 was built" >&2
  exit 1
fi

#!/bin/sh
# Formats every source file; with --check changes nothing and fails if a file would change.
set -eu
cd "$(dirname "$0")/.."

# Another version formats a few constructs differently, so it neither judges nor changes.
wanted=14
version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
if [ "$version" != "$wanted" ]; then
  echo "format: skipped: clang-format is version $version, the sources follow $wanted" >&2
  exit 0
fi

if [ "${1-}" = --check ]; then set -- --dry-run -Werror; else set -- -i; fi
for folder in ramet cli examples bench fuzz tests; do
  [ ! -d "$folder" ] || find "$folder" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -print
done | xargs clang-format "$@"

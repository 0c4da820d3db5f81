#!/bin/sh
# Names the sources that have passed 500 lines: time to look for the second idea in them. A warning, not a failure.
set -eu
cd "$(dirname "$0")/.."

find ramet cli examples bench fuzz tests scripts -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.sh' \) \
  -exec awk 'END { if (NR > 500) printf "sizes: %s has %d lines: look for the second idea in it\n", FILENAME, NR }' {} \; \
  2>/dev/null || true

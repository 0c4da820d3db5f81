#!/bin/sh
# scripts/test.sh PRESET...: configures, builds and tests each preset in turn, and stops at the first that fails.
set -eu
cd "$(dirname "$0")/.."

for preset in "$@"; do
  echo "== $preset"
  cmake --preset "$preset"
  cmake --build --preset "$preset"
  ctest --preset "$preset"
done

#!/bin/sh
# tests/install/install_test.sh BUILD_FOLDER CXX: installs into an empty prefix, moves that, and builds a small outside
# project against it: by find_package and by pkg-config.
set -eu
build=$1 compiler=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/prefix"
"$work/prefix/bin/ramet" --version

cmake -S "$here/outside" -B "$work/outside" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CXX_FLAGS="${CXXFLAGS-}" >"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/outside" >"$work/log" || { cat "$work/log"; exit 1; }
cd "$work"
outside/outside
prefix/bin/ramet summary outside.keras >summary.txt
grep -q 'Total params: 10' summary.txt

if command -v pkg-config >/dev/null; then
  pc=$(dirname "$(find prefix -name ramet.pc)")
  # shellcheck disable=SC2046,SC2086  # one argument per flag
  "$compiler" ${CXXFLAGS-} $(PKG_CONFIG_PATH=$pc pkg-config --cflags ramet) "$here/outside/main.cpp" \
    $(PKG_CONFIG_PATH=$pc pkg-config --libs ramet) -o by_pkg_config
  ./by_pkg_config
fi

#!/bin/sh
# Installs the Debian packages that building and testing need, and only those that are missing.
# Without root it installs nothing and prints the command instead.
set -eu

# package, and the command or file that shows it is there
needed='
g++                    g++
cmake                  cmake
ninja-build            ninja
ccache                 ccache
pkg-config             pkg-config
zlib1g-dev             /usr/include/zlib.h
doctest-dev            /usr/include/doctest/doctest.h
graphviz               dot
dataset-fashion-mnist  /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz
clang-format           clang-format
'

missing=$(echo "$needed" | while read -r package proof; do
  case $proof in
    '') ;;
    /*) [ -e "$proof" ] || echo "$package" ;;
    *) command -v "$proof" >/dev/null || echo "$package" ;;
  esac
done | tr '\n' ' ')
missing=${missing% }

[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "setup: these packages are missing: $missing" >&2
  echo "setup: install them, on Debian with:  sudo apt-get update && sudo apt-get install -y $missing" >&2
  exit 1
fi

echo "setup: installing $missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086  # one argument per package
apt-get install -q -y --no-install-recommends $missing

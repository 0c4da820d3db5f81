#!/bin/sh
# Prints the Python that has real Keras: $ORACLE_PYTHON, or one of a virtual environment in build/oracle, made if need be.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
venv=$root/build/oracle
if [ -n "${ORACLE_PYTHON-}" ]; then
  echo "$ORACLE_PYTHON"
  exit
fi
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q keras==3.15.1 tensorflow-cpu jax h5py numpy >&2
fi
echo "$venv/bin/python"

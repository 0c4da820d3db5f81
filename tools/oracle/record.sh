#!/bin/sh
# Re-makes the recordings in tests/data with real Keras.
# usage: tools/oracle/record.sh [SOURCE_FOLDER]   (folder with layer_cases.jsonl/.npz; without it that part is kept)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
venv=$root/.venv
data=$root/tests/data
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q keras==3.15.1 tensorflow-cpu jax numpy
fi
export PYTHONUTF8=1 KERAS_BACKEND=jax JAX_PLATFORMS=cpu
if [ $# -ge 1 ]; then
  "$venv/bin/python" "$here/layer_cases.py" "$1" "$data"
fi
for part in functions training_runs layer_random layer_attention layer_more summaries npy_files hdf5_files; do
  "$venv/bin/python" "$here/$part.py" "$data"
done
KERAS_BACKEND=tensorflow TF_CPP_MIN_LOG_LEVEL=3 "$venv/bin/python" "$here/graphs.py" "$data"

#!/bin/sh
# Re-makes the recordings in tests/data with real Keras.
# usage: tools/oracle/record.sh [SOURCE_FOLDER]   (folder with layer_cases.jsonl/.npz; without it that part is kept)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
data=$root/tests/data
python=$("$here/python.sh")
export PYTHONUTF8=1 KERAS_BACKEND=jax JAX_PLATFORMS=cpu TF_CPP_MIN_LOG_LEVEL=3
if [ $# -ge 1 ]; then
  "$python" "$here/layer_cases.py" "$1" "$data"
fi
for part in functions orders training_runs resume_files written_files layer_random layer_attention layer_more brain_layers brain_models summaries npy_files hdf5_files; do
  "$python" "$here/$part.py" "$data"
done
for part in graphs transformers; do
  KERAS_BACKEND=tensorflow "$python" "$here/$part.py" "$data"
done

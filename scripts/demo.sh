#!/bin/sh
# Trains a model and saves it, then shows on it what the program ramet does. Every command is printed before it runs.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/build/release
folder=${1-build/demo}
mkdir -p "$folder"

run() {
  echo
  echo "\$ $*"
  "$@"
}

run "$build/example_fashion_mnist" "$folder/fashion.keras" "$folder/x.npz"

cd "$folder"
PATH=$build:$PATH
run ramet summary fashion.keras
if command -v dot >/dev/null; then run ramet plot fashion.keras fashion.svg; else run ramet plot fashion.keras fashion.mmd; fi
run ramet predict fashion.keras --inputs x.npz --outputs y.npz
run ramet clone fashion.keras twin.keras --weights copy
run ramet diff fashion.keras twin.keras
run ramet convert fashion.keras fashion.h5
run ramet diff fashion.keras fashion.h5
run ramet bench fashion.keras

for python in "${RAMET_PYTHON-}" python3; do
  if [ -n "$python" ] && "$python" -c 'import keras' 2>/dev/null; then
    echo
    echo "\$ $python  # the same predictions by Keras"
    TF_CPP_MIN_LOG_LEVEL=3 "$python" - <<'PYTHON'
import keras, numpy as np
x, ours = np.load("x.npz")["image"], np.load("y.npz")["label"]
theirs = keras.models.load_model("fashion.keras").predict(x, verbose=0)
print("Keras", keras.__version__, "largest difference", abs(theirs - ours).max())
assert np.allclose(theirs, ours, atol=1e-5)
PYTHON
    break
  fi
done

echo
echo "next: ls $folder; build/release/ramet help; docs/cli.md"

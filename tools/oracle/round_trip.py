"""Keras' side of the round trips: models saved by Keras go through `ramet convert` and back into Keras.

usage: round_trip.py RAMET_PROGRAM [COUNT | SEED,SEED,…]

For every recorded graph: the same normalized config, bit-equal weights, the same predictions
in Keras, and Ramet's predictions near Keras'. Ends with `N passed, N failed`.
"""

import json
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras  # noqa: E402
import numpy as np  # noqa: E402

here = os.path.dirname(os.path.abspath(__file__))
data = os.path.join(here, "..", "..", "tests", "data")
program = sys.argv[1]
chosen = [int(n) for n in sys.argv[2].split(",")] if len(sys.argv) > 2 else []
count = chosen[0] if len(chosen) == 1 else 10**9
seeds = set(chosen) if len(chosen) > 1 else None


def recorded(name):
    blob = open(os.path.join(data, name + ".bin"), "rb").read()

    def array(ref):
        dtype = np.dtype(ref["dtype"])
        size = int(np.prod(ref["shape"], dtype=np.int64))
        return np.frombuffer(blob, dtype, size, ref["offset"]).reshape(ref["shape"])

    for line in open(os.path.join(data, name + ".jsonl")):
        yield json.loads(line), array


def normalized(config):
    """Without what does not change the model: ids of shared objects, build shapes, what Keras fills in by itself."""
    if isinstance(config, dict):
        out = {k: normalized(v) for k, v in config.items()
               if k not in ("shared_object_id", "build_config", "compile_config", "build_input_shape")}
        if set(out) == {"args", "kwargs"}:
            out["kwargs"] = {k: v for k, v in out["kwargs"].items() if v not in (None, [None]) and k != "training"}
            out["kwargs"] = {k: v for k, v in out["kwargs"].items() if not (k == "mask" and not out["args"])}
        return out
    if isinstance(config, (list, tuple)):
        return [normalized(v) for v in config]
    return config


def run(*args):
    done = subprocess.run([program, *args], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())


def check(model, inputs, folder):
    first, second = os.path.join(folder, "a.keras"), os.path.join(folder, "b.keras")
    model.save(first)
    run("convert", first, second)
    back = keras.models.load_model(second)
    a, b = normalized(model.get_config()), normalized(back.get_config())
    if a != b:
        path = os.path.join(tempfile.gettempdir(), "round_trip_")
        json.dump(a, open(path + "a.json", "w"), indent=1, sort_keys=True, default=str)
        json.dump(b, open(path + "b.json", "w"), indent=1, sort_keys=True, default=str)
        raise RuntimeError(f"another config: compare {path}a.json and {path}b.json")
    for v, w in zip(model.weights, back.weights, strict=True):
        if not np.array_equal(np.asarray(v), np.asarray(w), equal_nan=True):
            raise RuntimeError(f"another {v.path}")
    feed = keras.tree.pack_sequence_as(model._inputs_struct, list(inputs))
    flat = keras.tree.flatten
    want = [np.asarray(y) for y in flat(model.predict_on_batch(feed))]
    for x, y in zip(want, flat(back.predict_on_batch(feed)), strict=True):
        if not np.array_equal(x, np.asarray(y), equal_nan=True):
            raise RuntimeError("another prediction in Keras")
    names = [t._keras_history.operation.name for t in model.inputs]
    np.savez(os.path.join(folder, "x.npz"), **dict(zip(names, inputs)))
    out = os.path.join(folder, "y.npz")
    run("predict", first, "--inputs", os.path.join(folder, "x.npz"), "--outputs", out, "--batch-size", "1000")
    got = np.load(out)
    for x, name in zip(want, got.files, strict=True):
        size = max(1.0, float(np.max(np.abs(x), initial=0)))
        if not np.allclose(got[name], x, rtol=0, atol=2e-5 * size, equal_nan=True):
            raise RuntimeError(f"Ramet predicts another {name}")


passed = failed = left_out = 0
with tempfile.TemporaryDirectory() as folder:
    for case, array in recorded("graphs"):
        if passed + failed >= count:
            break
        if seeds and case["seed"] not in seeds:
            continue
        if not case.get("reloads", True):  # Keras cannot open its own file of this one
            left_out += 1
            continue
        try:
            model = keras.saving.deserialize_keras_object(case["config"])
            model.set_weights([array(w) for w in case["weights"]])
            check(model, [array(i["value"]) for i in case["inputs"]], folder)
            passed += 1
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"graph {case['seed']}: {type(error).__name__}: {str(error)[:300]}")
print(f"{passed} passed, {failed} failed ({left_out} left out: Keras does not reload them itself)")
sys.exit(failed != 0)

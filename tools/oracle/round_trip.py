"""Keras' side of the round trips: models saved by Keras go through `ramet convert` and back into Keras.

usage: round_trip.py RAMET_PROGRAM [graphs | layers | written | nested | PART_OF_A_NAME…]

For every recorded graph, every recorded layer case, as a model of that layer, every model of written_cases.py and 100 of
nested_models.py: the same normalized config and compile config, bit-equal weights, the same predictions in Keras, and
Ramet's predictions near Keras'. Ends with `N passed, N failed`; what Keras cannot open again itself and what Ramet refuses
by name is counted apart.
"""

import json
import os
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras  # noqa: E402
import numpy as np  # noqa: E402

import nested_models  # noqa: E402
import written_cases  # noqa: E402
from layer_models import LAYER_RECORDINGS, layer_model, recorded  # noqa: E402

program, wanted = sys.argv[1], sys.argv[2:]
warnings.filterwarnings("ignore", category=UserWarning)  # of masks that layers do not pass on


class Refused(Exception):
    """Ramet says that it does not have something."""


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
    if done.returncode and "is not supported" in done.stderr:
        raise Refused(done.stderr.strip())
    if done.returncode or "warning" in done.stderr:
        raise RuntimeError(done.stderr.strip())


def compile_config(model):
    return json.loads(json.dumps(normalized(model.get_compile_config())))


def check(model, inputs, expected, folder, tolerances=None):
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
    if model.compiled and compile_config(model) != compile_config(back):
        raise RuntimeError(f"compiled as {compile_config(model)}, came back as {compile_config(back)}")
    for v, w in zip(model.weights, back.weights, strict=True):
        if not np.array_equal(np.asarray(v), np.asarray(w), equal_nan=True):
            raise RuntimeError(f"another {v.path}")
    single = isinstance(model, keras.Sequential)
    feed = inputs[0] if single else keras.tree.pack_sequence_as(model._inputs_struct, list(inputs))
    flat = keras.tree.flatten
    want = [np.asarray(y) for y in flat(model(feed, training=False))]
    for x, y in zip(want, flat(back(feed, training=False)), strict=True):
        if not np.array_equal(x, np.asarray(y), equal_nan=True):
            raise RuntimeError("another prediction in Keras")
    if expected == []:
        return
    names = [t._keras_history.operation.name for t in model.inputs]
    np.savez(os.path.join(folder, "x.npz"), **dict(zip(names, inputs)))
    out = os.path.join(folder, "y.npz")
    run("predict", first, "--inputs", os.path.join(folder, "x.npz"), "--outputs", out, "--batch-size", "1000")
    got = np.load(out)
    # A graph's outputs were recorded with TensorFlow; JAX gives attention that may see nothing another value.
    for i, (x, name) in enumerate(zip(expected or want, got.files, strict=True)):
        size = max(1.0, float(np.max(np.abs(x), initial=0)))
        tolerance = tolerances[i] if tolerances else 2e-5 * size
        if not np.allclose(got[name], x.astype(got[name].dtype), rtol=0, atol=tolerance, equal_nan=True):
            raise RuntimeError(f"Ramet predicts another {name}")


def graph(case, array):
    model = keras.saving.deserialize_keras_object(case["config"])
    model.set_weights([array(w) for w in case["weights"]])
    return model, [array(i["value"]) for i in case["inputs"]], [array(o) for o in case["outputs"]]


def brain_graph(case, array):
    """A model that computes in bfloat16; it may lie thrice as far from Keras' as that lies from float32, and a rounding."""
    model = keras.saving.deserialize_keras_object(case["config"])
    model.set_weights([array(w) for w in case["weights"]])
    outputs, whole = ([array(o).astype("float32") for o in case[key]] for key in ("outputs", "float32"))
    tolerances = [3 * np.max(np.abs(a - b)) + 2**-7 * np.max(np.abs(b)) for a, b in zip(outputs, whole)]
    return model, [array(x) for x in case["x"]], outputs, tolerances


def written(make):
    model = make()
    rng = np.random.default_rng(1)
    shape = lambda t: (3, *(d or 2 for d in t.shape[1:]))  # noqa: E731
    return model, [rng.integers(0, 7, shape(t)).astype("int32") if t.dtype == "int32" else rng.normal(size=shape(t)).astype("float32") for t in model.inputs], None


def nested(seed):
    """None where Keras cannot open its own file: a layer that several models hold."""
    keras.utils.clear_session()
    try:
        model = nested_models.model(seed)
    except ValueError:
        return None
    layers = [id(layer) for m in model._flatten_layers() if isinstance(m, keras.Model) for layer in m.layers]
    if len(layers) != len(set(layers)):
        return None
    return model, [np.random.default_rng(i).normal(size=(3, nested_models.WIDTH)).astype("float32") for i in range(len(model.inputs))], None


def cases():
    """Names and functions that make (model, inputs, outputs) and perhaps tolerances; None where Keras cannot open its own file.

    Outputs of None stand for those of the Keras that runs, [] for none: JAX has a rule of its own there (`quirk`)."""
    for case, array in recorded("graphs"):
        make = (lambda c=case, a=array: graph(c, a)) if case.get("reloads", True) else None
        yield f"graphs {case['seed']}", make
    for name, make in written_cases.CASES.items():
        if name not in written_cases.UNKNOWN and not name.startswith("own_"):
            yield f"written {name}", lambda m=make: written(m)
    for seed in range(100):
        yield f"nested {seed}", lambda s=seed: nested(s)
    for case, array in recorded("brain_graphs"):
        yield f"brain {case['name']} {case['policy']}", lambda c=case, a=array: brain_graph(c, a)
    for name in LAYER_RECORDINGS:
        for number, (case, array) in enumerate(recorded(name)):
            if "error" not in case and "sparsemax" not in json.dumps(case["config"]):  # rows of Keras' do not sum to 1
                yield f"layers {name} {number + 1} {case['class']}", lambda c=case, a=array: (*layer_model(c, a), [] if c.get("quirk") else None)


passed = failed = left_out = refused = 0
with tempfile.TemporaryDirectory() as folder:
    for name, make in cases():
        if wanted and not any(part in name for part in wanted):
            continue
        try:
            made = make and make()
        except ValueError as error:  # called symbolically Keras refuses windows larger than the input, as Ramet does
            print(f"{name}: left out: {str(error)[:200]}", flush=True)
            made = None
        if made is None:
            left_out += 1
            continue
        try:
            check(*made[:3], folder, *made[3:])
            passed += 1
        except Refused as error:
            refused += 1
            print(f"{name}: refused: {str(error)[:200]}", flush=True)
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
print(f"{passed} passed, {failed} failed ({left_out} left out: Keras does not make or reload them itself; {refused} refused)")
sys.exit(failed != 0)

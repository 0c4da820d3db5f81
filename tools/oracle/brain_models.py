"""Records small models and short training runs under dtype policies with bfloat16, and each once more in float32.

usage: brain_models.py DATA_FOLDER
"""

import sys

import keras
import numpy as np
from keras import layers as L

import training_runs
from models import model_config
from recording import Recording
from training_runs import normal, unpack

STEPS = 10
rng = np.random.default_rng(50)


def branches():
    """Layers of several policies side by side: what flows between them is cast on entry."""
    x = keras.Input((6,), name="x")
    a = L.Dense(8, activation="relu", name="a")(x)
    b = L.Dense(8, activation="tanh", name="b", dtype="float32")(x)
    h = L.Add(name="sum")([a, b])
    return keras.Model(x, L.Dense(3, activation="softmax", name="y", dtype="float32")(h), name="branches")


def operators():
    """Operators between a brain float and a float32 give a float32, with a number a brain float."""
    x = keras.Input((5,), name="x")
    h = L.Dense(5, name="h")(x)
    return keras.Model(x, [h * 2.5 + 1, h + x, keras.ops.exp(-h)], name="operators")


def shared():
    a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
    dense = L.Dense(6, activation="gelu", name="dense")
    return keras.Model([a, b], L.Dot(1, name="dot")([dense(a), dense(b)]), name="shared")


def nested():
    inner_x = keras.Input((7,), name="inner_x")
    inner = keras.Model(inner_x, L.LayerNormalization(name="ln")(L.Dense(7, name="d")(inner_x)), name="inner")
    x = keras.Input((7,), name="x")
    return keras.Model(x, L.Dense(2, name="out")(L.Add(name="skip")([x, inner(x)])), name="nested")


def residual():
    x = keras.Input((6, 6, 4), name="x")
    h = L.Conv2D(4, 3, padding="same", activation="relu", name="c1")(x)
    h = L.BatchNormalization(name="bn")(L.Conv2D(4, 3, padding="same", name="c2")(h))
    h = L.ReLU(name="relu")(L.Add(name="add")([x, h]))
    return keras.Model(x, L.Dense(3, name="out")(L.GlobalAveragePooling2D(name="pool")(h)), name="residual")


def words():
    x = keras.Input((6,), dtype="int32", name="x")
    h = L.Embedding(11, 5, mask_zero=True, name="embed")(x)
    return keras.Model(x, L.GlobalAveragePooling1D(name="mean")(L.GRU(4, return_sequences=True, name="gru")(h)), name="words")


def sequential():
    return keras.Sequential([keras.Input((9,), name="x"), L.Dense(6, activation="elu", name="a"), L.Dense(2, name="b")], name="sequential")


def data_for(model):
    return [rng.integers(0, 11, (5, *t.shape[1:])).astype("int32") if t.dtype == "int32" else rng.normal(size=(5, *t.shape[1:])).astype("float32") for t in model.inputs]


def predictions(model, x):
    found = model.predict(unpack(x), verbose=0)
    return [np.asarray(p) for p in (found if isinstance(found, list) else [found])]


def record_graph(out, build, policy):
    keras.utils.clear_session()
    keras.config.set_dtype_policy(policy)
    model = build()
    x = data_for(model)
    weights = [rng.normal(size=w.shape).astype("float32") * np.float32(0.4) for w in model.get_weights()]
    weights = [np.abs(w) + np.float32(0.3) if "variance" in v.path else w for v, w in zip(model.weights, weights)]
    model.set_weights(weights)
    case = {"name": model.name, "policy": policy, "config": model_config(model), "weights": model.get_weights(), "x": x, "outputs": predictions(model, x)}
    keras.utils.clear_session()
    keras.config.set_dtype_policy("float32")
    twin = build()
    twin.set_weights(weights)
    out.case(**case, float32=predictions(twin, x))
    print(case["name"], policy, [y.dtype.name for y in case["outputs"]], flush=True)


def train(build, policy, initial, batches):
    keras.utils.clear_session()
    keras.config.set_dtype_policy(policy)
    model = build()
    model.set_weights(initial)
    losses = []
    for step in range(STEPS):
        batch = batches[step % len(batches)]
        log = model.train_on_batch(unpack(batch["x"]), unpack(batch["y"]), sample_weight=batch.get("sample_weight"), return_dict=True)
        losses.append(float(log["loss"]))
    result = {
        "losses": np.array(losses), "weights": [np.asarray(w) for w in model.get_weights()], "predictions": predictions(model, batches[0]["x"]),
        "state": [{"path": v.path, "value": np.asarray(v.value)} for v in model.optimizer.variables],
    }  # fmt: skip
    return model, result


def record_run(out, build, data, policy):
    batches = data()
    keras.utils.clear_session()
    keras.config.set_dtype_policy("float32")
    fresh = build()
    initial = [w + normal(*w.shape) * np.float32(0.05) if "bias" in v.path else w for v, w in zip(fresh.weights, fresh.get_weights())]
    model, result = train(build, policy, initial, batches)
    case = {"name": model.name, "policy": policy, "config": model_config(model), "compile": model.get_compile_config(), "initial": initial, "batches": batches}
    _, exact = train(build, "float32", initial, batches)
    out.case(**case, steps=STEPS, run=result, float32=exact)
    print(model.name, policy, result["losses"][[0, -1]], exact["losses"][[0, -1]], flush=True)


def main(folder):
    keras.utils.set_random_seed(51)
    graphs = Recording(folder, "brain_graphs")
    for build in [branches, operators, shared, nested, residual, words, sequential, *(build for build, _ in training_runs.RUNS)]:
        record_graph(graphs, build, "mixed_bfloat16")
    for build in [branches, operators, shared, nested, residual, sequential]:  # recurrent layers' initializers want a float32 of JAX
        record_graph(graphs, build, "bfloat16")
    graphs.write()
    runs = Recording(folder, "brain_runs")
    for build, data in training_runs.RUNS[:2]:
        record_run(runs, build, data, "mixed_bfloat16")
    record_run(runs, *training_runs.RUNS[0], "bfloat16")
    runs.write()


if __name__ == "__main__":
    main(sys.argv[1])

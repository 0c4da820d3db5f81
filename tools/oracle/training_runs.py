"""Records six short training runs: every loss, the weights on the way and the final predictions.

Each run is made twice, in float32 and in float64 from the same weights and batches, so that a test can take Keras'
own float32 error as its measure. Learning rates are powers of two: equal in both precisions.

usage: training_runs.py DATA_FOLDER
"""

import sys

import jax
import keras
import numpy as np
from keras import layers as L

from models import model_config
from recording import Recording

STEPS, BATCHES, SAVED = 50, 10, (1, 10, 50)
rng = np.random.default_rng(30)


def normal(*shape):
    return rng.normal(size=shape).astype("float32")


def one_hot(labels, n):
    return np.eye(n, dtype="float32")[labels]


def mlp():
    x = keras.Input((12,), name="x")
    h = L.Dense(24, activation="relu", name="h1")(x)
    h = L.Dense(16, activation="tanh", name="h2")(h)
    model = keras.Model(x, L.Dense(5, activation="softmax", name="out")(h), name="mlp")
    model.compile(keras.optimizers.Adam(2**-7), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def mlp_data():
    return [{"x": [normal(16, 12)], "y": [rng.integers(0, 5, (16,)).astype("int32")]} for _ in range(BATCHES)]


def cnn():
    x = keras.Input((12, 12, 3), name="x")
    l2 = keras.regularizers.L2(2**-8)
    h = L.Conv2D(8, 3, padding="same", use_bias=False, kernel_regularizer=l2, name="c1")(x)
    h = L.BatchNormalization(name="bn1")(h)
    h = L.Activation("relu", name="r1")(h)
    h = L.MaxPooling2D(2, name="p1")(h)
    h = L.Conv2D(12, 3, strides=2, padding="same", kernel_regularizer=l2, name="c2")(h)
    h = L.BatchNormalization(momentum=0.9, epsilon=1e-4, name="bn2")(h)
    h = L.ReLU(name="r2")(h)
    h = L.Flatten(name="flat")(h)
    model = keras.Model(x, L.Dense(4, kernel_regularizer=l2, bias_regularizer="l1", name="out")(h), name="cnn")
    loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.125)
    model.compile(keras.optimizers.SGD(2**-5, momentum=0.875, nesterov=True), loss, metrics=["accuracy"])
    return model


def cnn_data():
    return [{"x": [normal(8, 12, 12, 3)], "y": [one_hot(rng.integers(0, 4, (8,)), 4)]} for _ in range(BATCHES)]


def sequence():
    ids = keras.Input((7,), dtype="int32", name="ids")
    h = L.Embedding(20, 8, mask_zero=True, name="embed")(ids)
    h = L.LSTM(10, return_sequences=True, name="lstm")(h)
    h = L.TimeDistributed(L.Dense(6, activation="relu", name="inner"), name="td")(h)
    model = keras.Model(ids, L.Dense(5, activation="softmax", name="out")(h), name="sequence")
    model.compile(keras.optimizers.RMSprop(2**-7, momentum=0.5), "sparse_categorical_crossentropy")
    return model


def sequence_data():
    batches = []
    for _ in range(BATCHES):
        ids = rng.integers(1, 20, (9, 7)).astype("int32")
        for row, length in enumerate(rng.integers(1, 8, (9,))):
            ids[row, length:] = 0
        ids[0, 2] = 0  # a gap in the middle
        batches.append({"x": [ids], "y": [rng.integers(0, 5, (9, 7)).astype("int32")]})
    return batches


def two_inputs():
    a, b = keras.Input((6,), name="a"), keras.Input((6,), name="b")
    shared = L.Dense(10, activation="gelu", name="shared")
    ha, hb = shared(a), shared(b)
    both = L.Concatenate(name="both")([ha, L.Subtract(name="diff")([ha, hb])])
    score = L.Dense(1, activation="sigmoid", name="score")(L.Dense(8, activation="elu", name="mid")(both))
    vector = L.Dense(3, name="vector")(L.Multiply(name="mul")([ha, hb]))
    model = keras.Model([a, b], [score, vector], name="two_inputs")
    model.compile(
        keras.optimizers.AdamW(2**-6, weight_decay=0.0625, clipnorm=0.25), ["binary_crossentropy", "mse"], loss_weights=[0.75, 2.0],
        metrics=[["accuracy"], ["mae"]], weighted_metrics=[["mse"], ["mae"]],
    )  # fmt: skip
    return model


def two_inputs_data():
    return [
        {
            "x": [normal(12, 6), normal(12, 6)],
            "y": [rng.integers(0, 2, (12, 1)).astype("float32"), normal(12, 3)],
            "sample_weight": [rng.uniform(0, 2, (12,)).astype("float32"), rng.uniform(0, 2, (12,)).astype("float32")],
        }
        for _ in range(BATCHES)
    ]


def attention():
    x = keras.Input((6, 5), name="x")
    h = L.Bidirectional(L.GRU(6, return_sequences=True, name="gru"), name="bi")(x)
    h = L.LayerNormalization(name="ln1")(h)
    m = L.MultiHeadAttention(2, 5, name="mha")(h, h)
    h = L.LayerNormalization(epsilon=1e-5, name="ln2")(L.Add(name="add")([h, m]))
    h = L.GlobalAveragePooling1D(name="mean")(h)
    model = keras.Model(x, L.Dense(2, name="out")(h), name="attention")
    model.compile(keras.optimizers.Adam(2**-7, global_clipnorm=0.5), "huber", metrics=["mae", "mse"])
    return model


def attention_data():
    return [{"x": [normal(10, 6, 5)], "y": [normal(10, 2) * 2]} for _ in range(BATCHES)]


def autoencoder():
    x = keras.Input((8, 8, 3), name="x")
    h = L.SeparableConv2D(6, 3, strides=2, padding="same", depth_multiplier=2, activation="elu", pointwise_constraint=keras.constraints.MaxNorm(0.75), name="sep")(x)
    h = L.DepthwiseConv2D(3, padding="same", activation="tanh", name="dw")(h)
    h = L.Conv2D(6, 1, name="frozen", trainable=False)(h)
    h = L.UpSampling2D(2, interpolation="bilinear", name="up")(h)
    h = L.Conv2DTranspose(4, 3, padding="same", activation="softplus", kernel_constraint=keras.constraints.MaxNorm(1.0, axis=[0, 1, 2]), name="tr")(h)
    h = L.AveragePooling2D(2, name="avg")(h)
    model = keras.Model(x, L.Conv2DTranspose(3, 2, strides=2, name="out")(h), name="autoencoder")
    model.compile(keras.optimizers.Adam(2**-6, amsgrad=True), "mae", metrics=["mse"])
    return model


def autoencoder_data():
    batches = []
    for _ in range(BATCHES):
        x = normal(6, 8, 8, 3)
        batches.append({"x": [x], "y": [x]})
    return batches


def unpack(values):
    return values[0] if len(values) == 1 else values


def run(build, initial, batches):
    """Trains a fresh model from the given weights; returns what is to be recorded."""
    keras.utils.clear_session()
    model = build()
    model.set_weights(initial)
    logs, saved, masked = [], {}, []
    for step in range(STEPS):
        batch = batches[step % BATCHES]
        x, y = unpack(batch["x"]), unpack(batch["y"])
        if build is sequence:
            # The JAX trainer loses the mask before metrics; called directly, the metric sees it.
            metric = keras.metrics.SparseCategoricalAccuracy()
            metric.update_state(y, model(x, training=True))
            masked.append(float(metric.result()))
        weight = batch.get("sample_weight")
        log = model.train_on_batch(x, y, sample_weight=weight, return_dict=True)
        logs.append({k: float(v) for k, v in log.items()})
        if step + 1 in SAVED:
            saved[step + 1] = [np.asarray(w) for w in model.get_weights()]
    x = unpack(batches[0]["x"])
    predictions = model.predict_on_batch(x)
    predictions = predictions if isinstance(predictions, list) else [predictions]
    evaluated = model.test_on_batch(x, unpack(batches[0]["y"]), sample_weight=batches[0].get("sample_weight"), return_dict=True)
    state = [{"path": v.path, "value": np.asarray(v.value)} for v in model.optimizer.variables]
    keys = list(logs[0])
    result = {
        "logs": {k: np.array([log[k] for log in logs], "float64") for k in keys},
        "weights_after": {str(k): v for k, v in saved.items()},
        "predictions": [np.asarray(p) for p in predictions],
        "evaluate": {k: float(v) for k, v in evaluated.items()},
        "optimizer_state": state,
    }
    if masked:
        result["masked_accuracy"] = np.array(masked, "float64")
    return model, result


RUNS = [(mlp, mlp_data), (cnn, cnn_data), (sequence, sequence_data), (two_inputs, two_inputs_data), (attention, attention_data), (autoencoder, autoencoder_data)]


def main(folder):
    out = Recording(folder, "training_runs")
    cases = []
    keras.utils.set_random_seed(30)
    for build, data in RUNS:
        batches = data()
        keras.utils.clear_session()
        fresh = build()
        initial = [w + normal(*w.shape) * np.float32(0.05) if "bias" in v.path else w for v, w in zip(fresh.weights, fresh.get_weights())]
        model, result = run(build, initial, batches)
        case = {
            "name": model.name, "config": model_config(model), "compile": model.get_compile_config(),
            "weight_paths": [v.path for v in model.weights], "trainable": [bool(v.trainable) for v in model.weights],
            "initial": initial, "batches": batches, "float32": result,
        }  # fmt: skip
        cases.append((build, case))
        print(model.name, model.count_params(), result["logs"]["loss"][[0, 9, 49]])
    jax.config.update("jax_enable_x64", True)
    keras.config.set_floatx("float64")
    for build, case in cases:
        exact = [{k: [a.astype("float64") if a.dtype == np.float32 else a for a in v] for k, v in b.items()} for b in case["batches"]]
        _, case["float64"] = run(build, [w.astype("float64") for w in case["initial"]], exact)
        a, b = (np.concatenate([w.ravel() for w in case[p]["weights_after"]["50"]]) for p in ("float32", "float64"))
        print(case["name"], "largest weight difference to float64:", np.abs(a - b).max())
        out.case(**case)
    out.write()


if __name__ == "__main__":
    main(sys.argv[1])

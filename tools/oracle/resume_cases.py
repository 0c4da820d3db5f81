"""Models, data and optimizers for training that goes on in another program, and what both sides are compared by.

Every optimizer that Ramet has stands here with arguments that are not the defaults; learning rates are powers of two, the same
number in float32 and float64. Twenty samples in batches of six make four steps an epoch, the last one smaller; three
steps of accumulation are under way when the second epoch ends.
"""

import jax
import keras
import numpy as np
from keras import layers as L
from keras import optimizers as O
from keras.optimizers import schedules as S

COUNT, BATCH = 20, 6
rng = np.random.default_rng(40)


def normal(*shape):
    return rng.normal(size=shape).astype("float32")


# --- models: (x by input, y by output, sample weights by output or None), all deterministic --------------------------


def mlp(optimizer):
    x = keras.Input((5,), name="x")
    h = L.Dense(6, activation="gelu", kernel_regularizer=keras.regularizers.L2(2**-8), kernel_constraint=keras.constraints.MaxNorm(1.5), name="h")(x)
    model = keras.Model(x, L.Dense(3, activation="softmax", name="out")(h), name="mlp")
    model.compile(optimizer, "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def normalized(optimizer):
    x = keras.Input((5, 5, 2), name="x")
    h = L.Conv2D(4, 3, use_bias=False, name="conv")(x)
    h = L.BatchNormalization(momentum=0.75, name="bn")(h)
    h = L.Activation("tanh", name="act")(h)
    h = L.Conv2D(3, 2, strides=2, name="fixed", trainable=False)(h)
    model = keras.Model(x, L.Dense(2, name="out")(L.Flatten(name="flat")(h)), name="normalized")
    model.compile(optimizer, keras.losses.Huber(), metrics=["mae", keras.metrics.RootMeanSquaredError(name="rms")])
    return model


def sequence(optimizer):
    ids = keras.Input((6,), dtype="int32", name="ids")
    h = L.Embedding(9, 4, mask_zero=True, name="embed")(ids)
    h = L.Bidirectional(L.LSTM(3, return_sequences=True, name="lstm"), name="both")(h)
    h = L.GRU(4, name="gru")(h)
    model = keras.Model(ids, L.Dense(1, activation="sigmoid", name="out")(h), name="sequence")
    model.compile(optimizer, "binary_crossentropy", metrics=["mse"])
    return model


def two_outputs(optimizer):
    a, b = keras.Input((4,), name="a"), keras.Input((4,), name="b")
    shared = L.Dense(5, activation="elu", name="shared")
    ha, hb = shared(a), shared(b)
    score = L.Dense(1, activation="sigmoid", name="score")(L.Concatenate(name="cat")([ha, hb]))
    vector = L.Dense(3, name="vector")(L.LayerNormalization(name="ln")(L.Subtract(name="sub")([ha, hb])))
    model = keras.Model([a, b], [score, vector], name="two_outputs")
    model.compile(
        optimizer, ["binary_crossentropy", "mse"], loss_weights=[0.75, 2.0], metrics=[["accuracy"], ["mae"]], weighted_metrics=[[], ["mse"]],
    )  # fmt: skip
    return model


def make_data():
    ids = rng.integers(1, 9, (COUNT, 6)).astype("int32")
    for row, length in enumerate(rng.integers(1, 7, (COUNT,))):
        ids[row, length:] = 0
    bits = rng.integers(0, 2, (COUNT, 1)).astype("float32")
    weight = {"score": rng.uniform(0.5, 2, (COUNT,)).astype("float32"), "vector": rng.uniform(0.5, 2, (COUNT,)).astype("float32")}
    return {
        mlp: ({"x": normal(COUNT, 5)}, {"out": rng.integers(0, 3, (COUNT,)).astype("int32")}, None),
        normalized: ({"x": normal(COUNT, 5, 5, 2)}, {"out": normal(COUNT, 2)}, None),
        sequence: ({"ids": ids}, {"out": bits}, None),
        two_outputs: ({"a": normal(COUNT, 4), "b": normal(COUNT, 4)}, {"score": bits, "vector": normal(COUNT, 3)}, weight),
    }


DATA = make_data()
MODELS = list(DATA)

# --- optimizers ------------------------------------------------------------------------------------------------------

OPTIMIZERS = {
    "sgd": lambda: O.SGD(2**-4),
    "sgd_momentum": lambda: O.SGD(2**-5, momentum=0.75),
    "sgd_nesterov": lambda: O.SGD(2**-5, momentum=0.875, nesterov=True, weight_decay=0.0625),
    "sgd_clipnorm": lambda: O.SGD(2**-3, momentum=0.5, clipnorm=0.125),
    "sgd_clipvalue": lambda: O.SGD(2**-3, clipvalue=0.03125),
    "sgd_global_clipnorm": lambda: O.SGD(2**-3, momentum=0.5, global_clipnorm=0.25),
    "sgd_ema": lambda: O.SGD(2**-4, use_ema=True, ema_momentum=0.75),
    "sgd_ema_overwrite": lambda: O.SGD(2**-4, momentum=0.5, use_ema=True, ema_momentum=0.75, ema_overwrite_frequency=3),
    "sgd_accumulation": lambda: O.SGD(2**-4, momentum=0.5, gradient_accumulation_steps=3),
    "sgd_loss_scale": lambda: O.SGD(2**-4, loss_scale_factor=1024.0),
    "rmsprop": lambda: O.RMSprop(2**-8),
    "rmsprop_momentum": lambda: O.RMSprop(2**-8, rho=0.75, momentum=0.5, epsilon=2**-10),
    "rmsprop_centered": lambda: O.RMSprop(2**-8, momentum=0.5, centered=True, epsilon=2**-10, weight_decay=0.125),
    "rmsprop_ema": lambda: O.RMSprop(2**-8, centered=True, epsilon=2**-10, use_ema=True, clipnorm=0.5),
    "rmsprop_accumulation": lambda: O.RMSprop(2**-8, gradient_accumulation_steps=3, clipvalue=0.125),
    "adam": lambda: O.Adam(2**-7),
    "adam_betas": lambda: O.Adam(2**-7, beta_1=0.5, beta_2=0.75, epsilon=2**-8),
    "adam_amsgrad": lambda: O.Adam(2**-7, amsgrad=True, weight_decay=0.125),
    "adam_clip": lambda: O.Adam(2**-7, global_clipnorm=0.5),
    "adam_ema": lambda: O.Adam(2**-7, amsgrad=True, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=5),
    "adam_accumulation": lambda: O.Adam(2**-7, gradient_accumulation_steps=3, use_ema=True, ema_momentum=0.5),
    "adamw": lambda: O.AdamW(2**-7, weight_decay=0.25),
    "adamw_amsgrad": lambda: O.AdamW(2**-7, amsgrad=True, clipnorm=0.25, loss_scale_factor=256.0),
    "adamw_ema": lambda: O.AdamW(2**-7, weight_decay=0.5, beta_1=0.75, use_ema=True, gradient_accumulation_steps=3, clipvalue=0.25),
    "exponential": lambda: O.SGD(S.ExponentialDecay(2**-4, 4, 0.5), momentum=0.5),
    "exponential_stairs": lambda: O.Adam(S.ExponentialDecay(2**-6, 3, 0.5, staircase=True)),
    "inverse_time": lambda: O.RMSprop(S.InverseTimeDecay(2**-7, 4, 0.5), momentum=0.5),
    "piecewise": lambda: O.SGD(S.PiecewiseConstantDecay([5, 9], [2**-4, 2**-5, 2**-7])),
    "polynomial": lambda: O.AdamW(S.PolynomialDecay(2**-6, 10, 2**-9, power=2.0)),
    "polynomial_cycle": lambda: O.SGD(S.PolynomialDecay(2**-4, 5, 2**-7, cycle=True), nesterov=True, momentum=0.5),
    "cosine": lambda: O.Adam(S.CosineDecay(2**-6, 9, alpha=0.125)),
    "cosine_warmup": lambda: O.Adam(S.CosineDecay(2**-8, 6, warmup_target=2**-5, warmup_steps=5), amsgrad=True),
    "cosine_restarts": lambda: O.RMSprop(S.CosineDecayRestarts(2**-7, 3, t_mul=2.0, m_mul=0.5, alpha=0.125)),
}  # fmt: skip

# Every optimizer with one model, every model with many optimizers.
IN_TURN = [(variant, MODELS[i % len(MODELS)]) for i, variant in enumerate(OPTIMIZERS)]


def averaged(optimizer):
    """Whether the averages become the weights when `fit` ends, so that training in two parts is not training in one."""
    return optimizer.use_ema


# --- training --------------------------------------------------------------------------------------------------------


def fresh(build, variant):
    """A compiled model that made no step yet; the same weights every time."""
    keras.utils.clear_session()
    keras.utils.set_random_seed(41)
    return build(OPTIMIZERS[variant]())


def fit(model, data, first, last):
    """Epochs `first` to `last`; returns the logs of the last one."""
    x, y, weight = data
    double = keras.config.floatx() == "float64"
    flat = lambda d: [v.astype("float64") if double and v.dtype == np.float32 else v for v in d.values()]  # noqa: E731
    one = lambda d: None if d is None else d[0] if len(d) == 1 else d  # noqa: E731
    history = model.fit(
        one(flat(x)), one(flat(y)), sample_weight=one(flat(weight)) if weight else None, batch_size=BATCH, initial_epoch=first,
        epochs=last, shuffle=False, verbose=0,
    )  # fmt: skip
    for v in model.weights:  # JAX gives weights and the averages that they became one buffer, which it then refuses
        v.assign(np.array(v.value))
    return {k: v[-1] for k, v in history.history.items()}


def state(model):
    """Every number that training changes, under its path."""
    variables = list(model.weights) + list(model.optimizer.variables)
    return {v.path: np.asarray(v.value) for v in variables}


def third_epoch(model, build, variant):
    """The third epoch from where `model` stands, in float32 and in float64: (state, logs) of each."""
    before = [np.asarray(v.value) for v in list(model.weights) + list(model.optimizer.variables)]
    logs = fit(model, DATA[build], 2, 3)
    single = (state(model), logs)
    jax.config.update("jax_enable_x64", True)
    keras.config.set_floatx("float64")
    try:
        exact = fresh(build, variant)
        exact.optimizer.build(exact.trainable_variables)
        for v, value in zip(list(exact.weights) + list(exact.optimizer.variables), before, strict=True):
            v.assign(value)
        logs = fit(exact, DATA[build], 2, 3)
        return single, (state(exact), logs)
    finally:
        keras.config.set_floatx("float32")
        jax.config.update("jax_enable_x64", False)


# Our distance from the float64 run in units of Keras' own, as in tests/training_runs_test.cpp.
ALLOWED = 3


def ratio(ours, single, exact):
    ours, single, exact = (np.asarray(a, "float64") for a in (ours, single, exact))
    if ours.shape != exact.shape or not np.all(np.isfinite(ours)):
        return np.inf
    distance = lambda a: np.max(np.abs(a - exact), initial=0)  # noqa: E731
    return distance(ours) / (distance(single) + 4e-7 * (1e-3 + np.max(np.abs(exact), initial=0)))

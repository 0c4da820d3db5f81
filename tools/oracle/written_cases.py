"""Models whose files hold something that is rarely written: compile arguments in every structure, functions where objects are usual, arrays in
initializers, layers as activations, recorded defaults, classes and functions of the user's.

CASES maps a name to a function that gives the model (compiled or not). `OWN` holds what a reader must register.
"""

import keras
import numpy as np

L, ops = keras.layers, keras.ops
losses, metrics, init = keras.losses, keras.metrics, keras.initializers
CASES, UNKNOWN = {}, {}


def case(make):
    CASES[make.__name__] = make
    return make


def unknown(what):
    """What Ramet does not have; the file must open uncompiled with a warning that names it."""

    def mark(make):
        UNKNOWN[make.__name__] = what
        return case(make)

    return mark


def one(**compiled):
    x = keras.Input((4,), name="x")
    model = keras.Model(x, L.Dense(3, activation="softmax", name="a")(x), name="m")
    model.compile(**({"optimizer": "sgd", "loss": "mse"} | compiled))
    return model


def two(**compiled):
    x = keras.Input((4,), name="x")
    model = keras.Model(x, [L.Dense(2, name="a")(x), L.Dense(3, name="b")(x)], name="m")
    model.compile(**({"optimizer": "sgd", "loss": "mse"} | compiled))
    return model


def nested(**compiled):
    x = keras.Input((4,), name="x")
    a, b, c = (L.Dense(n, name=name)(x) for n, name in ((2, "a"), (3, "b"), (1, "c")))
    model = keras.Model(x, {"first": [a, b], "second": c}, name="m")
    model.compile(**({"optimizer": "sgd", "loss": {"first": ["mse", "mae"], "second": "mse"}} | compiled))
    return model


def plain(layer, shape=(4,)):
    x = keras.Input(shape, name="x")
    return keras.Model(x, layer(x), name="m")


# --- compile ---------------------------------------------------------------------------------------------------------


@case
def metrics_by_name():
    return two(metrics={"a": ["mae", metrics.MeanSquaredError(name="square")], "b": "mse"})


@case
def metrics_of_one_output_by_name():
    return two(metrics={"b": [metrics.RootMeanSquaredError()]})


@case
def weighted_metrics_by_name():
    return two(weighted_metrics={"a": ["mse"], "b": [metrics.MeanAbsoluteError()]}, metrics=[["mae"], None])


@case
def losses_by_name():
    return two(loss={"a": losses.Huber(), "b": "mae"}, loss_weights={"a": 0.5, "b": 2})


@case
def losses_in_a_list():
    return two(loss=["mse", losses.LogCosh(reduction="sum")], loss_weights=[0.25, 1.5], metrics=[["mae"], ["mse", "mae"]])


@case
def no_loss_for_an_output():
    return two(loss=[None, "mse"])


@case
def loss_function():
    return one(loss=losses.mean_squared_error, metrics=[metrics.categorical_accuracy, "mae"])


@case
def loss_functions_in_a_list():
    return two(loss=[losses.mean_squared_error, losses.huber], metrics=[[losses.mean_absolute_error], [losses.huber, "mse"]])


@case
def loss_functions_by_name():
    return two(loss={"a": losses.mean_absolute_error, "b": losses.MeanSquaredError()}, metrics={"a": losses.mean_squared_error},
               weighted_metrics={"b": [losses.mean_absolute_error]})  # fmt: skip


@case
def nested_outputs():
    return nested(metrics={"first": [["mae"], ["mse", "mae"]], "second": ["mae"]})


@case
def nested_loss_weights():
    return nested(loss={"first": ["mse", losses.mean_absolute_error], "second": losses.Huber()}, loss_weights={"first": [0.5, 2.0], "second": 3.0})


@case
def run_eagerly():
    return one(run_eagerly=True)


@case
def compiled_or_not():
    return one(jit_compile=True)


@case
def steps_per_execution():
    return one(steps_per_execution=4, jit_compile=False)


@case
def a_schedule():
    return one(optimizer=keras.optimizers.SGD(keras.optimizers.schedules.CosineDecay(0.5, 10, warmup_target=0.75, warmup_steps=3), momentum=0.5))


@unknown("metric 'AUC'")
def unknown_metric():
    return one(metrics=["mae", metrics.AUC(num_thresholds=5)])


@unknown("metric 'Precision'")
def unknown_metric_by_name():
    return two(metrics={"b": ["mae", metrics.Precision()]})


@unknown("optimizer 'Lion'")
def unknown_optimizer():
    return one(optimizer="lion")


@unknown("loss 'Dice'")
def unknown_loss():
    return one(loss=losses.Dice())


@unknown("loss 'dice'")
def unknown_loss_function():
    return two(loss={"a": losses.dice, "b": "mse"})


# --- layers ----------------------------------------------------------------------------------------------------------


@case
def reshape_to_none():
    return plain(L.Reshape((None, 2), name="r"))


@case
def constant_array():
    return plain(L.Dense(2, kernel_initializer=init.Constant(np.arange(8, dtype="float32").reshape(4, 2)), bias_initializer=init.Constant([0.5, -1]), name="d"))


@case
def constant_tensor():
    return plain(L.Dense(2, kernel_initializer=init.Constant(ops.ones((4, 2)) * 0.5), bias_initializer=init.Constant(True), name="d"))


@case
def pretrained_embeddings():
    x = keras.Input((5,), dtype="int32", name="x")
    table = np.linspace(-1, 1, 21).reshape(7, 3)
    return keras.Model(x, L.Embedding(7, 3, embeddings_initializer=init.Constant(table), trainable=False, mask_zero=True, name="e")(x), name="m")


@case
def arrays_in_random_initializers():
    normal = init.RandomNormal(mean=np.array([1.0, -2.0]), stddev=np.float32(0.25), seed=3)
    return plain(L.Dense(2, kernel_initializer=normal, bias_initializer=init.TruncatedNormal(stddev=np.array([0.1, 0.2])), name="d"))


@case
def axes_in_initializers():
    return plain(L.Dense(2, kernel_initializer=init.GlorotUniform(input_axes=[0], output_axes=[1]), name="d"))


@case
def leaky_relu_as_activation():
    return plain(L.Dense(3, activation=L.LeakyReLU(negative_slope=0.1), name="d"))


@case
def relu_layer_as_activation():
    return plain(L.Conv1D(2, 2, activation=L.ReLU(max_value=6.0, negative_slope=0.25, name="six"), name="c"), (5, 3))


@case
def softmax_layer_as_activation():
    return plain(L.Activation(L.Softmax(axis=1), name="s"), (5, 3))


@case
def layers_as_activations_of_an_lstm():
    return plain(L.LSTM(3, activation=L.ELU(alpha=0.5), recurrent_activation=L.ReLU(max_value=1.0), name="l"), (4, 2))


@case
def booleans_for_numbers():
    return plain(L.Rescaling(True, offset=False, name="r"))


@case
def recorded_defaults():
    x = keras.Input((4,), name="x")
    inner = keras.Model(x, L.Dense(4, name="d")(x), name="inner")
    y = ops.pad(inner(x), [[0, 0], [1, 1]])
    return keras.Model(x, L.Dropout(0.5, name="drop")(y), name="m")


@case
def outputs_of_a_layer_called_thrice():
    x, y = keras.Input((4,), name="x"), keras.Input((4,), name="y")
    d = L.Dense(4, activation="tanh", name="d")
    d(keras.Input((4,), name="elsewhere"))
    a = d(x)
    return keras.Model([x, y], [d(a), d(y), a], name="m")


# --- what the user wrote ---------------------------------------------------------------------------------------------


@keras.saving.register_keras_serializable("mine")
def pinball(y, p):
    e = y - p
    return ops.mean(ops.maximum(0.75 * e, -0.25 * e), axis=-1)


def squash(x):
    return x / (1.0 + ops.absolute(x))


@keras.saving.register_keras_serializable("mine")
class Scale(L.Layer):
    def __init__(self, initial=1.0, **kwargs):
        super().__init__(**kwargs)
        self.initial = initial

    def build(self, shape):
        self.gamma = self.add_weight(name="gamma", shape=(shape[-1],), initializer=init.Constant(self.initial))

    def call(self, x):
        return x * self.gamma

    def get_config(self):
        return super().get_config() | {"initial": self.initial}


@keras.saving.register_keras_serializable("mine")
class Halving(keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, start=1.0, every=10):
        self.start, self.every = start, every

    def __call__(self, step):
        return self.start * 0.5 ** ops.floor(ops.cast(step, "float32") / self.every)

    def get_config(self):
        return {"start": self.start, "every": self.every}


@keras.saving.register_keras_serializable("mine")
class Sparse(keras.regularizers.Regularizer):
    def __init__(self, weight=0.5):
        self.weight = weight

    def __call__(self, w):
        return self.weight * ops.sum(ops.sqrt(ops.absolute(w)))

    def get_config(self):
        return {"weight": self.weight}


OWN = {"squash": squash}


@case
def own_functions():
    x = keras.Input((4,), name="x")
    model = keras.Model(x, [L.Dense(2, activation=squash, name="a")(x), L.Dense(3, name="b")(x)], name="m")
    model.compile(optimizer="sgd", loss={"a": pinball, "b": "mse"}, metrics={"a": [pinball, "mae"]})
    return model


@case
def own_classes():
    x = keras.Input((4,), name="x")
    y = L.Dense(3, kernel_regularizer=Sparse(0.25), name="d")(Scale(initial=2.0, name="scale")(x))
    model = keras.Model(x, y, name="m")
    model.compile(optimizer=keras.optimizers.SGD(Halving(0.5, 3)), loss="mse")
    return model

"""Records layers with random arguments, weights, inputs and masks: outputs, output masks, new weights and gradients.

usage: layer_random.py DATA_FOLDER [CLASS...]
"""

import collections
import sys

import jax
import jax.numpy as jnp
import keras
import numpy as np
from keras import layers as L
from keras.src import backend, tree

from models import object_config
from recording import Recording

CASES = 16
POINTWISE = """celu elu exponential gelu hard_shrink hard_sigmoid hard_silu hard_tanh leaky_relu linear log_sigmoid mish
    relu relu6 selu sigmoid silu soft_shrink softplus softsign sparse_plus sparse_sigmoid squareplus tanh tanh_shrink""".split()
ROWWISE = ["softmax", "log_softmax", "sparsemax"]

rng = np.random.default_rng(40)

# --- small helpers -------------------------------------------------------------------------------------------------


def pick(*options):
    return options[rng.integers(len(options))]


def chance(p):
    return bool(rng.random() < p)


def dim(low=1, high=7):
    return int(rng.integers(low, high + 1))


def dims(n, low=1, high=7):
    return tuple(dim(low, high) for _ in range(n))


def normal(*shape):
    return rng.normal(size=shape).astype("float32")


def activation():
    return pick(None, None, None, pick(*POINTWISE), pick(*POINTWISE), pick(*ROWWISE))


def gate(default):
    return default if chance(0.6) else pick("relu", "hard_sigmoid", "softsign", "elu", "linear", "sigmoid", "tanh")


def extras(*weights):
    """Now and then a regularizer, constraint or initializer for the named weights."""
    found = {}
    for w in weights:
        if chance(0.15):
            found[w + "_regularizer"] = pick("l1", "l2", keras.regularizers.L1L2(0.1, 0.2))
        if chance(0.15):
            found[w + "_constraint"] = pick("non_neg", keras.constraints.MaxNorm(1.5), keras.constraints.UnitNorm(0))
        if chance(0.15):
            found[w + "_initializer"] = pick("he_normal", "ones", keras.initializers.RandomUniform(-1, 1))
    return found


def call(layer, *args, masks=None, **kwargs):
    return {"layer": layer, "args": list(args), "kwargs": kwargs, "masks": masks}


def step_mask(*shape):
    """A mask with right padding, holes, everything or nothing set."""
    m = rng.random(shape) < 0.7
    style = rng.integers(4)
    if style == 0:
        m = np.arange(shape[-1]) < rng.integers(1, shape[-1] + 1, (*shape[:-1], 1))
    elif style == 1:
        m = np.arange(shape[-1]) >= rng.integers(0, shape[-1], (*shape[:-1], 1))
    if style != 3 or chance(0.7):
        m[..., rng.integers(shape[-1])] |= ~m.any(-1)  # mostly at least one step
    return m


def sequence_or_matrix():
    """An input of rank 2 to 4 and a fitting mask or None."""
    shape = dims(pick(2, 3, 3, 4))
    mask = step_mask(*shape[:-1]) if len(shape) == 3 and chance(0.5) else None
    return normal(*shape), None if mask is None else [mask]


def passing(make):
    """Generator for layers that keep the shape and pass the mask on."""

    def generate():
        x, masks = sequence_or_matrix()
        return call(make(), x, masks=masks)

    return generate


def image(channels=None, low=1, data_format=None):
    """(input, data_format) of an image batch."""
    b, h, w, c = dim(1, 3), dim(low), dim(low), channels or dim(1, 6)
    if data_format == "channels_first":
        return normal(b, c, h, w)
    return normal(b, h, w, c)


def line(channels=None, low=1, data_format=None):
    b, t, c = dim(1, 3), dim(low), channels or dim(1, 6)
    return normal(b, c, t) if data_format == "channels_first" else normal(b, t, c)


def formats():
    return "channels_first" if chance(0.2) else pick(None, "channels_last")


def int_or_tuple(n, low, high):
    return dim(low, high) if chance(0.5) else dims(n, low, high)


# --- one generator per class ---------------------------------------------------------------------------------------


def dense():
    x, masks = sequence_or_matrix()
    return call(L.Dense(dim(), activation(), chance(0.8), **extras("kernel", "bias")), x, masks=masks)


def embedding():
    n = dim(2)
    x = rng.integers(0, n, dims(pick(1, 2, 2, 3))).astype(pick("int32", "int32", "int64", "float32", "uint8"))
    return call(L.Embedding(n, dim(), mask_zero=chance(0.6), **extras("embeddings")), x)


def masking():
    value = pick(0.0, 1.0, -1.0)
    x = normal(*dims(pick(3, 3, 4)))
    x[rng.random(x.shape[:-1]) < 0.4] = value
    return call(L.Masking(value) if value or chance(0.5) else L.Masking(), x)


def rescaling():
    x, masks = sequence_or_matrix()
    c = x.shape[-1]
    scale = pick(1 / 255, 2.5, -1, [float(v) for v in normal(c)])
    offset = pick(0.0, 0.5, -3, [float(v) for v in normal(c)])
    return call(L.Rescaling(scale, offset), x, masks=masks)


def activation_layer():
    name = pick(*POINTWISE, *ROWWISE)
    return L.Activation(name)


def softmax():
    x = normal(*dims(pick(2, 3, 4), 2))
    rank = x.ndim
    axis = pick(-1, -1, 1, rank - 1, [1, -1] if rank > 2 else [-1], -2 if rank > 2 else -1)
    kwargs = {}
    if chance(0.5):
        mask = rng.random(x.shape if chance(0.7) else x.shape[-1:]) < 0.7
        mask[..., 0] = True
        kwargs["mask"] = mask
    return call(L.Softmax(axis), x, **kwargs)


def relu():
    arguments = {}
    if chance(0.5):
        arguments["max_value"] = pick(0.5, 1.0, 6.0, 0.0)
    if chance(0.5):
        arguments["negative_slope"] = pick(0.0, 0.1, 1.0)
    if chance(0.5):
        arguments["threshold"] = pick(0.0, 0.25, 1.0)
    return L.ReLU(**arguments)


def prelu():
    x, masks = sequence_or_matrix()
    shared = None if chance(0.4) else sorted({dim(1, x.ndim - 1) for _ in range(pick(1, 2))})
    return call(L.PReLU(shared_axes=shared, **extras("alpha")), x, masks=masks)


def dropout():
    x, masks = sequence_or_matrix()
    rate = pick(0, 0.2, 0.5, 0.9, 0.0)
    shape = None if chance(0.6) else [None if chance(0.5) else 1 for _ in x.shape]
    return call(L.Dropout(rate, noise_shape=shape, seed=pick(None, 3)), x, masks=masks, training=rate == 0 and chance(0.5))


def spatial_dropout_1d():
    x = line()
    return call(L.SpatialDropout1D(pick(0.1, 0.7), seed=pick(None, 5)), x, masks=pick(None, [step_mask(*x.shape[:2])]), training=False)


def spatial_dropout_2d():
    data_format = formats()
    return call(L.SpatialDropout2D(pick(0.1, 0.7), data_format=data_format), image(data_format=data_format), training=False)


def gaussian_noise():
    x, masks = sequence_or_matrix()
    return call(L.GaussianNoise(pick(0.0, 0.1, 1), seed=pick(None, 1)), x, masks=masks, training=False)


def flatten():
    x = normal(*dims(pick(1, 2, 3, 4, 5)))
    return call(L.Flatten(data_format=formats()), x)


def reshape():
    x = normal(*dims(pick(2, 3, 4)))
    rest = int(np.prod(x.shape[1:]))
    divisors = [d for d in range(1, rest + 1) if rest % d == 0]
    a = pick(*divisors)
    b = pick(*[d for d in range(1, rest // a + 1) if (rest // a) % d == 0])
    target = [a, b, rest // a // b]
    if chance(0.3):
        target = [a, rest // a]
    if chance(0.2):
        target = [rest]
    if chance(0.5):
        target[rng.integers(len(target))] = -1
    return call(L.Reshape(tuple(target)), x)


def permute():
    x = normal(*dims(pick(2, 3, 4, 5)))
    return call(L.Permute(tuple(int(v) + 1 for v in rng.permutation(x.ndim - 1))), x)


def merge(cls):
    def generate():
        shape = dims(pick(2, 3, 3, 4))
        n = 2 if cls is L.Subtract else dim(2, 4)
        arrays = []
        for _ in range(n):
            s = [1 if i and chance(0.15) else d for i, d in enumerate(shape)]
            if len(s) > 2 and chance(0.1):
                s.pop(1)  # a lower rank: the missing axis is inserted after the batch
            arrays.append(normal(*s))
        masks = None
        if all(a.ndim == 3 for a in arrays) and chance(0.6):
            masks = [step_mask(*shape[:2]) if chance(0.85) else None for a in arrays]
            arrays = [normal(*shape) for _ in arrays]
        return call(cls(), arrays, masks=masks)

    return generate


def concatenate():
    shape = list(dims(pick(2, 3, 3, 4)))
    axis = pick(-1, -1, *range(1, len(shape)))
    arrays, masks = [], []
    for _ in range(dim(2, 4)):
        s = list(shape)
        s[axis] = dim(1, 5)
        arrays.append(normal(*s))
        masks.append(step_mask(*s[:-1]) if chance(0.7) else None)
    masked = len(shape) == 3 and chance(0.7) and any(m is not None for m in masks)
    return call(L.Concatenate(axis), arrays, masks=masks if masked else None)


def dot():
    b, n = dim(1, 3), dim()
    style = rng.integers(5)
    if style == 0:
        arrays, axes = [normal(b, n), normal(b, n)], pick(1, -1)
    elif style == 1:
        arrays, axes = [normal(b, dim(), n), normal(b, dim(), n)], pick(2, -1, (2, 2))
    elif style == 2:
        arrays, axes = [normal(b, dim(), n), normal(b, n, dim())], pick((2, 1), (-1, 1), (-1, -2))
    elif style == 3:
        arrays, axes = [normal(b, n, dim()), normal(b, n)], (1, 1)
    else:
        arrays, axes = [normal(b, dim(), dim(), n), normal(b, n, dim())], (3, 1)
    return call(L.Dot(axes, normalize=chance(0.4)), arrays)


def conv(cls, n):
    def generate():
        data_format = formats()
        groups = pick(1, 1, 1, 2, 3)
        channels = groups * dim(1, 2)
        padding = pick("valid", "same", *(["causal"] if n == 1 and data_format != "channels_first" else []))
        strides, dilation = int_or_tuple(n, 1, 3), 1
        if chance(0.3):
            strides, dilation = 1, int_or_tuple(n, 1, 3)
        layer = cls(
            groups * dim(1, 3), int_or_tuple(n, 1, 4), strides, padding, data_format, dilation, groups, activation(), chance(0.8),
            **extras("kernel", "bias"),
        )  # fmt: skip
        return call(layer, (line if n == 1 else image)(channels, 1, data_format))

    return generate


def depthwise_conv():
    data_format = formats()
    k = dim(1, 4)
    s = dim(1, 3)
    dilation = 1
    if chance(0.3):
        s, dilation = 1, dims(2, 1, 3)
    kernel = k if chance(0.5) else dims(2, 1, 4)
    layer = L.DepthwiseConv2D(kernel, s, pick("valid", "same"), dim(1, 3), data_format, dilation, activation(), chance(0.8), **extras("depthwise", "bias"))
    return call(layer, image(None, 1, data_format))


def separable_conv():
    data_format = formats()
    s, dilation = dim(1, 3), 1
    if chance(0.3):
        s, dilation = 1, dims(2, 1, 3)
    kernel = int_or_tuple(2, 1, 4)
    layer = L.SeparableConv2D(
        dim(1, 5), kernel, s, pick("valid", "same"), data_format, dilation, dim(1, 3), activation(), chance(0.8),
        **extras("depthwise", "pointwise", "bias"),
    )  # fmt: skip
    return call(layer, image(None, 1, data_format))


def conv_transpose():
    data_format = formats()
    strides = int_or_tuple(2, 1, 3)
    dilation = 1
    if chance(0.2):
        strides, dilation = 1, int_or_tuple(2, 1, 3)
    output_padding = None
    if chance(0.3) and dilation == 1:
        s = (strides, strides) if isinstance(strides, int) else strides
        output_padding = tuple(int(rng.integers(0, v)) for v in s)
    layer = L.Conv2DTranspose(
        dim(1, 4), int_or_tuple(2, 1, 4), strides, pick("valid", "same"), output_padding, data_format, dilation, activation=activation(),
        use_bias=chance(0.8), **extras("kernel", "bias"),
    )  # fmt: skip
    return call(layer, image(None, 1, data_format))


def pooling(cls, n):
    def generate():
        data_format = formats()
        layer = cls(int_or_tuple(n, 1, 4), pick(None, int_or_tuple(n, 1, 3)), pick("valid", "same"), data_format)
        return call(layer, (line if n == 1 else image)(None, 1, data_format))

    return generate


def global_pooling(cls, n):
    def generate():
        data_format = formats()
        x = (line if n == 1 else image)(None, 1, data_format)
        masks = None
        if cls is L.GlobalAveragePooling1D and chance(0.6):
            steps = x.shape[2] if data_format == "channels_first" else x.shape[1]
            masks = [step_mask(x.shape[0], steps)]
        return call(cls(data_format=data_format, keepdims=chance(0.4)), x, masks=masks)

    return generate


def zero_padding():
    data_format = formats()
    padding = pick(0, 1, dim(0, 3), dims(2, 0, 3), (dims(2, 0, 3), dims(2, 0, 3)))
    return call(L.ZeroPadding2D(padding, data_format), image(None, 1, data_format))


def up_sampling():
    data_format = formats()
    interpolation = pick("nearest", "nearest", "bilinear", "bilinear", "bicubic")
    return call(L.UpSampling2D(int_or_tuple(2, 1, 3), data_format, interpolation), image(None, 1, data_format))


def batch_normalization():
    shape = (dim(2, 5), *dims(pick(1, 2, 2, 3)))
    x = normal(*shape) * 2 + 1
    axis = pick(-1, -1, -1, 1, x.ndim - 1)
    masks = None
    if x.ndim == 3 and axis in (-1, 2) and chance(0.6):
        masks = [step_mask(*shape[:2])]
    arguments = {"momentum": pick(0.99, 0.9, 0.0, 0.5), "epsilon": pick(1e-3, 1e-5, 0.1)}
    layer = L.BatchNormalization(axis, center=chance(0.8), scale=chance(0.8), trainable=chance(0.9), **arguments, **extras("gamma", "beta"))
    return call(layer, x, masks=masks, training=chance(0.65))


def layer_normalization():
    shape = dims(pick(2, 3, 3, 4))
    axis = pick(-1, -1, 1, len(shape) - 1, [1, -1] if len(shape) > 2 else [-1], [-2, -1] if len(shape) > 2 else -1)
    masks = [step_mask(*shape[:2])] if len(shape) == 3 and chance(0.3) else None
    layer = L.LayerNormalization(axis, pick(1e-3, 1e-6, 0.5), chance(0.8), chance(0.8), **extras("gamma", "beta"))
    return call(layer, normal(*shape) * 3, masks=masks)


def recurrent_arguments(cls):
    arguments = {"activation": gate("tanh"), "use_bias": chance(0.8), **extras("kernel", "recurrent", "bias")}
    for key in [k for k in arguments if k.startswith("recurrent_init") or k.startswith("kernel_init")]:
        arguments[key] = "he_normal"
    if "Simple" not in cls.__name__:
        arguments["recurrent_activation"] = gate("sigmoid")
    if "GRU" in cls.__name__:
        arguments["reset_after"] = chance(0.6)
    if "LSTM" in cls.__name__:
        arguments["unit_forget_bias"] = chance(0.5)
    if chance(0.15):
        arguments["dropout"] = 0.3
    if chance(0.15):
        arguments["recurrent_dropout"] = 0.2
    return arguments


def sequence_arguments():
    return {"return_sequences": chance(0.6), "return_state": chance(0.4), "go_backwards": chance(0.3), "unroll": chance(0.2)}


def sequence_call(layer, x, state_sizes):
    """Calls with a mask in half of the cases and an initial state in a third."""
    masks = [step_mask(*x.shape[:2])] if chance(0.55) else None
    kwargs = {"training": False}
    if chance(0.35) and state_sizes is not None:
        kwargs["initial_state"] = tree.map_structure(lambda n: normal(x.shape[0], n), state_sizes)
        if masks is not None:
            kwargs["mask"], masks = masks[0], None  # with a second tensor argument Keras doesn't fill it in
    return call(layer, x, masks=masks, **kwargs)


def states_of(cls, units):
    return [units, units] if "LSTM" in cls.__name__ else [units]


def recurrent(cls):
    def generate():
        units = dim(1, 5)
        x = normal(dim(1, 4), dim(), dim(1, 5))
        layer = cls(units, **recurrent_arguments(cls), **sequence_arguments())
        return sequence_call(layer, x, states_of(cls, units))

    return generate


CELLS = [L.SimpleRNNCell, L.LSTMCell, L.GRUCell]


def make_cell():
    cls, units = pick(*CELLS), dim(1, 4)
    return cls(units, **recurrent_arguments(cls)), states_of(cls, units)


def make_cells():
    made = [make_cell() for _ in range(dim(1, 3))]
    return [c for c, _ in made], [s for _, s in made]


def rnn():
    x = normal(dim(1, 4), dim(), dim(1, 5))
    arguments = {**sequence_arguments(), "zero_output_for_mask": chance(0.3)}
    if chance(0.5):
        cell, states = make_cell()
    else:
        cells, states = make_cells()
        cell = cells if chance(0.5) else L.StackedRNNCells(cells)
        states = [s if len(s) > 1 else s[0] for s in states]
        if any(isinstance(s, list) for s in states):
            states = None  # nested initial states of stacked cells: left out
    return sequence_call(L.RNN(cell, **arguments), x, states)


def stateful():
    """Stateful layers, called twice on the same input."""
    cls, units = pick(L.SimpleRNN, L.LSTM, L.GRU), dim(1, 5)
    x = normal(dim(1, 4), dim(), dim(1, 5))
    layer = cls(units, stateful=True, return_sequences=chance(0.5), return_state=chance(0.5), go_backwards=chance(0.3))
    return {**call(layer, x, masks=pick(None, [step_mask(*x.shape[:2])]), training=False), "stateful": True}


def cell(cls):
    def generate():
        units = dim(1, 5)
        b = dim(1, 4)
        states = [normal(b, n) for n in states_of(cls, units)]
        return call(cls(units, **recurrent_arguments(cls)), normal(b, dim()), states, training=False)

    return generate


def stacked_cells():
    cells, states = make_cells()
    b = dim(1, 4)
    values = [[normal(b, n) for n in s] for s in states]
    return call(L.StackedRNNCells(cells), normal(b, dim()), values, training=False)


def bidirectional():
    x = normal(dim(1, 4), dim(), dim(1, 5))
    cls, units = pick(L.SimpleRNN, L.LSTM, L.GRU), dim(1, 4)
    sequence = {k: v for k, v in sequence_arguments().items() if k != "go_backwards"}
    inner = cls(units, **recurrent_arguments(cls), **sequence)
    arguments = {"merge_mode": pick("concat", "concat", "sum", "mul", "ave", None)}
    if chance(0.25):
        arguments["backward_layer"] = cls(units, activation="relu", go_backwards=True, **sequence)
    return sequence_call(L.Bidirectional(inner, **arguments), x, states_of(cls, units) * 2)


def time_distributed():
    b, t = dim(1, 3), dim(1, 5)
    style = rng.integers(6)
    masks = [step_mask(b, t)] if chance(0.4) else None
    if style == 0:
        return call(L.TimeDistributed(L.Dense(dim(), activation())), normal(b, t, dim()), masks=masks)
    if style == 1:
        return call(L.TimeDistributed(L.Conv2D(dim(1, 3), dim(1, 3), padding="same")), normal(b, t, *dims(3, 1, 4)), masks=masks)
    if style == 2:
        return call(L.TimeDistributed(L.LSTM(dim(1, 4), return_sequences=chance(0.5))), normal(b, t, *dims(2, 1, 4)))
    if style == 3:
        return call(L.TimeDistributed(L.Flatten()), normal(b, t, *dims(2, 1, 4)), masks=masks)
    if style == 4:
        return call(L.TimeDistributed(L.LayerNormalization()), normal(b, t, dim(2)), masks=masks)
    return call(L.TimeDistributed(L.GlobalAveragePooling2D()), normal(b, t, *dims(3, 1, 4)), masks=masks)


def attention():
    b, tq, tv, d = dim(1, 3), dim(), dim(), dim(1, 5)
    arrays = [normal(b, tq, d), normal(b, tv, d if chance(0.5) else dim(1, 5))]
    if arrays[1].shape[-1] != d or chance(0.4):
        arrays.append(normal(b, tv, d))
    layer = L.Attention(chance(0.5), pick("dot", "dot", "concat"), pick(0.0, 0.2))
    masks = None
    if chance(0.6):
        masks = [step_mask(b, tq) if chance(0.7) else None, step_mask(b, tv) if chance(0.7) else None]
        masks += [None] * (len(arrays) - 2)
        masks = masks if any(m is not None for m in masks) else None
    return call(layer, arrays, masks=masks, training=False, return_attention_scores=chance(0.3), use_causal_mask=chance(0.3))


def multi_head_attention():
    b, rank = dim(1, 3), pick(3, 3, 3, 4)
    middle = dims(rank - 2, 1, 5)
    query = normal(b, *middle, dim(1, 5))
    arguments = {"num_heads": dim(1, 3), "key_dim": dim(1, 4), "use_bias": chance(0.7), "dropout": pick(0.0, 0.0, 0.1)}
    if chance(0.4):  # JAX's fused path can't have it, dropout (idle at inference) selects the other one
        arguments |= {"value_dim": dim(1, 4), "dropout": 0.1}
    if chance(0.3):
        arguments["output_shape"] = dim() if chance(0.7) else dims(2, 1, 4)
    if rank == 4 and chance(0.7):
        arguments["attention_axes"] = pick((1,), (2,), (1, 2))
    if chance(0.2) and rank == 3:
        arguments["sliding_window"] = dim(1, 3)
    if chance(0.25):
        arguments["use_gate"] = True
    arguments |= extras("kernel", "bias")
    layer = L.MultiHeadAttention(**arguments)
    kwargs = {"training": False, "use_causal_mask": rank == 3 and chance(0.3), "return_attention_scores": chance(0.3)}
    if rank == 4:
        value = normal(b, *middle, dim(1, 5))
        args = [query, value] if chance(0.6) else [query, value, normal(b, *middle, dim(1, 5))]
        return call(layer, *args, **kwargs)
    tv = dim(1, 6)
    value = normal(b, tv, dim(1, 5))
    args = [query, value] if chance(0.6) else [query, value, normal(b, tv, dim(1, 5))]
    if chance(0.25):
        args, tv = [query, query], middle[0]
    if chance(0.3):
        mask = rng.random((b, middle[0], tv)) < 0.7
        mask[..., 0] = True
        kwargs["attention_mask"] = mask
    masks = None
    if chance(0.5):
        lengths = [middle[0], tv, tv][: len(args)]
        masks = [step_mask(b, n) if chance(0.6) else None for n in lengths]
        if args[0] is args[1]:
            masks[1] = masks[0]
        masks = masks if any(m is not None for m in masks) else None
    return call(layer, *args, masks=masks, **kwargs)


GENERATORS = {
    "Dense": dense, "Embedding": embedding, "Masking": masking, "Identity": passing(L.Identity), "Rescaling": rescaling,
    "Activation": passing(activation_layer), "Softmax": softmax, "ReLU": passing(relu), "LeakyReLU": passing(lambda: L.LeakyReLU(pick(0.3, 0.0, 0.05, 1))),
    "ELU": passing(lambda: L.ELU(pick(1.0, 0.3, 0.0, 2))), "PReLU": prelu, "Dropout": dropout, "SpatialDropout1D": spatial_dropout_1d,
    "SpatialDropout2D": spatial_dropout_2d, "GaussianNoise": gaussian_noise, "Flatten": flatten, "Reshape": reshape, "Permute": permute,
    "RepeatVector": lambda: call(L.RepeatVector(dim()), normal(*dims(2))), "Add": merge(L.Add), "Subtract": merge(L.Subtract),
    "Multiply": merge(L.Multiply), "Average": merge(L.Average), "Maximum": merge(L.Maximum), "Minimum": merge(L.Minimum),
    "Concatenate": concatenate, "Dot": dot, "Conv1D": conv(L.Conv1D, 1), "Conv2D": conv(L.Conv2D, 2), "DepthwiseConv2D": depthwise_conv,
    "SeparableConv2D": separable_conv, "Conv2DTranspose": conv_transpose, "MaxPooling1D": pooling(L.MaxPooling1D, 1),
    "MaxPooling2D": pooling(L.MaxPooling2D, 2), "AveragePooling1D": pooling(L.AveragePooling1D, 1), "AveragePooling2D": pooling(L.AveragePooling2D, 2),
    "GlobalMaxPooling1D": global_pooling(L.GlobalMaxPooling1D, 1), "GlobalMaxPooling2D": global_pooling(L.GlobalMaxPooling2D, 2),
    "GlobalAveragePooling1D": global_pooling(L.GlobalAveragePooling1D, 1), "GlobalAveragePooling2D": global_pooling(L.GlobalAveragePooling2D, 2),
    "ZeroPadding2D": zero_padding, "UpSampling2D": up_sampling, "BatchNormalization": batch_normalization,
    "LayerNormalization": layer_normalization, "SimpleRNN": recurrent(L.SimpleRNN), "LSTM": recurrent(L.LSTM), "GRU": recurrent(L.GRU), "RNN": rnn,
    "stateful": stateful, "SimpleRNNCell": cell(L.SimpleRNNCell), "LSTMCell": cell(L.LSTMCell), "GRUCell": cell(L.GRUCell), "StackedRNNCells": stacked_cells,
    "Bidirectional": bidirectional, "TimeDistributed": time_distributed, "Attention": attention, "MultiHeadAttention": multi_head_attention,
}  # fmt: skip

# Layers with many arguments get more cases.
MORE = {"Conv1D": 20, "Conv2D": 20, "Conv2DTranspose": 20, "LSTM": 20, "GRU": 20, "RNN": 20, "Bidirectional": 20, "MultiHeadAttention": 30, "stateful": 9}

# --- running and recording -------------------------------------------------------------------------------------------


def random_weight(variable):
    w = normal(*variable.shape) * np.float32(0.5)
    return np.abs(w) + np.float32(0.2) if "variance" in variable.path else w


def with_masks(args, masks):
    """Fresh tensors for the arguments, carrying the masks (flat, in order) as Keras layers leave them."""
    tensors = [jnp.asarray(a) for a in tree.flatten(args)]
    for x, mask in zip(tensors, masks or []):
        if mask is not None:
            backend.set_keras_mask(x, jnp.asarray(mask))
    return tree.pack_sequence_as(args, tensors)


def backend_quirk(config, kwargs, masked):
    """Names a masked RNN call where JAX departs from TensorFlow (and from Keras' description), or None."""
    inner = config["config"].get("layer", config)["config"]
    if not masked or not inner.get("return_sequences"):
        return None
    if inner.get("unroll"):
        return "JAX ignores zero_output_for_mask when unrolled" if inner.get("zero_output_for_mask") else None
    if "initial_state" in kwargs and not inner.get("zero_output_for_mask"):
        return "JAX repeats the initial state, not zeros, before the first valid step"
    return None


def record(out, name, made):
    layer, args, kwargs, masks = made["layer"], made["args"], made["kwargs"], made["masks"]
    layer(*with_masks(args, masks), **kwargs)  # builds it
    layer.set_weights([random_weight(v) for v in layer.weights])
    if made.get("stateful"):
        layer.reset_state()
    before = layer.get_weights()
    result = layer(*with_masks(args, masks), **kwargs)
    flat = tree.flatten(result)
    outputs = [np.asarray(y) for y in flat]
    out_masks = [backend.get_keras_mask(y) for y in flat]
    out_masks = [None if m is None else np.asarray(m) for m in out_masks]
    after = layer.get_weights()
    changed = any((a != b).any() for a, b in zip(before, after))
    case = {
        "class": type(layer).__name__, "config": object_config(layer), "args": args, "kwargs": kwargs, "masks": masks,
        "supports_masking": bool(layer.supports_masking), "weight_paths": [v.path for v in layer.weights],
        "trainable": [bool(v.trainable) for v in layer.weights], "weights": before, "outputs": outputs, "output_masks": out_masks,
        "weights_after": after if changed else None,
    }  # fmt: skip
    case["quirk"] = backend_quirk(case["config"], kwargs, masks is not None or "mask" in kwargs)
    if name == "MultiHeadAttention":
        case["fused"] = not (layer.dropout > 0 or kwargs["return_attention_scores"] or len(args[0].shape) != 3)
    if made.get("stateful"):
        case["second_outputs"] = [np.asarray(y) for y in tree.flatten(layer(*with_masks(args, masks), **kwargs))]
        out.case(**case)
        return
    layer.set_weights(before)

    # Gradients of sum(output * r) for float inputs and trainable weights.
    r = [normal(*y.shape) if y.dtype.name in ("float32", "bfloat16") else None for y in outputs]
    states = kwargs.get("initial_state")
    inputs = [np.asarray(a) for a in tree.flatten([args, states] if states is not None else args)]
    floating = [i for i, a in enumerate(inputs) if a.dtype == np.float32 and name != "Embedding"]
    rest = [v.value for v in layer.non_trainable_variables]

    def objective(weights, values):
        all_values = list(inputs)
        for i, v in zip(floating, values):
            all_values[i] = v
        n = len(tree.flatten(args))
        tensors = tree.pack_sequence_as(args, [jnp.asarray(v) for v in all_values[:n]])
        for x, mask in zip(tree.flatten(tensors), masks or []):
            if mask is not None:
                backend.set_keras_mask(x, jnp.asarray(mask))
        more = dict(kwargs)
        if states is not None:
            more["initial_state"] = tree.pack_sequence_as(states, all_values[n:])
        # Not stateless_call: that runs `call` alone, which never sees the masks the tensors carry.
        with keras.StatelessScope(state_mapping=[*zip(layer.trainable_variables, weights), *zip(layer.non_trainable_variables, rest)]):
            y = layer(*tensors, **more)
        return sum(jnp.sum(a * b) for a, b in zip(tree.flatten(y), r) if b is not None)

    weights = [v.value for v in layer.trainable_variables]
    d_weights, d_inputs = jax.grad(objective, argnums=(0, 1))(weights, [jnp.asarray(inputs[i]) for i in floating])
    by_path = {id(v): np.asarray(g) for v, g in zip(layer.trainable_variables, d_weights)}
    of_input = dict(zip(floating, (np.asarray(g) for g in d_inputs)))
    out.case(
        **case, r=r, d_inputs=[of_input.get(i) for i in range(len(inputs))], d_weights=[by_path.get(id(v)) for v in layer.weights]
    )


def main(folder, only):
    out = Recording(folder, "layer_random")
    refused = collections.Counter()
    for name, generate in GENERATORS.items():
        if only and name not in only:
            continue
        done = 0
        for _ in range(200):
            if done == MORE.get(name, CASES):
                break
            keras.utils.clear_session()
            try:
                made = generate()
                record(out, name, made)
                done += 1
            except Exception as error:  # arguments Keras refuses: draw again
                refused[f"{name}: {type(error).__name__} {' '.join(str(error).split())[:160]}"] += 1
        print(name, done, flush=True)
    for text, n in refused.most_common():
        print("refused", n, text)
    out.write()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

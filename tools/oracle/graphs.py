"""Records random functional models: config, weights, inputs, outputs, output masks and (every third) gradients.

Models are valid by construction: a pool of tensors grows move by move. One seed gives one model. TensorFlow is used
here because it runs small eager models without compiling each shape.

usage: KERAS_BACKEND=tensorflow graphs.py DATA_FOLDER [COUNT]
"""

import collections
import json
import sys
import warnings

import keras
import numpy as np
import tensorflow as tf
from keras import layers as L
from keras import ops
from keras.src import backend, tree

from models import model_config
from recording import Recording

warnings.filterwarnings("ignore")
ACTIVATIONS = "relu tanh sigmoid elu selu softplus softsign gelu silu leaky_relu linear softmax mish hard_sigmoid relu6".split()
LIMIT = 400  # elements of a tensor per sample


class Rejected(Exception):
    """A move doesn't fit the tensor."""


class Random:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def pick(self, *options):
        return options[self.rng.integers(len(options))]

    def chance(self, p):
        return bool(self.rng.random() < p)

    def dim(self, low=1, high=9):
        return 1 if low == 1 and self.chance(0.1) else int(self.rng.integers(low, high + 1))


def need(condition):
    if not condition:
        raise Rejected


def rank(x):
    return len(x.shape)


def known(x):
    return all(d is not None for d in x.shape[1:])


class Graph:
    """The pool of tensors of one model and the moves that extend it."""

    def __init__(self, r, depth=0):
        self.r = r
        self.depth = depth  # of nesting
        self.pool = []
        self.used = set()  # ids of consumed tensors
        self.layers = []  # (layer, input shape) with one input, to be shared
        self.batch = 3

    # -- pool

    def add(self, x):
        need(x.dtype == "float32")
        need(int(np.prod([d or 5 for d in x.shape[1:]])) <= LIMIT)
        need(rank(x) >= 2 and all(d is None or d > 0 for d in x.shape[1:]))
        self.pool.append(x)

    def use(self, *tensors):
        for x in tensors:
            self.used.add(id(x))

    def choose(self, condition=lambda x: True):
        fitting = [x for x in self.pool if condition(x)]
        need(fitting)
        loose = [x for x in fitting if id(x) not in self.used]
        if loose and self.r.chance(0.5):
            return self.r.pick(*loose)
        recent = fitting[-6:] if self.r.chance(0.8) else fitting
        return self.r.pick(*recent)

    def apply(self, layer, x):
        """Calls a one-input layer, remembers it for sharing."""
        y = layer(x)
        need(not isinstance(y, (list, tuple)))
        self.add(y)
        self.use(x)
        self.layers.append((layer, x.shape))
        return y

    # -- moves: each picks its tensors and adds results, or raises

    def activation(self):
        return self.r.pick(None, self.r.pick(*ACTIVATIONS))

    def unary(self):
        r, x = self.r, self.choose()
        layer = r.pick(
            lambda: L.Activation(r.pick(*ACTIVATIONS)), L.Identity, lambda: L.Rescaling(r.pick(0.5, -2.0), r.pick(0.0, 1.0)),
            lambda: L.ReLU(r.pick(None, 6.0), r.pick(0.0, 0.1), r.pick(0.0, 0.5)), lambda: L.LeakyReLU(r.pick(0.3, 0.1)), lambda: L.ELU(r.pick(1.0, 0.5)),
            lambda: L.PReLU(shared_axes=[1] if x.shape[1] is None else None), lambda: L.Dropout(r.pick(0.3, 0.5)), lambda: L.GaussianNoise(0.2),
            lambda: L.BatchNormalization(momentum=r.pick(0.99, 0.9)), lambda: L.LayerNormalization(epsilon=r.pick(1e-3, 1e-5)), lambda: L.Softmax(),
        )()  # fmt: skip
        need(not (isinstance(layer, L.PReLU) and None in x.shape[2:]))
        if isinstance(layer, L.Softmax):
            need(backend.get_keras_mask(x) is None)
        self.apply(layer, x)

    def dense(self):
        arguments = {}
        if self.r.chance(0.1):
            arguments = self.r.pick({"kernel_regularizer": "l2"}, {"kernel_constraint": "max_norm"}, {"kernel_initializer": "he_normal"}, {"bias_regularizer": "l1"})
        self.apply(L.Dense(self.r.dim(), self.activation(), self.r.chance(0.85), **arguments), self.choose())

    def vector(self):
        x = self.choose(lambda x: rank(x) == 2 and known(x))
        layer = self.r.pick(lambda: L.RepeatVector(self.r.dim(2, 5)), lambda: L.Reshape((1, x.shape[1])), lambda: L.Reshape((-1, 1)), L.Flatten)()
        self.apply(layer, x)

    def sequence(self):
        r, x = self.r, self.choose(lambda x: rank(x) == 3)
        layer = r.pick(
            lambda: L.Conv1D(r.dim(), r.dim(1, 3), r.pick(1, 1, 2), r.pick("valid", "same", "causal"), activation=self.activation()),
            lambda: L.MaxPooling1D(r.dim(1, 3), r.pick(None, 1, 2), r.pick("valid", "same")), lambda: L.AveragePooling1D(r.dim(1, 3), r.pick(None, 1), r.pick("valid", "same")),
            lambda: L.GlobalAveragePooling1D(keepdims=r.chance(0.3)), lambda: L.GlobalMaxPooling1D(keepdims=r.chance(0.3)), L.Flatten,
            lambda: L.Permute((2, 1)), lambda: L.SpatialDropout1D(0.2), lambda: L.Masking(r.pick(0.0, 1.0)), lambda: L.TimeDistributed(L.Dense(r.dim(), self.activation())),
        )()  # fmt: skip
        need(known(x) or not isinstance(layer, (L.Flatten, L.Permute)))
        self.apply(layer, x)

    def recurrent_layer(self, **more):
        r = self.r
        cls = r.pick(L.LSTM, L.GRU, L.SimpleRNN)
        arguments = {"return_sequences": r.chance(0.6), "go_backwards": r.chance(0.15), **more}
        if cls is L.GRU:
            arguments["reset_after"] = r.chance(0.7)
        return cls, r.dim(1, 6), arguments

    def recurrent(self):
        r, x = self.r, self.choose(lambda x: rank(x) == 3)
        cls, units, arguments = self.recurrent_layer()
        style = r.rng.integers(4)
        if style == 0:
            arguments.pop("go_backwards")
            layer = L.Bidirectional(cls(units, **arguments), merge_mode=r.pick("concat", "concat", "sum", "mul", "ave"))
        elif style == 1:
            cells = [r.pick(L.LSTMCell, L.GRUCell, L.SimpleRNNCell)(r.dim(1, 5)) for _ in range(r.dim(1, 2))]
            layer = L.RNN(cells if len(cells) > 1 else cells[0], return_sequences=arguments["return_sequences"])
        else:
            layer = cls(units, **arguments)
        self.apply(layer, x)

    def states(self):
        """return_state: several outputs, perhaps fed as the initial state of another layer."""
        r, x = self.r, self.choose(lambda x: rank(x) == 3)
        cls, units, arguments = self.recurrent_layer(return_state=True)
        results = cls(units, **arguments)(x)
        self.use(x)
        for y in results:
            self.add(y)
        if r.chance(0.7):
            other = self.choose(lambda x: rank(x) == 3)
            states = list(results[1:])
            y = cls(units, return_sequences=r.chance(0.5))(other, initial_state=states if len(states) > 1 or r.chance(0.5) else states[0])
            self.use(other, *states)
            self.add(y)

    def image(self):
        r, x = self.r, self.choose(lambda x: rank(x) == 4)
        layer = r.pick(
            lambda: L.Conv2D(r.dim(1, 5), r.dim(1, 3), r.pick(1, 1, 2), r.pick("valid", "same"), activation=self.activation()),
            lambda: L.Conv2D(r.dim(1, 5), (r.dim(1, 3), r.dim(1, 2)), padding="same", dilation_rate=r.pick(1, 2)),
            lambda: L.DepthwiseConv2D(r.dim(1, 3), r.pick(1, 2), "same", depth_multiplier=r.dim(1, 2), activation=self.activation()),
            lambda: L.SeparableConv2D(r.dim(1, 5), r.dim(1, 3), padding=r.pick("valid", "same")),
            lambda: L.Conv2DTranspose(r.dim(1, 4), r.dim(1, 3), r.pick(1, 2), r.pick("valid", "same")),
            lambda: L.MaxPooling2D(r.dim(1, 3), r.pick(None, 1, 2), r.pick("valid", "same")),
            lambda: L.AveragePooling2D(r.dim(1, 3), r.pick(None, 1, 2), r.pick("valid", "same")),
            lambda: L.GlobalAveragePooling2D(keepdims=r.chance(0.3)), lambda: L.GlobalMaxPooling2D(), L.Flatten,
            lambda: L.ZeroPadding2D(((r.dim(0, 1), r.dim(0, 2)), (0, 1))), lambda: L.UpSampling2D(r.pick(1, 2, (1, 2)), interpolation=r.pick("nearest", "bilinear")),
            lambda: L.SpatialDropout2D(0.3), lambda: L.Permute((2, 1, 3)), lambda: L.Reshape((-1, x.shape[-1])),
            lambda: L.TimeDistributed(r.pick(L.GlobalAveragePooling1D, L.Flatten, lambda: L.Conv1D(2, 1))()),
        )()  # fmt: skip
        self.apply(layer, x)

    def merge(self):
        r, x = self.r, self.choose()
        same = [y for y in self.pool if y is not x and y.shape == x.shape]
        if not same or r.chance(0.2):
            need(x.shape[-1] is not None)
            like = [y for y in self.pool if y is not x and rank(y) == rank(x) and y.shape[:-1] == x.shape[:-1]]
            if like and r.chance(0.5):
                y = r.pick(*like)
                if r.chance(0.5):
                    self.add(L.Concatenate()([x, y] if r.chance(0.5) else [y, x]))
                    self.use(x, y)
                    return
                same = [self.apply(L.Dense(x.shape[-1], self.activation()), y)]
            else:
                same = [self.apply(L.Dense(x.shape[-1], self.activation()), x)]
        others = [r.pick(*same) for _ in range(r.pick(1, 1, 2))]
        if r.chance(0.3) and known(x):
            layer = L.Concatenate(r.pick(-1, 1))
        else:
            layer = r.pick(L.Add, L.Subtract, L.Multiply, L.Average, L.Maximum, L.Minimum)()
        if isinstance(layer, L.Subtract):
            others = others[:1]
        self.add(layer([x, *others]))
        self.use(x, *others)

    def attention(self):
        r = self.r
        x = self.choose(lambda x: rank(x) == 3 and known(x))
        values = [y for y in self.pool if rank(y) == 3 and known(y)]
        y = x if r.chance(0.3) else r.pick(*values)
        style = r.rng.integers(3)
        if style == 0:
            d = r.dim(1, 4)
            layer = L.MultiHeadAttention(r.dim(1, 3), d, value_dim=r.pick(None, d), dropout=r.pick(0.0, 0.1), use_bias=r.chance(0.7))
            if r.chance(0.2):
                out, scores = layer(x, y, return_attention_scores=True)
                self.add(out)
                self.add(scores)
            else:
                self.add(layer(x, y, use_causal_mask=r.chance(0.3)) if r.chance(0.5) else layer(x, y, y))
        elif style == 1:
            need(y.shape[-1] == x.shape[-1])
            self.add(L.Attention(use_scale=r.chance(0.5))([x, y]))
        else:
            need(y.shape[1:] == x.shape[1:])
            self.add(L.Dot(r.pick(1, 2), normalize=r.chance(0.3))([x, y]))
        self.use(x, y)

    def operator(self):
        r, x = self.r, self.choose()
        same = [y for y in self.pool if y.shape == x.shape]
        y = r.pick(*same)
        style = r.rng.integers(17)
        if style == 0:
            z = x + y
        elif style == 1:
            z = x - y
        elif style == 2:
            z = x * y
        elif style == 3:
            z = x / (ops.relu(y) + 1.5)
        elif style == 4:
            z = r.pick(lambda: x * 2.0, lambda: 1.0 - x, lambda: x + 0.5, lambda: 3 * x, lambda: x / 4.0, lambda: -x)()
        elif style == 5:
            need(rank(x) > 2 and x.shape[1] is not None and x.shape[1] > 1)
            z = r.pick(lambda: x[:, 1:], lambda: x[:, :-1], lambda: x[:, ::2], lambda: x[:, 0], lambda: x[:, -1])()
        elif style == 6:
            need(rank(x) > 2)
            z = r.pick(lambda: x[..., 0], lambda: x[..., :1], lambda: x[..., None, 0])()
        elif style == 7:
            z = ops.relu(x)
        elif style == 8:
            z = ops.concatenate([x, y], axis=r.pick(-1, rank(x) - 1))
        elif style == 9:
            need(known(x))
            n = int(np.prod(x.shape[1:]))
            a = r.pick(*[d for d in range(1, n + 1) if n % d == 0])
            z = ops.reshape(x, r.pick((-1, a, n // a), (-1, n)))
        elif style == 10:
            need(rank(x) > 2)
            z = ops.transpose(x, (0, *[int(v) + 1 for v in r.rng.permutation(rank(x) - 1)]))
        elif style == 11:
            need(rank(x) == 3 and known(x) and known(y))
            z = ops.matmul(x, ops.transpose(y, (0, 2, 1)))
        elif style == 12:
            need(rank(x) > 2)
            z = r.pick(ops.sum, ops.mean)(x, axis=r.pick(1, -1, [1, -1] if rank(x) > 3 else 1))
        elif style == 13:
            z = r.pick(ops.sum, ops.mean)(x, axis=-1, keepdims=True)
        elif style == 14:
            z = r.pick(ops.tanh, ops.sigmoid, ops.abs, ops.square, ops.sin)(x)
        elif style == 15:
            z = r.pick(ops.maximum, ops.minimum, ops.add, ops.multiply, ops.subtract)(x, y)
        else:
            z = ops.expand_dims(x, axis=r.pick(1, -1))
            need(rank(z) <= 4)
        self.add(z)
        self.use(x, y)

    def shared(self):
        """Calls a layer of the graph once more."""
        need(self.layers)
        layer, shape = self.r.pick(*self.layers)
        x = self.choose(lambda x: x.shape == shape)
        self.apply(layer, x)

    def nested(self):
        """A small model called once or twice."""
        r = self.r
        need(self.depth < 2)
        x = self.choose(known)
        style = r.rng.integers(4)
        if style == 0:
            layers = [L.Dense(r.dim(), self.activation()) for _ in range(r.dim(1, 3))]
            if r.chance(0.4):
                layers.insert(1, r.pick(L.BatchNormalization, L.ReLU, lambda: L.Dropout(0.4), L.LayerNormalization)())
            if rank(x) == 3 and r.chance(0.4):
                layers.append(L.LSTM(r.dim(1, 4), return_sequences=r.chance(0.5)))
            if r.chance(0.7):
                layers.insert(0, keras.Input(x.shape[1:]))
            model = keras.Sequential(layers)
        else:
            inner = Graph(r, self.depth + 1)
            a = keras.Input(x.shape[1:])
            inner.pool.append(a)
            second = style == 3
            if second:
                b = keras.Input(x.shape[1:])
                inner.pool.append(b)
                inner.add(L.Add()([a, b]))
            inner.grow(r.dim(1, 4))
            outputs = inner.leaves()[: r.pick(1, 1, 2)]
            if second:
                inputs = r.pick([a, b], {"p": a, "q": b})
            else:
                inputs = r.pick(a, a, [a])
            model = keras.Model(inputs, outputs if len(outputs) > 1 else outputs[0])
            if second:
                y = self.choose(lambda t: t.shape == x.shape)
                results = model(tree.pack_sequence_as(inputs, [x, y]))
                self.use(x, y)
                for z in tree.flatten(results):
                    self.add(z)
                return
        results = tree.flatten(model(x))
        self.use(x)
        for z in results:
            self.add(z)
        if r.chance(0.6):
            y = self.choose(lambda t: t.shape == x.shape)
            for z in tree.flatten(model(y)):
                self.add(z)
            self.use(y)

    MOVES = [
        ("unary", 14), ("dense", 10), ("vector", 5), ("sequence", 12), ("recurrent", 9), ("states", 4), ("image", 22), ("merge", 22),
        ("attention", 5), ("operator", 12), ("shared", 8), ("nested", 6),
    ]  # fmt: skip

    def grow(self, n):
        names = [m for m, w in self.MOVES for _ in range(w)]
        done = tries = 0
        while done < n and tries < 12 * n:
            tries += 1
            kept = len(self.pool)
            try:
                getattr(self, self.r.pick(*names))()
                done += 1
            except Rejected:
                del self.pool[kept:]
            except (ValueError, TypeError) as error:  # shapes Keras refuses
                refused[type(error).__name__ + " " + " ".join(str(error).split())[:150]] += 1
                del self.pool[kept:]

    def leaves(self):
        found = [x for x in self.pool if id(x) not in self.used]
        return found[::-1] or self.pool[-1:]


refused = collections.Counter()


def make_inputs(r, graph):
    """1 to 3 inputs of mixed kinds; ids go straight into embeddings. Returns the input tensors."""
    inputs = []
    steps = r.dim(2, 6)
    for i in range(r.pick(1, 1, 2, 2, 3)):
        name = r.pick(f"in_{i}", f"in_{i}", None)
        kind = r.pick("vector", "sequence", "image", "ids", "ids")
        t = None if r.chance(0.05) else steps if r.chance(0.6) else r.dim(1, 6)
        if kind == "ids":
            x = keras.Input((t,), dtype="int32", name=name)
            n = r.dim(2, 9)
            layer = L.Embedding(n, r.dim(1, 6), mask_zero=r.chance(0.7))
            x.vocabulary = n
            graph.add(layer(x))
            if r.chance(0.25):
                graph.add(layer(x))
        else:
            shape = {"vector": (r.dim(),), "sequence": (t, r.dim(1, 6)), "image": (r.dim(1, 7), r.dim(1, 7), r.dim(1, 4))}[kind]
            x = keras.Input(shape, name=name)
            graph.pool.append(x)
        inputs.append(x)
    return inputs


def input_value(r, x):
    shape = (3, *[5 if d is None else d for d in x.shape[1:]])
    if x.dtype == "int32":
        ids = r.rng.integers(1, x.vocabulary, shape)
        for row, length in enumerate(r.rng.integers(1, shape[1] + 1, (3,))):
            ids[row, length:] = 0
        if r.chance(0.3):
            ids[r.rng.random(shape) < 0.3] = 0
        return ids.astype("int32")
    value = r.rng.normal(size=shape).astype("float32")
    if len(shape) == 3 and r.chance(0.5):
        value[r.rng.random(shape[:2]) < 0.3] = r.pick(0.0, 1.0)  # something for Masking to find
    return value


def random_weight(r, v):
    shape = tuple(v.shape)
    if "variance" in v.path or "gamma" in v.path:
        return r.rng.uniform(0.5, 2 if "variance" in v.path else 1.5, shape).astype("float32")
    fan_in = max(1, int(np.prod(shape[:-1])) if len(shape) > 1 else 4)
    return (r.rng.normal(size=shape) / np.sqrt(fan_in)).astype("float32")


def build(r):
    graph = Graph(r)
    inputs = make_inputs(r, graph)
    graph.grow(r.dim(3, 25))
    outputs = graph.leaves()[: r.dim(1, 6)]
    if r.chance(0.25):
        outputs.append(r.pick(*graph.pool))  # an intermediate one
    if r.chance(0.08):
        outputs.append(outputs[0])  # the same twice
    # Only inputs that are reached, now and then an unused one as well.
    reached = set()

    def visit(x):
        operation, node, _ = x._keras_history
        if not operation._inbound_nodes[node].is_input:
            for parent in operation._inbound_nodes[node].input_tensors:
                if id(parent) not in reached:
                    reached.add(id(parent))
                    visit(parent)

    for x in outputs:
        reached.add(id(x))
        visit(x)
    kept = [x for x in inputs if id(x) in reached or r.chance(0.15)]
    need(any(id(x) in reached for x in kept))
    if r.chance(0.2) and len(kept) > 1:
        kept = kept[::-1]
    if r.chance(0.2):
        structure = {f"{k}{i}": x for i, (k, x) in enumerate(zip(("b", "a", "c"), kept))}
    else:
        structure = kept if len(kept) > 1 or r.chance(0.2) else kept[0]
    if r.chance(0.2):
        result = {f"{k}{i}": x for i, (k, x) in enumerate(zip("zyxwvuts", outputs))}
    else:
        result = outputs if len(outputs) > 1 or r.chance(0.1) else outputs[0]
    return keras.Model(structure, result), structure, kept


def wrong_on_tensorflow(config):
    """Whether a config holds attention with several heads of size 1, which Keras' TensorFlow einsum gets wrong."""
    if isinstance(config, dict):
        if config.get("class_name") == "MultiHeadAttention" and config["config"]["num_heads"] > 1 and config["config"]["key_dim"] == 1:
            return True
        return any(wrong_on_tensorflow(v) for v in config.values())
    return isinstance(config, list) and any(wrong_on_tensorflow(v) for v in config)


def make_case(seed):
    """One model, or None when its numbers are unsuited."""
    r = Random(seed)
    keras.utils.clear_session()
    model, structure, kept = build(r)
    need(3 <= len(model.operations) <= 60)
    model.set_weights([random_weight(r, v) for v in model.weights])
    values = {id(x): input_value(r, x) for x in kept}
    feed = tree.map_structure(lambda x: values[id(x)], structure)
    flat = tree.flatten(model(feed, training=False))
    outputs = [y.numpy() for y in flat]
    need(all(np.isfinite(y).all() and np.abs(y).max(initial=0) < 1e4 for y in outputs))
    masks = [backend.get_keras_mask(y) for y in flat]
    config = model_config(model)
    need(not wrong_on_tensorflow(config))
    case = {
        "seed": seed, "config": config, "layers": [l.name for l in model.layers], "operations": [o.name for o in model.operations],
        "output_names": list(model.output_names), "weight_paths": [v.path for v in model.weights], "trainable": [bool(v.trainable) for v in model.weights],
        "weights": model.get_weights(),
        "inputs": [{"name": x._keras_history.operation.name, "tensor_name": x.name, "value": values[id(x)]} for x in model.inputs],
        "outputs": outputs, "output_masks": [None if m is None else m.numpy() for m in masks],
    }  # fmt: skip
    if seed % 3 == 0:
        rs = [r.rng.normal(size=y.shape).astype("float32") for y in outputs]
        with tf.GradientTape() as tape:
            total = sum(tf.reduce_sum(a * b) for a, b in zip(tree.flatten(model(feed, training=False)), rs))
        gradients = tape.gradient(total, [v.value for v in model.trainable_weights], unconnected_gradients="zero")
        of = {id(v): tf.convert_to_tensor(g).numpy() for v, g in zip(model.trainable_weights, gradients)}
        need(all(np.isfinite(g).all() for g in of.values()))
        case |= {"r": rs, "d_weights": [of.get(id(v)) for v in model.weights]}
    case["reloads"] = reloads(config, model.get_weights(), feed, outputs, seed)
    return case


def reloads(config, weights, feed, outputs, seed):
    """Whether Keras itself gets the same outputs from its config."""
    try:
        keras.utils.clear_session()
        again = keras.saving.deserialize_keras_object(json.loads(json.dumps(config)))
        again.set_weights(weights)
        got = [y.numpy() for y in tree.flatten(again(feed, training=False))]
        return all(np.allclose(a, b, atol=1e-5) for a, b in zip(got, outputs))
    except Exception as error:
        print("seed", seed, "doesn't reload:", " ".join(str(error).split())[:200])
        return False


def class_counts(config, counts):
    if isinstance(config, dict):
        if "class_name" in config and "inbound_nodes" in config:
            counts[config["class_name"]] += 1
        for v in config.values():
            class_counts(v, counts)
    elif isinstance(config, list):
        for v in config:
            class_counts(v, counts)


def main(folder, count):
    out = Recording(folder, "graphs")
    counts = collections.Counter()
    seed = 0
    while len(out.lines) < count:
        try:
            case = make_case(seed)
            out.case(**case)
            class_counts(case["config"], counts)
        except Rejected:
            pass
        except Exception as error:
            refused[f"model: {type(error).__name__} {' '.join(str(error).split())[:150]}"] += 1
        seed += 1
        if seed % 50 == 0:
            print(seed, len(out.lines), flush=True)
    for text, n in refused.most_common(12):
        print("refused", n, text)
    print(dict(counts.most_common()))
    out.write()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 400)

"""Random models that are hard to name the tensors of: nested Functionals and Sequentials that are called several times, inside and
outside of other models, cut out of larger graphs, with outputs in lists and dicts. `model(seed)` gives one; its layers are small Dense,
so that every tensor fits every other.
"""

import keras
import numpy as np

L = keras.layers
WIDTH = 3


class Maker:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.count = 0
        self.callables = []  # of one tensor to one tensor, used again now and then

    def chance(self, p):
        return bool(self.rng.random() < p)

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def name(self, kind):
        self.count += 1
        return f"{kind}{self.count}"

    def dense(self):
        return L.Dense(WIDTH, activation=self.pick(["tanh", "relu", "linear"]), name=self.name("d"))

    def sequential(self, depth):
        built = self.chance(0.6)
        items = [keras.Input((WIDTH,), name=self.name("i"))] if built else []
        items += [self.single(depth - 1) if depth > 1 and self.chance(0.4) else self.dense() for _ in range(1 + self.rng.integers(3))]
        return keras.Sequential(items, name=self.name("s"))

    def structure(self, tensors):
        """One tensor, a list of one or several, a dict, or lists inside a list."""
        kind = self.rng.random()
        if len(tensors) == 1:
            return tensors[0] if kind < 0.6 else tensors if kind < 0.8 else {self.name("k"): tensors[0]}
        if kind < 0.6:
            return tensors
        if kind < 0.8:
            return {self.name("k"): t for t in tensors}
        return [tensors[0], tensors[1:]]

    def functional(self, depth, one=False):
        """A model; with `one`, of one tensor to one tensor."""
        inputs = [keras.Input((WIDTH,), name=self.name("i")) for _ in range(1 if one or self.chance(0.6) else 2)]
        pool = list(inputs)
        for _ in range(2 + self.rng.integers(4)):
            pool += self.move(pool, depth)
        rest = pool[len(inputs):]
        outputs = [rest[-1]] if one else [self.pick(rest[-4:]) for _ in range(1 + self.rng.integers(3))]
        if not one and self.chance(0.1):
            outputs.append(inputs[0])
        outputs = list({id(t): t for t in outputs}.values())
        joined = inputs if len(inputs) > 1 or (not one and self.chance(0.2)) else inputs[0]
        return keras.Model(joined, outputs[0] if one else self.structure(outputs), name=self.name("m"))

    def single(self, depth):
        kind = self.rng.random()
        made = self.sequential(depth) if kind < 0.3 else self.functional(depth, one=True) if kind < 0.7 else self.dense()
        self.callables.append(made)
        return made

    def move(self, pool, depth):
        kind = self.rng.random()
        x = self.pick(pool)
        if kind < 0.25 and self.callables:
            return [self.pick(self.callables)(x)]  # shared, also across models
        if kind < 0.5 and depth > 0:
            inner = self.functional(depth - 1)
            times = 1 + int(self.rng.integers(2))
            out = []
            for _ in range(times):
                feed = [self.pick(pool) for _ in inner.inputs]
                out += keras.tree.flatten(inner(keras.tree.pack_sequence_as(inner._inputs_struct, feed)))
            return out
        if kind < 0.7 and depth > 0:
            return [self.single(depth - 1)(x)]
        if kind < 0.85 and len(pool) > 1:
            return [L.Add(name=self.name("a"))([x, self.pick(pool)])]
        layer = self.dense()
        self.callables.append(layer)
        return [layer(x)]


def model(seed):
    """The model and, now and then, only a part of it: calls of its layers are then left outside."""
    made = Maker(seed)
    whole = made.functional(depth=3)
    if made.chance(0.3):
        inner = [t for layer in whole.layers[1:] for t in keras.tree.flatten(layer.output)] if all(len(layer._inbound_nodes) == 1 for layer in whole.layers) else []
        if inner:
            whole = keras.Model(whole.inputs, made.pick(inner), name="part")
    for v in whole.weights:
        v.assign(np.random.default_rng(len(v.path)).normal(0, 0.5, v.shape))
    return whole

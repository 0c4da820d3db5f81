"""Records in which order functional models run their nodes: random graphs with shared layers, nested models and tensors
in keyword arguments. One seed gives one model.

usage: orders.py DATA_FOLDER [COUNT]
"""

import sys
import warnings

import keras
import numpy as np
from keras import layers as L

from models import model_config
from recording import Recording

warnings.filterwarnings("ignore")
WIDTH = 4


class Maker:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def some(self, pool):
        """Mostly recent tensors, so that graphs get deep."""
        recent = pool[-4:] if self.rng.random() < 0.6 else pool
        return recent[self.rng.integers(len(recent))]

    def layer(self, shared):
        """A new one-input layer, or one that was called before."""
        if shared and self.rng.random() < 0.45:
            return shared[self.rng.integers(len(shared))]
        new = [lambda: L.Dense(WIDTH), lambda: L.BatchNormalization(), lambda: L.Dropout(0.1), lambda: L.Activation("tanh")]
        shared.append(new[self.rng.integers(len(new))]())
        return shared[-1]

    def attend(self, a, b):
        q, v = L.Reshape((2, 2))(a), L.Reshape((2, 2))(b)
        y = L.MultiHeadAttention(1, 2)(q, value=v) if self.rng.random() < 0.5 else L.MultiHeadAttention(1, 2)(q, v)
        return L.Reshape((WIDTH,))(y)

    def model(self, depth):
        inputs = [keras.Input((WIDTH,)) for _ in range(self.rng.integers(1, 4))]
        pool, shared, inner = list(inputs), [], []
        for _ in range(self.rng.integers(4, 16)):
            move = self.rng.random()
            if move < 0.45:
                pool.append(self.layer(shared)(self.some(pool)))
            elif move < 0.6:
                pool.append(L.Add()([self.some(pool) for _ in range(self.rng.integers(2, 4))]))
            elif move < 0.7:
                pool.append(self.some(pool) - self.some(pool))
            elif move < 0.78:
                pool.append(L.Dense(WIDTH)(L.Concatenate()([self.some(pool), self.some(pool)])))
            elif move < 0.85:
                pool.append(self.attend(self.some(pool), self.some(pool)))
            elif depth < 2:
                if not inner or self.rng.random() < 0.4:
                    inner.append(self.model(depth + 1))
                called = inner[self.rng.integers(len(inner))]
                y = called([self.some(pool) for _ in called.inputs] if len(called.inputs) > 1 else self.some(pool))
                pool.extend(y if isinstance(y, list) else [y])
        made = pool[len(inputs):] or [L.Dense(WIDTH)(pool[0])]
        count = min(len(made), int(self.rng.integers(1, 4)))
        # The last one, so that the model is deep, and others in any order.
        chosen = [made[-1]] + [made[i] for i in self.rng.permutation(len(made) - 1)[: count - 1]]
        outputs = [chosen[i] for i in self.rng.permutation(len(chosen))]
        return keras.Model(inputs, outputs if len(outputs) > 1 else outputs[0])


def order(model):
    """[operation, number of the call] of each node as it runs, without inputs."""
    ran = []

    def called(operation, *args, **kwargs):
        ran.append(operation.name)
        return [None] * len(keras.tree.flatten(operation.output))

    model._run_through_graph([None] * len(model.inputs), call_fn=called)
    own = {node for nodes in model._nodes_by_depth.values() for node in nodes}
    nodes = [n for depth in sorted(model._nodes_by_depth, reverse=True) for n in model._nodes_by_depth[depth] if not n.is_input]
    assert [n.operation.name for n in nodes] == ran
    number = lambda n: [m for m in n.operation._inbound_nodes if m in own].index(n)
    return [[n.operation.name, number(n)] for n in nodes]


def orders(model):
    """Of the model and of every model inside, by name."""
    out = {model.name: order(model)}
    for layer in model.layers:
        if isinstance(layer, keras.Model):
            out |= orders(layer)
    return out


def lean(config):
    """Without what says nothing about the order and can be left out of a file: initializers, penalties, policies."""
    if isinstance(config, list):
        return [lean(item) for item in config]
    if not isinstance(config, dict):
        return config
    left_out = ("build_config", "_initializer", "_regularizer", "_constraint")
    policy = lambda key, value: key == "dtype" and isinstance(value, dict)
    return {k: lean(v) for k, v in config.items() if not k.endswith(left_out) and not policy(k, v)}


def main():
    recording = Recording(sys.argv[1], "orders")
    for seed in range(int(sys.argv[2]) if len(sys.argv) > 2 else 260):
        keras.backend.clear_session()
        model = Maker(seed).model(0)
        reloaded = keras.Model.from_config(model.get_config())
        found = orders(model)
        assert orders(reloaded) == found
        recording.case(seed=seed, config=lean(model_config(model)), orders=found)
    recording.write()


main()

"""Models of one layer each, from the recorded layer cases of tests/data."""

import json
import os

import keras
import ml_dtypes  # noqa: F401  (makes NumPy know bfloat16)
import numpy as np

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "data")
LAYER_RECORDINGS = ["layer_cases", "layer_random", "layer_more", "layer_attention"]


def recorded(name):
    """The cases of a recording, each with the function that reads its arrays."""
    blob = open(os.path.join(DATA, name + ".bin"), "rb").read()

    def array(ref):
        dtype = np.dtype(ref["dtype"])
        size = int(np.prod(ref["shape"], dtype=np.int64))
        return np.frombuffer(blob, dtype, size, ref["offset"]).reshape(ref["shape"])

    for line in open(os.path.join(DATA, name + ".jsonl")):
        yield json.loads(line), array


class Inputs:
    """Turns arrays into inputs of a model, wherever they stand in the arguments of a call."""

    def __init__(self, array, whole_batch):
        self.array, self.whole_batch = array, whole_batch
        self.tensors, self.values = [], []

    def __call__(self, given):
        if isinstance(given, dict) and "offset" in given:
            value = self.array(given)
            if self.values and value.shape[:1] != self.values[0].shape[:1]:  # a mask of Softmax without the batch in front
                value = np.broadcast_to(value, self.values[0].shape)
            shape = value.shape if self.whole_batch or value.ndim == 0 else (None, *value.shape[1:])
            self.tensors.append(keras.Input(batch_shape=shape, dtype=value.dtype.name, name=f"in_{len(self.values)}"))
            self.values.append(value)
            return self.tensors[-1]
        return [self(item) for item in given] if isinstance(given, list) else given


def layer_model(case, array):
    """The model of one case, with its weights, and the inputs to call it with."""
    layer = keras.saving.deserialize_keras_object(case["config"])
    inputs = Inputs(array, case["config"]["config"].get("stateful", False))
    if "args" in case:
        args, kwargs = [inputs(a) for a in case["args"]], {k: inputs(v) for k, v in case["kwargs"].items()}
    else:
        names, tensors = case["inputs"], inputs(case["in"])
        args, kwargs = ([tensors[0]] if names == [""] else [tensors] if names[0] == "0" else []), {}
        if not args:
            kwargs = dict(zip(names, tensors, strict=True))
    kwargs.pop("training", None)  # a file is asked for predictions
    outputs = layer(*args, **{k: v for k, v in kwargs.items() if v is not None})
    model = keras.Model(inputs.tensors[0] if len(inputs.tensors) == 1 else inputs.tensors, outputs, name="around")
    for variable, value in zip(layer.weights, case["weights"], strict=True):
        variable.assign(array(value))
    return model, inputs.values

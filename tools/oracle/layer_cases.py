"""Converts the layer cases recorded from Keras' own tests (layer_cases.jsonl and .npz) into a recording.

usage: layer_cases.py SOURCE_FOLDER DATA_FOLDER
"""

import json
import os
import sys

import numpy as np

from recording import DTYPES, Recording

CLASSES = set(
    """Dense Embedding Masking Identity Rescaling Activation Softmax ReLU LeakyReLU ELU PReLU Dropout SpatialDropout1D
    SpatialDropout2D GaussianNoise Flatten Reshape Permute RepeatVector Add Subtract Multiply Average Maximum Minimum
    Concatenate Dot Conv1D Conv2D DepthwiseConv2D SeparableConv2D Conv2DTranspose MaxPooling1D MaxPooling2D
    AveragePooling1D AveragePooling2D GlobalMaxPooling1D GlobalMaxPooling2D GlobalAveragePooling1D
    GlobalAveragePooling2D ZeroPadding2D UpSampling2D BatchNormalization LayerNormalization SimpleRNN LSTM GRU RNN
    Bidirectional TimeDistributed Attention MultiHeadAttention""".split()
)

# Rows that agree only with the generator or kernel they were recorded with.
EXCLUDED = {
    164, 167, 203, 208, 209, 210, 212, 213, 214, 216, 217, 218, 226, 227, 228, 231, 234, 271, 410,
    235, 236, 239, 240, 243, 244, 222, 223, 156, 157, 153,
}  # fmt: skip

# The rows that expect an argument error have no config: these are the arguments their message speaks of.
ERROR_ARGUMENTS = {
    131: {"max_value": -10},
    133: {"negative_slope": None},
    338: {"dims": [1, 4, 2]},
    339: {"dims": [0, 1, 2]},
}


def foreign(config):
    """Whether a serialized object holds a class that is not part of Keras (a helper of the tests)."""
    if isinstance(config, dict):
        if "class_name" in config and config.get("registered_name") and ">" in config["registered_name"]:
            return True
        module = config.get("module")
        if module and module.endswith("_test"):
            return True
        return any(foreign(v) for v in config.values())
    return isinstance(config, list) and any(foreign(v) for v in config)


def main(source, target):
    arrays = np.load(os.path.join(source, "layer_cases.npz"))
    names = set(arrays.files)
    out = Recording(target, "layer_cases")
    with open(os.path.join(source, "layer_cases.jsonl"), encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    for row in rows:
        number, cls = row["id"], row["class"].removeprefix("keras.layers.")
        test = row["test"].removeprefix("keras.src.layers.")
        if cls not in CLASSES or number in EXCLUDED:
            continue
        if number in ERROR_ARGUMENTS:
            config = {"module": "keras.layers", "class_name": cls, "config": ERROR_ARGUMENTS[number], "registered_name": None}
            out.case(id=number, test=test, **{"class": cls}, config=config, error=row["err"])
            continue
        if row["status"] != "ok" or row["max_diff"] != 0 or f"{number}/out/0" not in names or foreign(row["config"]):
            continue
        inputs = [arrays[f"{number}/in/{i}"] for i in range(len(row["inputs"]))]
        weights = [arrays[f"{number}/w/{i}"] for i in range(len(row["weights"]))]
        result = arrays[f"{number}/out/0"]
        if not {a.dtype.name for a in [*inputs, *weights, result]} <= DTYPES:
            continue
        out.case(
            id=number, test=test, **{"class": cls}, config=row["config"], call_kwargs=row["call_kwargs"],
            inputs=row["inputs"], **{"in": inputs}, weights=weights, weight_paths=[w[0] for w in row["weights"]],
            out=result,
        )  # fmt: skip
    out.write()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

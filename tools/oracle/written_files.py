"""Records the models of written_cases.py as Keras saves them, with data and results.

usage: written_files.py DATA_FOLDER

written/NAME.keras is what Keras saved (packed again with compression), written.jsonl holds for each inputs, targets, predictions and, where
the model is compiled, what `evaluate` gives.
"""

import os
import sys

os.environ["KERAS_BACKEND"] = "jax"

import keras  # noqa: E402
import numpy as np  # noqa: E402

import written_cases as cases  # noqa: E402
from recording import Recording  # noqa: E402
from resume_files import save  # noqa: E402

ROWS = 6


def data(tensor, rng):
    shape = (ROWS, *(2 if d is None else d for d in tensor.shape[1:]))
    return rng.integers(0, 7, shape).astype("int32") if tensor.dtype == "int32" else rng.normal(0, 1, shape).astype("float32")


def main(folder):
    out = Recording(folder, "written")
    os.makedirs(os.path.join(folder, "written"), exist_ok=True)
    for name, make in cases.CASES.items():
        keras.utils.clear_session()
        rng = np.random.default_rng(len(name))
        model = make()
        model.set_weights([rng.normal(0, 0.5, w.shape).astype("float32") for w in model.get_weights()])
        save(model, os.path.join(folder, "written", name + ".keras"))
        x = [data(t, rng) for t in model.inputs]
        feed = x if len(x) > 1 else x[0]
        predictions = [np.asarray(y) for y in keras.tree.flatten(model(feed, training=False))]
        y, logs = None, None
        if model.compiled and name not in cases.UNKNOWN:
            y = [rng.uniform(0, 1, p.shape).astype("float32") for p in predictions]
            packed = keras.tree.pack_sequence_as(model._outputs_struct, y)
            logs = model.evaluate(feed, packed, batch_size=ROWS, verbose=0, return_dict=True)
        out.case(file=name, unknown=cases.UNKNOWN.get(name), x=x, predictions=predictions, y=y, logs=logs)
    out.write()


if __name__ == "__main__":
    main(sys.argv[1])

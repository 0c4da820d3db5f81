"""Records layers under the policy mixed_bfloat16, in the format of layer_random, and each once more in float32.

The distance of the two says what rounding to 8 bits of mantissa does to a call: the measure of a test's tolerance.

usage: brain_layers.py DATA_FOLDER [CLASS...]
"""

import json
import sys

import keras

import layer_attention
import layer_more
import layer_random
from layer_random import record, rng
from recording import Recording

CASES = 1
GENERATORS = {
    **layer_random.GENERATORS, **layer_more.GENERATORS,
    "EinsumDense": layer_attention.einsum_dense, "AdditiveAttention": layer_attention.additive_attention,
}  # fmt: skip
RESULTS = ["outputs", "weights_after", "d_inputs", "d_weights"]


class Collector:
    """Takes a case instead of writing it."""

    def case(self, **fields):
        self.fields = fields


def collect(name, made, state):
    rng.bit_generator.state = state  # the same weights and seeds of the gradient
    collector = Collector()
    record(collector, name, made)
    return collector.fields


def both(name, made):
    state = rng.bit_generator.state
    case = collect(name, made, state)
    if case["quirk"] or "sparsemax" in json.dumps(case["config"]):
        raise ValueError("a case in which Keras is not the measure")
    config = json.loads(json.dumps(case["config"]).replace("mixed_bfloat16", "float32"))
    keras.utils.clear_session()
    twin = collect(name, {**made, "layer": keras.saving.deserialize_keras_object(config)}, state)
    return {**case, "float32": {key: twin[key] for key in RESULTS}}


def main(folder, only):
    out = Recording(folder, "brain_layers")
    keras.config.set_dtype_policy("mixed_bfloat16")
    for name, generate in GENERATORS.items():
        if name == "stateful" or (only and name not in only):
            continue
        done, tries = 0, 0
        while done < CASES and tries < 30:
            keras.utils.clear_session()
            tries += 1
            try:
                out.case(**both(name, generate()))
                done += 1
            except Exception as error:  # arguments Keras refuses: draw again
                print("refused", name, type(error).__name__, " ".join(str(error).split())[:160])
        print(name, done, flush=True)
        out.write()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

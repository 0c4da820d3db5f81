"""Records EinsumDense and AdditiveAttention in the format of layer_random.

usage: layer_attention.py DATA_FOLDER
"""

import sys

import keras
from keras import layers as L

import layer_random
from layer_random import call, chance, dim, dims, extras, normal, pick, record, step_mask
from recording import Recording


def einsum_dense():
    b, s, d, u, v = dims(5, 1, 5)
    more = dims(pick(1, 2), 1, 4)
    equation, shape, bias, x = pick(
        ("ab,bc->ac", u, "c", normal(b, d)),
        ("abc,cd->abd", (None, u), pick("d", "bd"), normal(b, s, d)),
        ("abc,cde->abde", (s, u, v), pick("e", "de", "bd"), normal(b, s, d)),
        ("abcd,cde->abe", (None, u), "e", normal(b, s, d, v)),
        ("abc,bcd->abd", (s, u), "bd", normal(b, s, d)),
        ("abc,dc->adb", (u, None), pick("d", "db"), normal(b, s, d)),
        ("...x,xy->...y", u, "y", normal(b, *more, d)),
        ("...xy,yz->...xz", (None, u), pick("z", "xz"), normal(b, *more, d, v)),
        ("ab...,bc->ac...", u, "c", normal(b, d, *more)),
    )
    activation = pick(None, None, "relu", "tanh")
    return call(L.EinsumDense(equation, shape, activation, pick(None, bias, bias), **extras("kernel", "bias")), x)


def additive_attention():
    b, tq, tv, d = dim(1, 3), dim(), dim(), dim(1, 5)
    arrays = [normal(b, tq, d), normal(b, tv, d)]
    if chance(0.4):
        arrays = [arrays[0], normal(b, tv, dim(1, 5)), normal(b, tv, d)]
    masks = None
    if chance(0.6):
        masks = [step_mask(b, tq), step_mask(b, tv)] + [None] * (len(arrays) - 2)
    layer = L.AdditiveAttention(chance(0.7), pick(0.0, 0.2))
    return call(layer, arrays, masks=masks, training=False, return_attention_scores=chance(0.3), use_causal_mask=chance(0.3))


def main(folder):
    out = Recording(folder, "layer_attention")
    for name, generate in {"EinsumDense": einsum_dense, "AdditiveAttention": additive_attention}.items():
        done, tries = 0, 0
        while done < layer_random.CASES and tries < 200:
            keras.utils.clear_session()
            tries += 1
            try:
                record(out, name, generate())
                done += 1
            except Exception as error:  # arguments Keras refuses: draw again
                print("refused", name, type(error).__name__, " ".join(str(error).split())[:200])
        print(name, done, flush=True)
    out.write()


if __name__ == "__main__":
    main(sys.argv[1])

"""Records the layers beyond Functional models' daily bread in the format of layer_random: 1D relatives, cropping, rarer normalizations.

usage: layer_more.py DATA_FOLDER
"""

import sys

import keras
from keras import layers as L

import layer_random
from layer_random import activation, call, chance, dim, dims, extras, formats, image, int_or_tuple, line, normal, passing, pick, record
from recording import Recording


def strides_and_dilation():
    return (1, dim(1, 3)) if chance(0.3) else (dim(1, 3), 1)


def depthwise_conv():
    data_format = formats()
    s, dilation = strides_and_dilation()
    layer = L.DepthwiseConv1D(dim(1, 4), s, pick("valid", "same"), dim(1, 3), data_format, dilation, activation(), chance(0.8), **extras("depthwise", "bias"))
    return call(layer, line(None, 1, data_format))


def separable_conv():
    data_format = formats()
    s, dilation = strides_and_dilation()
    layer = L.SeparableConv1D(
        dim(1, 5), dim(1, 4), s, pick("valid", "same"), data_format, dilation, dim(1, 3), activation(), chance(0.8),
        **extras("depthwise", "pointwise", "bias"),
    )  # fmt: skip
    return call(layer, line(None, 1, data_format))


def conv_transpose():
    data_format = formats()
    s, dilation = strides_and_dilation()
    output_padding = dim(0, s - 1) if chance(0.3) else None
    layer = L.Conv1DTranspose(
        dim(1, 4), dim(1, 4), s, pick("valid", "same"), output_padding, data_format, dilation, activation=activation(), use_bias=chance(0.8),
        **extras("kernel", "bias"),
    )  # fmt: skip
    return call(layer, line(None, 1, data_format))


def zero_padding():
    data_format = formats()
    return call(L.ZeroPadding1D(pick(0, dim(0, 3), dims(2, 0, 3)), data_format), line(None, 1, data_format))


def cropping_2d():
    data_format = formats()
    cropping = pick(0, 1, dims(2, 0, 2), (dims(2, 0, 2), dims(2, 0, 2)))
    return call(L.Cropping2D(cropping, data_format), image(None, 3, data_format))


def group_normalization():
    groups = dim(1, 3)
    shape = list(dims(pick(2, 3, 4)))
    axis = pick(-1, -1, 1, len(shape) - 1)
    shape[axis] = groups * dim(1, 3)
    layer = L.GroupNormalization(pick(groups, -1), axis, pick(1e-3, 1e-5), chance(0.8), chance(0.8), **extras("gamma", "beta"))
    return call(layer, normal(*shape) * 3)


def unit_normalization():
    shape = dims(pick(2, 3, 4))
    return call(L.UnitNormalization(pick(-1, 1, [1, -1] if len(shape) > 2 else -1)), normal(*shape))


GENERATORS = {
    "ZeroPadding1D": zero_padding, "Cropping1D": lambda: call(L.Cropping1D(pick(0, 1, dims(2, 0, 2))), line(None, 3)), "Cropping2D": cropping_2d,
    "UpSampling1D": lambda: call(L.UpSampling1D(dim(1, 3)), line()), "DepthwiseConv1D": depthwise_conv, "SeparableConv1D": separable_conv,
    "Conv1DTranspose": conv_transpose, "GroupNormalization": group_normalization, "UnitNormalization": unit_normalization,
    "AlphaDropout": passing(lambda: L.AlphaDropout(pick(0.0, 0.4))), "GaussianDropout": passing(lambda: L.GaussianDropout(pick(0.0, 0.4))),
    "ActivityRegularization": passing(lambda: L.ActivityRegularization(pick(0.0, 0.1), pick(0.0, 0.2))),
}  # fmt: skip


def main(folder):
    out = Recording(folder, "layer_more")
    for name, generate in GENERATORS.items():
        done, tries = 0, 0
        while done < layer_random.CASES and tries < 200:
            keras.utils.clear_session()
            tries += 1
            try:
                record(out, name, generate())
                done += 1
            except Exception as error:  # arguments Keras refuses: draw again
                print("refused", name, type(error).__name__, " ".join(str(error).split())[:120])
        print(name, done, flush=True)
    out.write()


if __name__ == "__main__":
    main(sys.argv[1])

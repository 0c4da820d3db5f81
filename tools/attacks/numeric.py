"""Class B: numbers that no layer can have, and shapes that do not fit or that no memory holds."""

from building import changed, functional, input_layer, layer, obj, one, sequential

AT = "/config/layers/1"
BIG, HUGE = 2**31, 2**40
IMAGE, SERIES = (None, 8, 8, 4), (None, 8, 4)


def units():
    yield "dense_units_2_31", one("Dense", units=BIG), "memory"
    for what, value in [("negative", -1), ("zero", 0), ("above_2_31", BIG + 1), ("2_63", 2**63 - 1), ("1e308", 1e308), ("text", "12"), ("true", True), ("null", None), ("a_list", [3]), ("a_fraction", 3.5)]:
        yield f"dense_units_{what}", one("Dense", units=value), "units"
    for what, value in [("negative", -1), ("zero", 0), ("2_40", HUGE), ("text", "a")]:
        yield f"lstm_units_{what}", one("LSTM", SERIES, units=value), "units"
        yield f"conv_filters_{what}", one("Conv2D", IMAGE, filters=value, kernel_size=[2, 2]), "filters"
        yield f"embedding_input_dim_{what}", one("Embedding", (None, 2), input_dim=value, output_dim=8), "input_dim"
        yield f"embedding_output_dim_{what}", one("Embedding", (None, 2), input_dim=8, output_dim=value), "output_dim"
    yield "dense_units_missing", one("Dense"), "units"
    yield "dense_weights_of_a_terabyte", functional(input_layer((None, BIG - 1)), layer("Dense", units=BIG - 1)), "memory"
    yield "dense_weights_of_4_gigabytes", one("Dense", units=10**9), "memory"
    yield "many_dense_weights", sequential(*[layer("Dense", f"d{i}", units=40_000_000) for i in range(60)]), "memory"
    yield "embedding_of_a_terabyte", one("Embedding", (None, 2), input_dim=BIG - 1, output_dim=BIG - 1), "memory"
    yield "einsum_weights_of_a_terabyte", one("EinsumDense", equation="ab,bc->ac", output_shape=[BIG - 1]), "memory"
    yield "attention_of_a_terabyte", functional(input_layer(SERIES), attention(num_heads=BIG - 1, key_dim=BIG - 1)), "memory"


def attention(**config):
    entry = layer("MultiHeadAttention", **config)
    entry["inbound_nodes"][0]["args"] *= 2
    return entry


def windows():
    good = dict(filters=2, kernel_size=[2, 2])
    for key, word in [("kernel_size", "kernel_size"), ("strides", "strides"), ("dilation_rate", "dilation_rate")]:
        for what, value in [("zero", [0, 0]), ("negative", [-1, 1]), ("three", [1, 1, 1]), ("empty", []), ("text", "2"), ("2_40", [HUGE, HUGE])]:
            yield f"conv_{key}_{what}", one("Conv2D", IMAGE, **{**good, key: value}), word
    yield "conv_strides_and_dilation", one("Conv2D", IMAGE, **good, strides=[2, 2], dilation_rate=[2, 2]), "dilation"
    yield "conv_groups_zero", one("Conv2D", IMAGE, **good, groups=0), "groups"
    yield "conv_groups_do_not_divide", one("Conv2D", IMAGE, **good, groups=3), "groups"
    yield "conv_groups_do_not_divide_the_filters", one("Conv2D", IMAGE, filters=6, kernel_size=[2, 2], groups=4), "groups"
    yield "conv_padding_foo", one("Conv2D", IMAGE, **good, padding="foo"), "foo"
    yield "conv_padding_number", one("Conv2D", IMAGE, **good, padding=3), ""
    yield "conv_causal_in_two_dimensions", one("Conv2D", IMAGE, **good, padding="causal"), "causal"
    yield "conv_data_format_foo", one("Conv2D", IMAGE, **good, data_format="foo"), "foo"
    yield "conv_kernel_larger_than_input", one("Conv2D", IMAGE, filters=2, kernel_size=[9, 9]), ""
    yield "conv_of_rank_two", one("Conv2D", (None, 4), **good), ""
    yield "conv_of_open_channels", one("Conv2D", (None, 8, 8, None), **good), ""
    yield "depth_multiplier_zero", one("DepthwiseConv2D", IMAGE, kernel_size=[2, 2], depth_multiplier=0), "depth_multiplier"
    for name, shape in ("MaxPooling2D", IMAGE), ("AveragePooling1D", SERIES):
        n = 2 if "2D" in name else 1
        for what, value in [("zero", [0] * n), ("negative", [-1] * n), ("larger_than_input", [9] * n), ("2_40", [HUGE] * n)]:
            yield f"{name}_pool_{what}", one(name, shape, pool_size=value), ""
        yield f"{name}_strides_zero", one(name, shape, pool_size=[2] * n, strides=[0] * n), "strides"


def shapes():
    for what, value in [("two_open", [-1, -1]), ("of_minus_two", [-2, 2]), ("of_another_size", [5]), ("zero", [0]), ("of_2_32_squared", [2**32, 2**32]), ("wrapping_round", [2**62, 4]),
                        ("text", ["a"]), ("number", 4)]:
        yield f"reshape_{what}", one("Reshape", target_shape=value), ""
    for what, value in [("of_zero", [0]), ("twice", [1, 1]), ("too_far", [3, 1]), ("negative", [-1, 1]), ("too_short", [1])]:
        yield f"permute_{what}", one("Permute", SERIES, dims=value), "" if what == "too_short" else "dims"
    for what, value in [("negative", -1), ("zero", 0), ("2_40", HUGE), ("2_63", 2**63 - 1), ("fraction", 1.5)]:
        yield f"repeat_vector_{what}", one("RepeatVector", n=value), ""
        yield f"up_sampling_{what}", one("UpSampling2D", IMAGE, size=[value, value]), "size"
    for what, value in [("negative", [[-1, 0], [0, 0]]), ("2_40", [[HUGE, 0], [0, 0]]), ("2_63", [[2**63 - 1, 2**63 - 1], [0, 0]]), ("ragged", [[1], [1, 2]])]:
        yield f"zero_padding_{what}", one("ZeroPadding2D", IMAGE, padding=value), ""
        yield f"cropping_{what}", one("Cropping2D", IMAGE, cropping=value), ""
    yield "cropping_more_than_there_is", one("Cropping2D", IMAGE, cropping=[[5, 5], [0, 0]]), "cropping"
    chain = [layer("UpSampling1D", f"u{i}", size=2**20) for i in range(5)]
    yield "up_sampling_again_and_again", sequential(*chain, shape=SERIES), "elements"
    chain = [layer("UpSampling2D", f"u{i}", size=[2**10, 2**10]) for i in range(3)]
    yield "up_sampling_images_again_and_again", sequential(*chain, shape=IMAGE), "elements"
    for what, value in [("negative", [None, -4]), ("minus_one", [None, -1]), ("2_63", [None, 2**63 - 1]), ("2_32_squared", [None, 2**32, 2**32]), ("fraction", [None, 4.5]), ("text", "4"), ("object", {"a": 4}),
                        ("of_rank_1000", [None] + [1] * 1000)]:
        yield f"input_shape_{what}", changed(one("Flatten"), "/config/layers/0/config/batch_shape", value), ""
    for what, value in [("object", "object"), ("number", 5), ("unknown", "float33")]:
        yield f"input_dtype_{what}", changed(one("Flatten"), "/config/layers/0/config/dtype", value), ""
    yield "build_input_shape_negative", sequential(layer("Dense", units=3), shape=None, build_input_shape=[None, -4]), ""
    yield "build_input_shape_2_63", sequential(layer("Dense", units=3), shape=None, build_input_shape=[None, 2**63 - 1]), ""


def axes():
    for name, key in [("Softmax", "axis"), ("BatchNormalization", "axis"), ("LayerNormalization", "axis"), ("UnitNormalization", "axis")]:
        for what, value in [("too_far", 7), ("too_far_back", -7), ("2_63", 2**63 - 1), ("text", "last")]:
            yield f"{name}_axis_{what}", one(name, **{key: value}), "axis"
    two = [input_layer(), input_layer(name="b")]
    yield "concatenate_axis_too_far", functional(*two, layer("Concatenate", of=["in", "b"], axis=9), inputs=[["in", 0, 0], ["b", 0, 0]]), "axis"
    other = [input_layer(SERIES), input_layer((None, 8, 5), name="b")]
    for name in "Add", "Multiply", "Maximum":
        yield f"{name}_of_other_shapes", functional(*other, layer(name, of=["in", "b"]), inputs=[["in", 0, 0], ["b", 0, 0]]), ""
    yield "concatenate_of_other_shapes", functional(*other, layer("Concatenate", of=["in", "b"], axis=1), inputs=[["in", 0, 0], ["b", 0, 0]]), ""
    yield "dot_axes_too_far", functional(*two, layer("Dot", of=["in", "b"], axes=5), inputs=[["in", 0, 0], ["b", 0, 0]]), ""
    yield "add_of_one", one("Add"), ""
    yield "group_normalization_groups_do_not_divide", one("GroupNormalization", IMAGE, groups=3), "groups"
    yield "group_normalization_groups_negative", one("GroupNormalization", IMAGE, groups=-5), "groups"


def rates():
    for name in "Dropout", "SpatialDropout1D", "GaussianDropout", "AlphaDropout":
        for what, value in [("negative", -0.1), ("above_one", 1.5), ("text", "half")]:
            yield f"{name}_rate_{what}", one(name, SERIES, rate=value), "rate"
    yield "gaussian_noise_negative", one("GaussianNoise", stddev=-1.0), "stddev"
    yield "dropout_seed_text", one("Dropout", rate=0.5, seed="now"), "seed"
    yield "relu_max_value_negative", one("ReLU", max_value=-1.0), "max_value"
    yield "relu_slope_negative", one("ReLU", negative_slope=-1.0), "negative_slope"
    yield "leaky_relu_slope_null", one("LeakyReLU", negative_slope=None), "negative_slope"
    yield "regularizer_of_text", one("Dense", units=3, kernel_regularizer=obj("L2", "keras.regularizers", l2="x")), "l2"
    yield "initializer_of_text", one("Dense", units=3, kernel_initializer=obj("RandomNormal", "keras.initializers", mean="x")), "mean"
    yield "einsum_equation_nonsense", one("EinsumDense", equation="->->", output_shape=[3]), ""
    yield "einsum_equation_long", one("EinsumDense", equation="a" * 5000 + ",b->b", output_shape=[3]), ""
    for what, more in [("heads_zero", dict(num_heads=0, key_dim=2)), ("key_dim_zero", dict(num_heads=2, key_dim=0)), ("heads_negative", dict(num_heads=-1, key_dim=2)), ("dropout_two", dict(num_heads=2, key_dim=2, dropout=2.0))]:
        yield f"attention_{what}", functional(input_layer(SERIES), attention(**more)), ""


def attacks():
    for part in units, windows, shapes, axes, rates:
        for name, config, word in part():
            at = "/config/layers/0" if name.startswith("input_") else "/config" if config["class_name"] == "Sequential" or len(config["config"]["layers"]) > 2 else AT
            yield name, config, at, word

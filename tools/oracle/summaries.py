"""Records the exact text of model.summary() at several widths, with the config to rebuild each model.

usage: summaries.py DATA_FOLDER
"""

import copy
import os
import sys
import warnings

import keras
from keras import layers as L
from keras import ops

from models import model_config
from recording import Recording

warnings.filterwarnings("ignore")


def chain():
    x = keras.Input((32, 32, 3), name="img")
    h = L.Conv2D(16, 3, activation="relu")(x)
    h = L.MaxPooling2D(3)(h)
    h = L.BatchNormalization()(h)
    h = L.Flatten()(h)
    h = L.Dropout(0.5)(h)
    return keras.Model(x, L.Dense(10, activation="softmax")(h), name="chain")


def graph():
    x = keras.Input((32, 32, 3), name="img")
    a = L.Conv2D(32, 3, activation="relu")(x)
    a = L.MaxPooling2D(3)(L.Conv2D(64, 3, activation="relu")(a))
    b = L.Conv2D(64, 3, activation="relu", padding="same")(a)
    h = L.GlobalAveragePooling2D()(L.Add()([a, b]))
    return keras.Model(x, L.Dense(10)(h), name="toy_resnet")


def shared():
    a, b = keras.Input((8,), name="left"), keras.Input((8,), name="right")
    encode = L.Dense(16, activation="relu", name="encode")
    both = L.Concatenate(name="both")([encode(a), encode(b)])
    return keras.Model([a, b], [L.Dense(1, name="score")(both), L.Dense(3, name="kind")(both)], name="shared")


def shared_chain():
    x = keras.Input((8,), name="x")
    again = L.Dense(8, name="again")
    return keras.Model(x, again(again(x)), name="shared_chain")


def nested():
    i = keras.Input((6,), name="inner_in")
    inner = keras.Model(i, L.Dense(4, name="inner_out")(L.Dense(5, name="inner_hidden")(i)), name="inner")
    tail = keras.Sequential([keras.Input((4,)), L.Dense(3), L.ReLU()], name="tail")
    x = keras.Input((6,), name="x")
    deep_in = keras.Input((6,), name="deep_in")
    deep = keras.Model(deep_in, tail(inner(deep_in)), name="deep")
    y = L.Add(name="add")([deep(x), tail(inner(x))])
    return keras.Model(x, y, name="nested")


def frozen():
    x = keras.Input((6, 4), name="x")
    h = L.LSTM(5, return_sequences=True, trainable=False)(x)
    h = L.LayerNormalization()(h)
    h = L.BatchNormalization(trainable=False)(h)
    return keras.Model(x, L.TimeDistributed(L.Dense(2))(h), name="frozen")


def compiled():
    model = keras.Sequential([keras.Input((20,)), L.Dense(64, activation="relu"), L.Dense(3)], name="compiled")
    model.compile("adam", "mse")
    return model


def sequential():
    layers = [keras.Input((28, 28, 1)), L.SeparableConv2D(8, 3), L.AveragePooling2D(2), L.Flatten(), L.Dense(10)]
    return keras.Sequential(layers, name="sequential_built")


def unbuilt():
    return keras.Sequential([L.Dense(8), L.Dropout(0.1), L.Dense(2)], name="sequential_unbuilt")


def states():
    x = keras.Input((None,), dtype="int32", name="ids")
    h = L.Embedding(100, 8, mask_zero=True)(x)
    out, s1, s2 = L.LSTM(6, return_sequences=True, return_state=True)(h)
    y = L.LSTM(6, return_sequences=True)(h, initial_state=[s1, s2])
    z = L.MultiHeadAttention(2, 4)(y, out)
    z = L.Bidirectional(L.GRU(3))(z)
    return keras.Model(x, [z, s1], name="encoder_decoder")


def operators():
    x, y = keras.Input((4, 6), name="x"), keras.Input((4, 6), name="y")
    h = ops.relu(x + y) * 2.0
    h = ops.concatenate([h[:, 1:], x], axis=1)
    return keras.Model({"first": x, "second": y}, {"mean": ops.mean(h, axis=1), "all": h}, name="operators")


def long_names():
    x = keras.Input((17, 123, 1001), name="an_input_with_quite_a_long_name_that_wraps")
    h = L.Dense(2048, name="a_dense_layer_with_a_name_that_is_longer_than_any_column_of_the_table_can_ever_be")(x)
    a = L.Dense(3, name="block_one_expand_relu_projection_output")(h)
    b = L.Dense(3, name="block_two_expand_relu_projection_output")(h)
    c = L.Dense(3, name="c")(h)
    return keras.Model(x, L.Add(name="the_sum_of_all_projection_outputs")([a, b, c]), name="a_model_with_a_very_long_name_" * 4)


def large():
    x = keras.Input((1,), dtype="int32")
    h = L.Flatten()(L.Embedding(100_000, 300)(x))
    return keras.Model(x, L.Dense(12345)(h), name="large")


def channels_and_none():
    x = keras.Input((None, None, 3), batch_size=2)
    h = L.Conv2D(4, 3, strides=2, padding="same")(x)
    return keras.Model(x, [L.GlobalMaxPooling2D()(h), L.UpSampling2D(2)(h)], name="open_shapes")


BUILDERS = [chain, graph, shared, shared_chain, nested, frozen, compiled, sequential, unbuilt, states, operators, long_names, large, channels_and_none]


def summary(model, columns, **options):
    os.environ["COLUMNS"] = str(columns)
    texts = []
    model.summary(print_fn=texts.append, **options)
    return {"columns": columns, **options, "text": "".join(texts)}


def main(folder):
    out = Recording(folder, "summaries")
    for build in BUILDERS:
        keras.utils.clear_session()
        made = build()
        config, compile_config = model_config(made), made.get_compile_config() if made.compiled else None
        # A model rebuilt from the config is summarized: node indices and sharing are then those a reader finds.
        keras.utils.clear_session()
        model = keras.saving.deserialize_keras_object(copy.deepcopy(config))  # it empties what it is given
        if compile_config:
            model.compile_from_config(compile_config)  # builds the optimizer, too
        texts = [summary(model, 240), summary(model, 80)]
        texts += [summary(model, 240, line_length=n) for n in (60, 80, 100, 120)]
        texts += [summary(model, 240, **o) for o in ({"show_trainable": True}, {"expand_nested": True}, {"expand_nested": True, "show_trainable": True, "line_length": 100})]
        built = bool(model.compiled and model.optimizer.built)
        out.case(name=model.name, config=config, compile=compile_config, optimizer_built=built, texts=texts)
    out.write()


if __name__ == "__main__":
    main(sys.argv[1])

"""Records Transformer-like models over padded sequences: outputs, masks of the outputs, and a few steps of training.

MultiHeadAttention takes the masks of its arguments away, so what such a model computes depends on who runs first, on
the masks that were recorded when it was built, and on which layers return their argument. TensorFlow is used because
Keras' JAX trainer does not hand the masks of outputs to losses.

usage: KERAS_BACKEND=tensorflow transformers.py DATA_FOLDER
"""

import sys
import warnings

import keras
import numpy as np
from keras import layers as L
from keras import ops

from models import model_config
from recording import Recording

warnings.filterwarnings("ignore")
WORDS, STEPS, WIDTH, CLASSES, BATCH = 12, 7, 8, 3, 5


def words():
    return keras.Input((STEPS,), dtype="int32")


def embed(ids, mask_zero=True):
    return L.Embedding(WORDS, WIDTH, mask_zero=mask_zero)(ids)


def attend(q, v=None, **kwargs):
    return L.MultiHeadAttention(2, 4)(q, q if v is None else v, **kwargs)


def feed_forward(x):
    return L.Dense(WIDTH)(L.Dense(2 * WIDTH, activation="relu")(x))


def post_norm(x, rate=None):
    a = attend(x)
    if rate is not None:
        a = L.Dropout(rate)(a)
    x = L.LayerNormalization()(L.Add()([x, a]))
    return L.LayerNormalization()(L.Add()([x, feed_forward(x)]))


def pre_norm(x, **kwargs):
    n = L.LayerNormalization()(x)
    x = L.Add()([x, attend(n, **kwargs)])
    return L.Add()([x, feed_forward(L.LayerNormalization()(x))])


def classify(x):
    return L.Dense(CLASSES, activation="softmax")(x)


def pooled(x):
    return classify(L.GlobalAveragePooling1D()(x))


def block_model():
    x = keras.Input((STEPS, WIDTH))
    return keras.Model(x, post_norm(x))


# Each returns inputs and outputs. The name says what it is about.
def post_norm_pooled():
    i = words()
    return i, pooled(post_norm(post_norm(embed(i))))


def pre_norm_pooled():
    i = words()
    return i, pooled(L.LayerNormalization()(pre_norm(pre_norm(embed(i)))))


def post_norm_tags():
    i = words()
    return i, classify(post_norm(post_norm(embed(i))))


def pre_norm_tags():
    i = words()
    return i, classify(pre_norm(embed(i)))


def one_block_tags_of_attention():
    i = words()
    return i, classify(attend(embed(i)))


def dropout_before_attention():
    i = words()
    e = embed(i)
    d = L.Dropout(0.4)(e)
    return i, classify(L.Add()([e, attend(d)]))


def dropout_after_attention():
    i = words()
    return i, pooled(post_norm(post_norm(embed(i), rate=0.2), rate=0.2))


def encoder_decoder():
    i, j = words(), words()
    source = post_norm(embed(i))
    t = embed(j)
    t = L.LayerNormalization()(L.Add()([t, attend(t, use_causal_mask=True)]))
    t = L.LayerNormalization()(L.Add()([t, attend(t, source)]))
    return [i, j], classify(L.LayerNormalization()(L.Add()([t, feed_forward(t)])))


def decoder_only():
    i = words()
    return i, classify(pre_norm(pre_norm(embed(i), use_causal_mask=True), use_causal_mask=True))


def nested_blocks():
    i = words()
    return i, pooled(block_model()(block_model()(embed(i))))


def nested_block_called_twice():
    i = words()
    block = block_model()
    return i, pooled(block(block(embed(i))))


def nested_encoder():
    j = words()
    encoder = keras.Model(j, post_norm(embed(j)))
    i = words()
    x = encoder(i)
    return i, [classify(L.Add()([x, L.Dense(WIDTH)(x)])), pooled(x)]


def nested_attention_inside_residual():
    x = keras.Input((STEPS, WIDTH))
    attention = keras.Model(x, attend(x))
    i = words()
    e = embed(i)
    return i, classify(L.LayerNormalization()(L.Add()([e, attention(e)])))


def nested_model_gives_the_mask_back():
    x = keras.Input((STEPS, WIDTH))
    inner = keras.Model(x, L.Dense(WIDTH)(x))
    i = words()
    e = embed(i)
    a = attend(e)
    s = L.Add()([e, a])  # without a mask: the attention took it
    b = L.Dense(WIDTH)(L.Dense(WIDTH)(inner(e)))
    return i, [classify(L.Add()([e, a])), classify(L.Add()([b, e])), classify(s)]


def nested_three_deep():
    x = keras.Input((STEPS, WIDTH))
    one = keras.Model(x, L.Add()([x, attend(x)]))
    y = keras.Input((STEPS, WIDTH))
    two = keras.Model(y, L.LayerNormalization()(L.Add()([y, one(y)])))
    i = words()
    e = embed(i)
    return i, [classify(two(e)), L.LSTM(4)(two(e))]


def lstm_behind():
    i = words()
    x = L.LSTM(WIDTH, return_sequences=True)(post_norm(embed(i)))
    return i, classify(L.LSTM(WIDTH)(x))


def gru_tags_behind():
    i = words()
    return i, classify(L.Bidirectional(L.GRU(4, return_sequences=True))(post_norm(embed(i))))


def bigru_before():
    i = words()
    return i, pooled(post_norm(L.Bidirectional(L.GRU(4, return_sequences=True))(embed(i))))


def two_poolings():
    i = words()
    x = post_norm(embed(i))
    return i, classify(L.Concatenate()([L.GlobalAveragePooling1D()(x), L.GlobalMaxPooling1D()(x)]))


def separate_key():
    i, j = words(), words()
    q, v = embed(i), embed(j)
    k = L.Dense(WIDTH)(v)
    a = L.MultiHeadAttention(2, 4)(q, v, k)
    return [i, j], [classify(L.Add()([q, a])), L.LSTM(4)(k), L.LSTM(4)(L.Add()([v, k]))]


def siamese():
    i, j = words(), words()
    e, mha = L.Embedding(WORDS, WIDTH, mask_zero=True), L.MultiHeadAttention(2, 4)
    norm, pool = L.LayerNormalization(), L.GlobalAveragePooling1D()
    tower = lambda x: pool(norm(L.Add()([x, mha(x, x)])))
    return [i, j], L.Dot(1)([tower(e(i)), tower(e(j))])


def consumers_before_and_after():
    i = words()
    e = embed(i)
    a = attend(e)
    deep = L.Dense(WIDTH)(L.Dense(WIDTH)(L.Dense(WIDTH)(e)))  # begins before the attention runs
    late = L.Activation("tanh")(e)
    return i, [classify(L.Add()([deep, a])), classify(L.Add()([late, a])), L.LSTM(4)(late), L.LSTM(4)(deep)]


def concatenated():
    i = words()
    e = embed(i)
    return i, classify(L.LSTM(4, return_sequences=True)(L.Concatenate()([e, attend(e)])))


def multiplied():
    i = words()
    e = embed(i)
    a = attend(e)
    return i, [classify(L.Multiply()([e, a])), classify(L.Maximum()([a, L.Dense(WIDTH)(e)])), classify(L.Average()([e, a]))]


def other_attention():
    i = words()
    e = embed(i)
    d = L.Attention()([e, e])
    x = L.Add()([d, attend(e)])
    return i, [classify(x), classify(L.AdditiveAttention()([x, x]))]


def scores():
    i = words()
    e = embed(i)
    a, s = attend(e, return_attention_scores=True)
    return i, [classify(L.Add()([e, a])), L.Flatten()(s)]


def mask_by_hand():
    i = words()
    e = embed(i)
    m = ops.not_equal(i, 0)
    x = post_norm(e)
    return i, [L.LSTM(4)(x, mask=m), L.GlobalAveragePooling1D()(x, mask=m), classify(x)]


def masking_layer():
    x = keras.Input((STEPS, WIDTH))
    return x, classify(post_norm(L.Masking(mask_value=0.0)(x)))


def position_by_op():
    i, j = words(), words()
    return [i, j], pooled(post_norm(embed(i) + embed(j, mask_zero=False)))


def position_by_layer():
    i, j = words(), words()
    return [i, j], pooled(post_norm(L.Add()([embed(i), embed(j, mask_zero=False)])))


def time_distributed():
    i = words()
    return i, classify(L.TimeDistributed(L.Dense(WIDTH))(post_norm(embed(i))))


def sequential_inside():
    head = keras.Sequential([L.Dense(WIDTH, activation="relu"), L.LayerNormalization(), L.LSTM(4)])
    i = words()
    e = embed(i)
    a = attend(e)
    return i, [head(L.Add()([e, a])), head(a), head(e)]


def batch_norm_behind():
    i = words()
    return i, classify(L.BatchNormalization()(post_norm(embed(i))))


def same_tensor_to_two_attentions():
    i = words()
    e = embed(i)
    a, b = attend(e), attend(e)
    return i, [classify(a), classify(b), classify(L.Add()([a, b]))]


def identity_returns_its_argument():
    i = words()
    e = embed(i)
    same = L.Activation("linear")(L.Identity()(e))
    return i, [classify(L.Add()([e, attend(same)])), classify(L.Dense(WIDTH)(same))]


MODELS = [
    post_norm_pooled, pre_norm_pooled, post_norm_tags, pre_norm_tags, one_block_tags_of_attention, dropout_before_attention, dropout_after_attention,
    encoder_decoder, decoder_only, nested_blocks, nested_block_called_twice, nested_encoder, nested_attention_inside_residual,
    nested_model_gives_the_mask_back, nested_three_deep, lstm_behind, gru_tags_behind, bigru_before, two_poolings, separate_key, siamese,
    consumers_before_and_after, concatenated, multiplied, other_attention, scores, mask_by_hand, masking_layer, position_by_op, position_by_layer,
    time_distributed, sequential_inside, batch_norm_behind, same_tensor_to_two_attentions, identity_returns_its_argument,
]  # fmt: skip


def draw(rng, tensor):
    if tensor.dtype == "int32":
        value = rng.integers(1, WORDS, (BATCH, STEPS)).astype("int32")
    else:
        value = rng.normal(size=(BATCH, *tensor.shape[1:])).astype("float32")
    for row, length in zip(value, [STEPS, 4, 1, 6, 3]):
        row[length:] = 0
    return value


def masks(outputs):
    return [None if m is None else np.asarray(m) for m in (getattr(y, "_keras_mask", None) for y in outputs)]


def flat(x):
    return list(x) if isinstance(x, (list, tuple)) else [x]


def train(model, x, rng):
    """Three steps, and an evaluation before them. The loss of every output is the same, so that masks tell."""
    y = [rng.normal(size=(BATCH, *t.shape[1:])).astype("float32") for t in model.outputs]
    model.compile(keras.optimizers.SGD(0.125), loss=["mse"] * len(y), metrics=[["mae"]] * len(y), weighted_metrics=[["mse"]] * len(y))
    one = lambda v: v if len(v) > 1 else v[0]
    evaluated = model.evaluate(one(x), one(y), batch_size=BATCH, verbose=0, return_dict=True)
    logs = [model.train_on_batch(one(x), one(y), return_dict=True) for _ in range(3)]
    return {"y": y, "evaluate": evaluated, "logs": [{k: float(v) for k, v in step.items()} for step in logs], "weights_after": model.get_weights()}


def main():
    recording = Recording(sys.argv[1], "transformers")
    for number, make in enumerate(MODELS):
        keras.backend.clear_session()
        keras.utils.set_random_seed(number)
        rng = np.random.default_rng(number)
        model = keras.Model(*make())
        model.set_weights([rng.normal(size=w.shape, scale=0.5).astype("float32") for w in model.get_weights()])
        for v in model.weights:
            if v.path.endswith("moving_variance"):
                v.assign(np.abs(np.asarray(v)) + 0.5)
        x = [draw(rng, t) for t in model.inputs]
        given = x if len(x) > 1 else x[0]
        outputs = flat(model(given))
        initial = model.get_weights()
        again = keras.Model.from_config(model.get_config())
        again.set_weights(initial)
        for a, b in zip(outputs, flat(again(given))):
            assert np.array_equal(a, b), make.__name__
        training_masks = [m is not None for m in masks(flat(model(given, training=True)))]
        model.set_weights(initial)  # without the moved statistics
        drops = any(isinstance(layer, L.Dropout) for layer in model.layers)
        recording.case(
            name=make.__name__, config=model_config(model), weights=initial, inputs=x, outputs=[np.asarray(y) for y in outputs], output_masks=masks(outputs),
            training_masks=training_masks, training=None if drops else train(model, x, rng),
        )  # fmt: skip
    recording.write()


main()

"""One model saved by the Keras that is imported: NAME.keras (Keras 2: NAME.h5) and NAME.npz, inputs and outputs.

usage: versions.py FOLDER, once per version; tests/data/keras_files holds the results.
"""

import os
import sys

import numpy as np

os.environ.setdefault("KERAS_BACKEND", "jax")
try:
    import tf_keras as keras  # noqa: E402
except ImportError:
    import keras  # noqa: E402
layers = keras.layers
old = keras.__version__.startswith("2.")

folder, name = sys.argv[1], "keras_" + keras.__version__.replace(".", "_")
keras.utils.set_random_seed(7)

words = keras.Input((6,), dtype="int32", name="words")
image = keras.Input((8, 8, 2), name="image")
x = layers.Embedding(11, 6, mask_zero=True, name="embed")(words)
x = layers.Bidirectional(layers.LSTM(3, return_sequences=True), name="both")(x)
x = layers.MultiHeadAttention(2, 3, name="mha")(x, x)
x = layers.LayerNormalization(name="ln")(x)
x = layers.GRU(4, name="gru")(x)
y = layers.Conv2D(4, 3, strides=2, padding="same", activation="relu", name="conv")(image)
y = layers.BatchNormalization(name="bn")(y)
y = layers.MaxPooling2D(2, name="pool")(y)
y = layers.Dropout(0.5, name="drop")(layers.Flatten(name="flat")(y))
inner_in = keras.Input((4,), name="inner_in")
inner = keras.Model(inner_in, layers.Dense(4, activation="tanh", name="shared")(inner_in), name="inner")
z = layers.Add(name="sum")([inner(x), inner(layers.Dense(4, name="to4")(y))])
z = layers.Concatenate(name="cat")([z, x if old else x * 2.0])
out = layers.Dense(3, activation="softmax", name="out")(z)
side = keras.Sequential([keras.Input((8,)), layers.Dense(2, name="side_dense")], name="side")(z)
model = keras.Model([words, image], [out, side], name="versions")
model.compile(optimizer=keras.optimizers.Adam(0.01), loss=["categorical_crossentropy", "mse"])

rng = np.random.default_rng(3)
for v in model.weights:
    value = rng.normal(0, 0.4, v.shape)
    v.assign(np.abs(value) + 0.5 if "variance" in (v.name if old else v.path) else value)
data = {"words": rng.integers(0, 11, (5, 6)).astype("int32"), "image": rng.normal(0, 1, (5, 8, 8, 2)).astype("float32")}
data["words"][:, 4:] = 0
a, b = model.predict([data["words"], data["image"]], verbose=0)
os.makedirs(folder, exist_ok=True)
model.save(f"{folder}/{name}." + ("h5" if old else "keras"))
np.savez(f"{folder}/{name}.npz", out=a, side=b, **data)
print(name, "saved")

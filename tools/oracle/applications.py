"""Models of keras.applications with random weights: what `ramet predict` gives beside Keras.

usage: applications.py RAMET_PROGRAM [NAME…]

Ends with `N passed, N failed`; a model with a layer that Ramet does not have is refused, and counted apart with the reason.
"""

import os
import subprocess
import sys
import tempfile

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras  # noqa: E402
import numpy as np  # noqa: E402

program, chosen = sys.argv[1], sys.argv[2:]

# The smallest side each one takes without its head; larger ones only repeat the same sums.
SIZES = {
    "MobileNet": 64, "ResNet50": 64, "DenseNet121": 64, "VGG16": 64, "MobileNetV2": 64, "ResNet50V2": 64, "Xception": 75, "InceptionV3": 75,
    "EfficientNetB0": 64, "NASNetMobile": 64, "EfficientNetV2B0": 64, "MobileNetV3Small": 64, "ConvNeXtTiny": 64,
}  # fmt: skip


def randomized(model, rng):
    """Weights whose products neither die out nor grow through a hundred layers; statistics of normalizations near one."""
    for v in model.weights:
        shape, name = v.shape, v.path.rsplit("/", 1)[-1]
        if "kernel" in name:
            fan_in = shape[0] * shape[1] if "depthwise" in name else np.prod(shape[:-1])
            v.assign(rng.normal(0, np.sqrt(2 / fan_in), shape).astype("float32"))
        elif name in ("gamma", "moving_variance", "variance"):
            v.assign(rng.uniform(0.75, 1.25, shape).astype("float32"))
        elif name != "count":
            v.assign(rng.normal(0, 0.1, shape).astype("float32"))
    return model


def distance(a, b):
    """Largest difference in units of the largest element."""
    return np.max(np.abs(a - b)) / np.max(np.abs(b))


def check(name, folder):
    rng = np.random.default_rng(60)
    keras.utils.clear_session()
    side = SIZES[name]
    model = randomized(getattr(keras.applications, name)(weights=None, include_top=False, pooling="avg", input_shape=(side, side, 3)), rng)
    file, inputs, outputs = (os.path.join(folder, n) for n in ("m.keras", "x.npz", "y.npz"))
    model.save(file)
    x = rng.uniform(-1, 1, (2, side, side, 3)).astype("float32")
    np.savez(inputs, x)
    done = subprocess.run([program, "predict", file, "--inputs", inputs, "--outputs", outputs], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()
    want = np.asarray(model.predict_on_batch(x))
    got = np.load(outputs)
    got = got[got.files[0]]
    # A layer is a sum in blocks, a bias, a normalization and an activation: about eight roundings by 2^-24 of its size on
    # each side. Those of layers in a row have either sign and add up like a random walk.
    layers = sum(1 for layer in model.layers if layer.weights)
    allowed = 16 * np.sqrt(layers) * 2**-24
    error = distance(got, want)
    print(f"{name}: {layers} layers with weights, off by {error:.1e} of the largest ({allowed:.1e} allowed)", flush=True)
    if got.shape != want.shape or not error < allowed:
        raise RuntimeError("another prediction")
    return None


passed = failed = refused = 0
for name in chosen or SIZES:
    with tempfile.TemporaryDirectory() as folder:
        try:
            why = check(name, folder)
            if why:
                refused += 1
                print(f"{name}: refused: {why}", flush=True)
            else:
                passed += 1
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
print(f"{passed} passed, {failed} failed ({refused} refused: they have layers that are not there yet)")
sys.exit(failed != 0)

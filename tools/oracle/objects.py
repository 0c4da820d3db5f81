"""Losses, metrics, optimizers, schedules, initializers, regularizers, constraints and activations across files.

usage: objects.py RAMET_PROGRAM [VARIANTS]

Every class `ramet describe` lists, with random valid arguments, in a file that Keras saves and `ramet convert` writes
again: the config in the second file must equal the first, open in Keras, and be the same there. Ends with `N passed, N failed`.
"""

import inspect
import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras  # noqa: E402
import numpy as np  # noqa: E402

program = sys.argv[1]
VARIANTS = int(sys.argv[2]) if len(sys.argv) > 2 else 6
rng = random.Random(50)


def number(low, high):
    return lambda: round(rng.uniform(low, high), 3)


def some(*values):
    return lambda: rng.choice(values)


UNIT, SMALL = number(0.05, 0.95), number(0.001, 0.5)
LOSSES = {
    "reduction": some("sum_over_batch_size", "mean", "sum", "none", "mean_with_sample_weight", None), "name": some("mine", "l2_loss"),
    "from_logits": some(True, False), "label_smoothing": UNIT, "gamma": number(0.5, 3), "alpha": UNIT, "apply_class_balancing": some(True, False),
    "ignore_class": some(None, 0, 2, -1), "delta": number(0.1, 3), "axis": some(-1, 1),
}  # fmt: skip
METRICS = {
    "name": some("mine", "score"), "threshold": UNIT, "k": some(1, 2, 3), "from_logits": some(True, False), "label_smoothing": UNIT, "axis": some(-1, 1),
    "ignore_class": some(None, 1),
}  # fmt: skip
CLIPPING = ["clipnorm", "clipvalue", "global_clipnorm"]
OPTIMIZERS = {
    "learning_rate": SMALL, "momentum": UNIT, "nesterov": some(True, False), "rho": UNIT, "epsilon": number(1e-4, 1e-2), "centered": some(True, False),
    "beta_1": UNIT, "beta_2": UNIT, "amsgrad": some(True, False), "weight_decay": some(0.004, 0.1), "use_ema": some(True, False), "ema_momentum": UNIT,
    "ema_overwrite_frequency": some(None, 3), "loss_scale_factor": some(None, 128.0), "gradient_accumulation_steps": some(None, 2, 4),
    "clipnorm": SMALL, "clipvalue": SMALL, "global_clipnorm": SMALL, "name": some("mine"),
}  # fmt: skip
SCHEDULES = {
    "initial_learning_rate": SMALL, "decay_steps": some(1, 10, 1000), "decay_rate": UNIT, "staircase": some(True, False), "end_learning_rate": number(1e-4, 1e-2),
    "power": number(0.5, 2), "cycle": some(True, False), "alpha": UNIT, "warmup_target": some(None, 0.5), "warmup_steps": some(0, 10), "first_decay_steps": some(2, 50),
    "t_mul": number(1.1, 3), "m_mul": UNIT, "boundaries": lambda: [10, 200], "values": lambda: [0.5, 0.25, 0.125], "name": some("rate"),
}  # fmt: skip
WEIGHTS = {
    "seed": some(None, 7, 123), "mean": number(-1, 1), "stddev": SMALL, "minval": number(-1, 0), "maxval": number(0.1, 1), "scale": number(0.5, 3),
    "mode": some("fan_in", "fan_out", "fan_avg"), "distribution": some("truncated_normal", "untruncated_normal", "uniform"), "gain": number(0.5, 2),
    "value": number(-1, 1), "l1": SMALL, "l2": SMALL, "factor": SMALL, "max_value": number(1.5, 3), "min_value": UNIT, "rate": UNIT, "axis": some(0, 1, [0, 1]),
}  # fmt: skip
REQUIRED = {"initial_learning_rate", "decay_steps", "decay_rate", "first_decay_steps", "boundaries", "values"}
# Needed by a class under the same name, but with other values.
OTHER = {"OrthogonalRegularizer": {"mode": some("rows", "columns")}, "CosineSimilarity": {"axis": some(-1, 0)}}
# What Keras 3.15 takes and forgets to write; later versions write it.
FORGOTTEN = {"Huber": ["delta"], "CosineSimilarity": ["axis"]}


def arguments(cls, table):
    """Random values for some of what the class takes."""
    table = table | OTHER.get(cls.__name__, {})
    taken = [n for n in inspect.signature(cls.__init__).parameters if n in table]
    chosen = {n: table[n]() for n in taken if n in REQUIRED or rng.random() < 0.6}
    clips = [c for c in CLIPPING if c in chosen]
    for clip in clips[1:]:
        del chosen[clip]
    return chosen


def objects(module, name, table):
    cls = getattr(module, name)
    for _ in range(VARIANTS):
        chosen = arguments(cls, table)
        yield cls(**chosen), chosen


def optimizers(name):
    for optimizer, _ in objects(keras.optimizers, name, OPTIMIZERS):
        yield optimizer
    for schedule in described["learning rate schedules"]:
        rate, _ = next(objects(keras.optimizers.schedules, schedule, SCHEDULES))
        yield getattr(keras.optimizers, name)(rate)


# --- a model around an object, and where it stands in config.json ------------------------------------------------------


def plain(**compiled):
    x = keras.Input((4,), name="x")
    model = keras.Model(x, keras.layers.Dense(3, activation="softmax", name="d")(x), name="m")
    model.compile(**compiled)
    return model


def layer(**given):
    x = keras.Input((4,), name="x")
    return keras.Model(x, keras.layers.Dense(4, name="d", **given)(x), name="m")


def cases():
    for name in described["losses"]:
        for loss, chosen in objects(keras.losses, name, LOSSES):
            yield name, plain(optimizer="sgd", loss=loss), ["compile_config", "loss"], {k: v for k, v in chosen.items() if k in FORGOTTEN.get(name, [])}
    for name in described["metrics"]:
        for metric, _ in objects(keras.metrics, name, METRICS):
            yield name, plain(optimizer="sgd", loss="mse", metrics=[metric]), ["compile_config", "metrics", 0], {}
    for name in described["optimizers"]:
        for optimizer in optimizers(name):
            yield name, plain(optimizer=optimizer, loss="mse"), ["compile_config", "optimizer"], {}
    for kind, module, key in (("initializers", keras.initializers, "kernel_initializer"), ("regularizers", keras.regularizers, "kernel_regularizer"),
                              ("constraints", keras.constraints, "kernel_constraint")):  # fmt: skip
        for name in described[kind]:
            for obj, _ in objects(module, name, WEIGHTS):
                yield name, layer(**{key: obj}), ["config", "layers", 1, "config", key], {}
    for name in described["activations"]:
        yield name, layer(activation=name), ["config", "layers", 1, "config", "activation"], {}


def rounded(value):
    """Numbers as float32, as optimizers keep them; without ids of shared objects; one word for no reduction."""
    if isinstance(value, dict):
        return {k: "none" if k == "reduction" and v is None else rounded(v) for k, v in value.items() if k != "shared_object_id"}
    if isinstance(value, (list, tuple)):
        return [rounded(v) for v in value]
    return float(np.float32(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def config_of(path, place):
    value = json.loads(zipfile.ZipFile(path).read("config.json"))
    for key in place:
        value = value[key]
    return value


def add(path, place, extra):
    """Writes into a file's config what this Keras leaves out."""
    members = {n: zipfile.ZipFile(path).read(n) for n in zipfile.ZipFile(path).namelist()}
    config = json.loads(members["config.json"])
    value = config
    for key in place:
        value = value[key]
    value["config"].update(extra)
    members["config.json"] = json.dumps(config)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def check(model, place, extra, folder):
    first, second, third = (os.path.join(folder, n + ".keras") for n in "abc")
    model.save(first)
    if extra:
        add(first, place, extra)
    done = subprocess.run([program, "convert", first, second], capture_output=True, text=True)
    if done.returncode or "warning" in done.stderr:
        raise RuntimeError(done.stderr.strip())
    a, b = rounded(config_of(first, place)), rounded(config_of(second, place))
    if isinstance(a, dict) and isinstance(b, dict):
        lacking = {k: v for k, v in a["config"].items() if b["config"].get(k) != v}
        if lacking or a["class_name"] != b["class_name"] or a["module"] != b["module"]:
            raise RuntimeError(f"{lacking} of {a} became {b}")
    elif a != b:
        raise RuntimeError(f"{a} became {b}")
    keras.models.load_model(second).save(third)
    again = rounded(config_of(third, place))
    if again != a and not extra:
        raise RuntimeError(f"{a} came back to Keras as {again}")


described = json.loads(subprocess.run([program, "describe", "--json"], capture_output=True, text=True, check=True).stdout)
passed = failed = 0
with tempfile.TemporaryDirectory() as folder:
    for name, model, place, extra in cases():
        try:
            check(model, place, extra, folder)
            passed += 1
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"{name} ({place[-1]}): {type(error).__name__}: {str(error)[:600]}", flush=True)
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)

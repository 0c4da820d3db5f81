"""Training that goes on in the other program ends where it would have ended.

usage: resume.py RAMET_PROGRAM [all | PART_OF_A_NAME…]

For every optimizer of resume_cases.py with one of the models in turn (`all`: with every model): two epochs in Keras and the third in Ramet; two in Ramet and the third in
Keras; and two and one in Ramet against three at once. Weights, the optimizer's state and the last epoch's logs are
compared. Ends with `N passed, N failed`.
"""

import io
import itertools
import json
import os
import subprocess
import sys
import tempfile
import zipfile

os.environ["KERAS_BACKEND"] = "jax"
import h5py  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402

import resume_cases as cases  # noqa: E402

program, wanted = sys.argv[1], sys.argv[2:]


def run(*args):
    done = subprocess.run([program, *args], capture_output=True, text=True)
    if done.returncode or "warning" in done.stderr:
        raise RuntimeError(done.stderr.strip())


def train(before, after, data, epochs, history):
    run("train", before, "--data", data, "--save", after, "--epochs", str(epochs), "--batch-size", str(cases.BATCH),
        "--no-shuffle", "--quiet", "--history", history)  # fmt: skip
    return {k: v[-1] for k, v in json.load(open(history)).items()}


def values(path, names):
    """What a file holds, in the order Keras has it."""
    model = keras.models.load_model(path)
    found = [np.asarray(v.value) for v in list(model.weights) + list(model.optimizer.variables)]
    return dict(zip(names, found, strict=True))


def compare(ours, logs, keras_runs):
    (single, single_logs), (exact, exact_logs) = keras_runs
    if set(logs) != set(single_logs):
        raise RuntimeError(f"other logs: {sorted(logs)}, in Keras {sorted(single_logs)}")
    rows = [(path, cases.ratio(ours[path], value, list(exact.values())[i])) for i, (path, value) in enumerate(single.items())]
    rows += [(name, cases.ratio(value, single_logs[name], exact_logs[name])) for name, value in logs.items()]
    path, worst = max(rows, key=lambda row: row[1])
    if worst >= cases.ALLOWED:
        raise RuntimeError(f"{path} lies {worst:.3g} times as far off as in Keras")
    return worst


def same_weights(a, b):
    """Whether two files hold the same bits, the optimizer's among them."""
    def content(path):
        out = {}
        with h5py.File(io.BytesIO(zipfile.ZipFile(path).read("model.weights.h5"))) as f:
            f.visititems(lambda name, item: out.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
        return out

    a, b = content(a), content(b)
    return a.keys() == b.keys() and all(np.array_equal(a[k], b[k]) for k in a)


def check(build, variant, folder):
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    x, y, weight = cases.DATA[build]
    arrays = {f"x/{k}": v for k, v in x.items()} | {f"y/{k}": v for k, v in y.items()}
    arrays |= {f"sample_weight/{k}": v for k, v in (weight or {}).items()}
    np.savez(at("data.npz"), **arrays)

    model = cases.fresh(build, variant)
    model.save(at("start.keras"))
    cases.fit(model, cases.DATA[build], 0, 2)
    model.save(at("two.keras"))
    keras_runs = cases.third_epoch(model, build, variant)
    names = list(keras_runs[0][0])
    logs = train(at("two.keras"), at("three.keras"), at("data.npz"), 1, at("h.json"))
    worst = compare(values(at("three.keras"), names), logs, keras_runs)

    train(at("start.keras"), at("ours_two.keras"), at("data.npz"), 2, at("h.json"))
    logs = train(at("ours_two.keras"), at("ours_three.keras"), at("data.npz"), 1, at("h.json"))
    if not cases.averaged(model.optimizer):
        at_once = train(at("start.keras"), at("at_once.keras"), at("data.npz"), 3, at("h.json"))
        if not same_weights(at("at_once.keras"), at("ours_three.keras")) or at_once != logs:
            raise RuntimeError("two epochs and one are not three")
    model = keras.models.load_model(at("ours_two.keras"))
    keras_runs = cases.third_epoch(model, build, variant)
    return max(worst, compare(values(at("ours_three.keras"), list(keras_runs[0][0])), logs, keras_runs))


def missing():
    """Optimizers and schedules of Ramet that no case has."""
    listed = json.loads(subprocess.run([program, "describe", "--json"], capture_output=True, text=True, check=True).stdout)
    made = [make().get_config() | {"class": type(make()).__name__} for make in cases.OPTIMIZERS.values()]
    there = {c["class"] for c in made} | {c["learning_rate"]["class_name"] for c in made if isinstance(c["learning_rate"], dict)}
    return [name for kind in ("optimizers", "learning rate schedules") for name in listed[kind] if name not in there]


passed = failed = 0
largest = 0.0
for name in missing():
    failed += 1
    print(f"{name}: has no case in resume_cases.py")
for variant, build in itertools.product(cases.OPTIMIZERS, cases.MODELS):
    name = f"{variant} {build.__name__}"
    if not wanted and (variant, build) not in cases.IN_TURN:
        continue
    if wanted and wanted != ["all"] and not any(part in name for part in wanted):
        continue
    with tempfile.TemporaryDirectory() as folder:
        try:
            largest = max(largest, check(build, variant, folder))
            passed += 1
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
print(f"at most {largest:.2f} times as far from float64 as Keras itself")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)

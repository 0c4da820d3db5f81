"""Asks Keras which of 2,000 changed configs it takes, for tests/files/strictness_test.cpp.

verdicts.jsonl: first {"base": config} lines, then {"of": number of a base, "edit": [what, pointer, ...], "keras": taken}. An
edit is ["set", pointer, value], ["drop", pointer], ["rename", pointer, key], ["copy", pointer, pointer of what goes there].

usage: verdicts.py DATA_FOLDER   (writes DATA_FOLDER/attacks/verdicts.jsonl)
"""

import copy
import json
import multiprocessing
import os
import queue
import random
import resource
import sys

os.environ.setdefault("KERAS_BACKEND", "jax")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
COUNT = 2000
TELLING = [None, True, False, 0, 1, -1, 2, 7, 255, 2**31 + 1, -(2**31) - 1, 2**62, 0.5, -0.5, 1e308, "", "same", "valid", "relu", "Dense", "..", "float64", [], [0, 0], [1, 1], [2, 2], [-1, 3], {}]


def bases():
    import keras
    from keras import layers as L
    a, b = keras.Input((4,), name="a"), keras.Input((6,), dtype="int32", name="b")
    words = L.Embedding(9, 4, mask_zero=True, name="words")(b)
    both = L.Concatenate(name="join")([L.Dense(4, activation="relu", name="d")(a), L.LSTM(4, name="lstm")(words)])
    yield keras.Model([a, b], L.Dense(2, activation="softmax", name="out")(L.Dropout(0.3, name="drop")(both)), name="two")
    yield keras.Sequential([keras.Input((8, 8, 3), name="in"), L.Conv2D(4, 3, padding="same", strides=2, name="conv"), L.BatchNormalization(name="norm"), L.ReLU(name="relu"),
                            L.MaxPooling2D(2, name="pool"), L.Flatten(name="flat"), L.Dense(3, kernel_regularizer="l2", name="out")], name="image")
    x = keras.Input((5, 4), name="x")
    y = L.MultiHeadAttention(2, 3, name="mha")(x, x)
    y = L.LayerNormalization(name="ln")(L.Add(name="sum")([x, y]))
    yield keras.Model(x, L.GlobalAveragePooling1D(name="mean")(L.Bidirectional(L.GRU(3, return_sequences=True, name="gru"), name="bi")(y)), name="attention")
    i = keras.Input((4,), name="i")
    inner = keras.Model(i, L.Dense(4, name="e")(i), name="inner")
    j = keras.Input((4,), name="j")
    yield keras.Model(j, L.Reshape((2, 2), name="shape")(inner(inner(j)) * 2 + j), name="outer")


def places(json_value, pointer=""):
    yield pointer, json_value
    items = json_value.items() if isinstance(json_value, dict) else enumerate(json_value) if isinstance(json_value, list) else ()
    for key, value in items:
        yield from places(value, f"{pointer}/{key}")


def random_edit(config, rng):
    # Values of layers are what models differ in, so most edits are there.
    every = [p for p in places(config) if p[0] and "~" not in p[0] and all(k for k in p[0].split("/")[1:])]
    inner = [p for p in every if "/layers/" in p[0] and p[0].split("/layers/")[-1].count("/") > 1]
    pointer, old = rng.choice(inner if rng.random() < 0.8 else every)
    key = pointer.rsplit("/", 1)[1]
    what = rng.choice(["set"] * 5 + ["copy", "drop", "rename", "near"])
    if what == "near" and isinstance(old, int) and not isinstance(old, bool):
        return ["set", pointer, old + rng.choice([-1, 1, 2])]
    if what == "copy":
        return ["copy", pointer, rng.choice(every)[0]]
    if what == "drop" and not key.isdigit():
        return ["drop", pointer]
    if what == "rename" and not key.isdigit():
        return ["rename", pointer, key + "_"]
    return ["set", pointer, rng.choice(TELLING)]


def edited(config, edit):
    config = copy.deepcopy(config)

    def find(pointer):
        at, *path = config, *pointer.split("/")[1:]
        parent = None
        for key in path:
            parent, last = at, int(key) if isinstance(at, list) else key
            at = at[last]
        return parent, last
    what, pointer, *more = edit
    value = copy.deepcopy(find(more[0])[0][find(more[0])[1]]) if what == "copy" else more[0] if more else None
    parent, key = find(pointer)
    if what == "drop":
        del parent[key]
    elif what == "rename":
        parent[value] = parent.pop(key)
    else:
        parent[key] = value
    return config


def ask(configs, answers):
    import keras
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    for config in configs:
        try:
            model = keras.models.model_from_json(json.dumps(config))
            answers.put(isinstance(model, keras.Model))
        except BaseException:
            answers.put(False)


def answer(process, answers, seconds=300):
    for _ in range(seconds):
        try:
            return answers.get(timeout=1)
        except queue.Empty:
            if not process.is_alive():
                break
    return answers.get(timeout=1)


def verdicts(configs):
    """A process asks; one that dies or takes five minutes for a config has refused it."""
    answers = multiprocessing.Queue()
    out = []
    while len(out) < len(configs):
        process = multiprocessing.Process(target=ask, args=(configs[len(out):], answers))
        process.start()
        while len(out) < len(configs):
            try:
                out.append(answer(process, answers))
                if len(out) % 100 == 0:
                    print(len(out), "asked", flush=True)
            except queue.Empty:
                out.append(False)
                break
        process.kill()
        process.join()
        answers = multiprocessing.Queue()
    return out


def main():
    rng = random.Random(2026)
    texts = [json.loads(model.to_json()) for model in bases()]
    for text in texts:
        text.pop("compile_config", None)
    edits = [(i % len(texts), random_edit(texts[i % len(texts)], rng)) for i in range(COUNT)]
    taken = verdicts([edited(texts[of], edit) for of, edit in edits])
    with open(os.path.join(sys.argv[1], "attacks", "verdicts.jsonl"), "w") as out:
        for text in texts:
            out.write(json.dumps({"base": text}) + "\n")
        for (of, edit), keras in zip(edits, taken):
            out.write(json.dumps({"of": of, "edit": edit, "keras": keras}) + "\n")


if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    main()

"""Reads with h5py and h5dump what our writer wrote: the sample of hdf5_write_test.cpp.

usage: RAMET_HDF5_SAMPLES=FOLDER test_io -tc='hdf5 writer*' && check_hdf5.py FOLDER
"""

import os
import shutil
import subprocess
import sys

import h5py
import numpy as np

TYPES = "float32 float64 int32 int64 int8 uint8 bool float16 bfloat16".split()


def values(dtype, count):
    i = np.arange(count)
    if dtype == "bfloat16":
        return ((i * 0.5 - 3).astype("f4").view("u4") >> 16).astype("u2").view("V2")
    kind = np.dtype(dtype).kind
    out = {"f": i * 0.5 - 3, "i": i - 3, "u": 7 * i % 251, "b": i % 3 == 0}[kind]
    return out.astype(dtype)


def same(dataset, expected):
    got = dataset[()]
    assert dataset.dtype == expected.dtype, (dataset.name, dataset.dtype, expected.dtype)
    assert np.shape(got) == expected.shape, (dataset.name, np.shape(got))
    assert np.asarray(got).tobytes() == expected.tobytes(), dataset.name


def check(f):
    for dtype in TYPES:
        same(f["types"][dtype], values(dtype, 15).reshape(3, 5))
        same(f["scalar"][dtype], values(dtype, 1).reshape(()))
        same(f["empty"][dtype], values(dtype, 0).reshape(0, 4))
    assert f["types/bfloat16"].attrs["dtype"] == "bfloat16"
    for count in 0, 1, 8, 9, 100, 300, 1000:
        group = f[f"n{count}"]
        assert list(group) == sorted(f"c{i}" for i in range(count))
        for i in range(count):
            child = group[f"c{i}"]
            assert isinstance(child, h5py.Group) == (i % 10 == 9)
            if i % 10 != 9:
                assert child[()] == 0
    same(f["a/b/c/d/e/f/g/h/x"], values("int32", 3))
    same(f["grüße"], values("float32", 1))
    same(f["streamed"], values("float64", 1000))

    assert f.attrs["keras_version"] == "3.15.1"
    assert f.attrs["model_config"] == "x" * 100_000
    attrs = f["attributes"].attrs
    assert len(attrs) == 507
    assert attrs["name"] == "Größe" and attrs["empty"] == ""
    assert list(attrs["names"]) == ["dense/kernel", "", "dense/bias"], attrs["names"]
    assert attrs["no_names"].shape == (0,)
    assert attrs["nothing"].shape == (0,) and attrs["nothing"].dtype == "f8"
    assert (attrs["numbers"] == values("float32", 8).reshape(2, 4)).all() and attrs["numbers"].dtype == "f4"
    assert attrs["one"] == -3
    for i in range(500):
        assert attrs[f"attribute_{i}"] == f"value {i}"
    assert f["types/float32"].attrs["name"] == "on a dataset"
    assert list(f["n0"].attrs["layer_names"]) == [f"layer_{i}" for i in range(4032)]


def change(f):
    """What h5py does to files of its own must work on ours."""
    for count in 0, 1, 8, 9, 100, 300, 1000:
        group = f[f"n{count}"]
        for i in range(0, count, 2):
            del group[f"c{i}"]
        for i in range(40):
            group[f"new{i}"] = np.arange(i)
        assert len(group) == count // 2 + 40
    f["attributes"].attrs["name"] = "another"
    f["types/float32"].attrs["more"] = ["a", "b"]
    f["types/float32"][...] = 7


def main():
    path = os.path.join(sys.argv[1], "sample.h5")
    with h5py.File(path, "r") as f:
        check(f)
    changed = path + ".changed"
    shutil.copy(path, changed)
    with h5py.File(changed, "a") as f:
        change(f)
    with h5py.File(changed, "r") as f:
        assert (f["types/float32"][...] == 7).all() and f["attributes"].attrs["name"] == "another"
        assert f["n1000/new39"].shape == (39,)
    os.remove(changed)
    dump = subprocess.run(["h5dump", path], capture_output=True, check=True, text=True)
    assert not dump.stderr, dump.stderr
    print("h5py and h5dump agree:", path, os.path.getsize(path), "bytes")


main()

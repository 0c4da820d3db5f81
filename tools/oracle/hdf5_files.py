"""Writes the HDF5 files that the reader's tests open, with h5py and Keras. Values follow formulas the tests repeat.

The files are compressed, because HDF5 files of this size are mostly zeros.

usage: hdf5_files.py DATA_FOLDER   (writes DATA_FOLDER/hdf5/*.h5.gz)
"""

import glob
import gzip
import os
import sys
import zlib

import h5py
import numpy as np

NUMBERS = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split()


def values(dtype, *shape):
    """Element i is i/2 - 3 for floats, i - 3 for signed integers, 7 i mod 251 for unsigned, (i mod 3 == 0) for bool."""
    dtype = np.dtype(dtype)
    i = np.arange(int(np.prod(shape)))
    if dtype.kind == "f":
        out = i * 0.5 - 3
    elif dtype.kind == "i":
        out = i - 3
    elif dtype.kind == "u":
        out = 7 * i % 251
    else:
        out = i % 3 == 0
    return out.astype(dtype).reshape(shape)


def types(f):
    for dtype in NUMBERS + ["?"]:
        name = {"?": "bool"}.get(dtype, dtype)
        f[name] = values(dtype, 3, 5)
        f[f"scalar/{name}"] = values(dtype, 5)[4]
        f[f"empty/{name}"] = values(dtype, 0, 4)
    for dtype in ">f4", ">f8", ">i4", ">u2", ">i8":
        f["big/" + dtype[1:]] = values(dtype, 3, 5)
    f["null"] = h5py.Empty("f4")
    f["opaque"] = np.arange(12, dtype="u1").view("V4")
    f["brain"] = (values("f4", 6).view("u4") >> 16).astype("u2").view("V2")
    f["brain"].attrs["dtype"] = "bfloat16"
    f["text"] = ["plain", "", "Größe"]
    f["text_fixed"] = np.array([b"ab", b"abcd", b""], "S4")
    f["text_one"] = "a single one"
    f.create_dataset("unwritten", (3,), "f4", fillvalue=2.5)
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple((3, 5))
    h5py.h5d.create(f.id, b"compact", h5py.h5t.IEEE_F32LE, space, plist)
    f["compact"][...] = values("f4", 3, 5)


def groups(f):
    f["leaf"] = values("f4", 2)
    for count in 0, 1, 8, 9, 100, 1000:
        group = f.create_group(f"n{count}")
        for i in range(count):
            group[f"c{i * 617 % count}"] = f["leaf"]
    f["a/b/c/d/e/f/g/h/x"] = values("i4", 3)
    f["grüße"] = values("f4", 1)


def chunk(f, name, data, chunks, early=False, **options):
    if not early:
        f.create_dataset(name, data=data, chunks=chunks, **options)
        return
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk(chunks)
    plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    space = h5py.h5s.create_simple(data.shape)
    h5py.h5d.create(f.id, name.encode(), h5py.h5t.py_create(data.dtype), space, plist)
    f[name][...] = data


def chunks(f):
    packed = {"compression": "gzip", "shuffle": True}
    chunk(f, "one_axis", values("f4", 100), (16,))
    chunk(f, "two_axes", values("f8", 37, 23), (8, 10), **packed)
    chunk(f, "three_axes", values("i2", 5, 6, 7), (2, 3, 4), compression="gzip")
    chunk(f, "single", values("f4", 6, 5), (6, 5))
    chunk(f, "single_packed", values("f4", 6, 5), (6, 5), **packed)
    chunk(f, "larger_than_shape", values("i4", 3, 3), (8, 2), maxshape=(8, 3))
    chunk(f, "early", values("i4", 9, 4), (4, 3), early=True)
    chunk(f, "fletcher", values("i4", 20), (7,), fletcher32=True)
    chunk(f, "all_filters", values("u2", 31), (9,), fletcher32=True, **packed)
    chunk(f, "many", values("u1", 2100), (2,))
    chunk(f, "endless", values("u1", 600), (3,), maxshape=(None,))
    chunk(f, "endless_packed", values("i4", 300, 3), (20, 2), maxshape=(None, 3), **packed)
    chunk(f, "endless_second", values("i2", 5, 40), (2, 3), maxshape=(7, None))
    chunk(f, "endless_both", values("i2", 30, 20), (3, 2), maxshape=(None, None))
    chunk(f, "endless_both_packed", values("i2", 12, 20), (5, 6), maxshape=(None, None), **packed)
    chunk(f, "big_endian", values(">i4", 20), (6,), compression="gzip")
    part = f.create_dataset("part", (40,), "f4", chunks=(8,), fillvalue=2.5)
    part[8:20] = values("f4", 12)
    pages = f.create_dataset("endless_pages", (140000,), "u1", chunks=(1,), maxshape=(None,))
    pages[139000:139200] = values("u1", 200)
    f.create_dataset("text", data=[f"word {i}" for i in range(20)], chunks=(6,), compression="gzip")


def attributes(f):
    group = f.create_group("few")
    group.attrs["name"] = "dense"
    group.attrs["empty"] = ""
    group.attrs["grüße"] = "Größe"
    group.attrs["ascii"] = np.array([b"a", b"bcd", b""], dtype=h5py.string_dtype("ascii"))
    group.attrs["fixed"] = np.array([b"ab", b"abcd"], "S4")
    group.attrs["nothing"] = np.array([])
    group.attrs["null"] = h5py.Empty("f4")
    group = f.create_group("many")
    for i in range(30):
        group.attrs[f"attribute_{i}"] = f"value {i}"
    group.attrs["long"] = values("f8", 900)
    group.attrs["long_text"] = "0123456789" * 700
    group.attrs["reference"] = f.ref
    data = f.create_dataset("data", data=values("f4", 4))
    for dtype in NUMBERS + ["?", ">i4", ">f8"]:
        data.attrs[dtype.replace("?", "bool")] = values(dtype, 2, 4)
    data.attrs["one"] = 7


def refused(folder):
    """Files that the reader turns away, each for one reason."""

    def make(name, build, **options):
        with h5py.File(os.path.join(folder, f"refused_{name}.h5"), "w", **options) as f:
            build(f)

    def write(name, value):
        return lambda f: f.__setitem__(name, value)

    def external_group(f):
        f["a/b"] = h5py.ExternalLink("other.h5", "/x")

    def loop(f):
        f.create_group("a/b")
        f["a/b/c"] = f["a"]

    def storage(f):
        f.create_dataset("x", (4,), "f4", external=[("other.bin", 0, 16)])

    def virtual(f):
        layout = h5py.VirtualLayout((4,), "f4")
        layout[:] = h5py.VirtualSource("other.h5", "x", (4,))
        f.create_virtual_dataset("x", layout)

    def committed(f):
        f["type"] = np.dtype("f4")
        f.create_dataset("x", (4,), dtype=f["type"])

    def variable(f):
        f.create_dataset("x", (2,), dtype=h5py.vlen_dtype("i4"))

    def deflate_bomb(f):
        data = f.create_dataset("x", (16,), "f4", chunks=(16,), compression="gzip")
        data.id.write_direct_chunk((0,), zlib.compress(bytes(1 << 20)))

    def large_chunk(f):
        data = f.create_dataset("x", (1 << 26,), "f4", chunks=(1 << 26,), compression="gzip")
        data.id.write_direct_chunk((0,), zlib.compress(bytes(1 << 16)))

    make("deflate_bomb", deflate_bomb)
    make("large_chunk", large_chunk)
    make("external_link", write("x", h5py.ExternalLink("other.h5", "/x")))
    make("external_group", external_group)
    make("soft_link", write("x", h5py.SoftLink("/y")))
    make("soft_link_latest", write("x", h5py.SoftLink("/y")), libver="latest")
    make("loop", loop)
    make("external_storage", storage)
    make("virtual", virtual, libver="latest")
    make("committed", committed)
    make("variable_sequence", variable)
    make("compound", write("x", np.zeros(2, [("a", "f4"), ("b", "i4")])))
    make("array", lambda f: f.create_dataset("x", (2,), dtype=np.dtype(("f4", (3,)))))
    make("reference", lambda f: f.create_dataset("x", data=f.ref))
    make("enumeration", lambda f: f.create_dataset("x", (2,), dtype=h5py.enum_dtype({"RED": 0, "BLUE": 1})))
    make("float128", write("x", np.zeros(2, "g")))
    make("lzf", lambda f: f.create_dataset("x", data=values("f4", 8), compression="lzf"))
    make("scaleoffset", lambda f: f.create_dataset("x", data=values("i4", 8), scaleoffset=4))
    make("shape_bomb", lambda f: f.create_dataset("x", (1 << 40, 1 << 10), "f4"))
    make("chunk_bomb", lambda f: f.create_dataset("x", (1 << 40,), "f4", chunks=(1 << 20,), compression="gzip"))


def keras_files(folder):
    import keras
    from keras import layers as L

    inputs = keras.Input((3,), name="input")
    x = L.Dense(4, activation="relu", name="first")(inputs)
    x = L.BatchNormalization(name="norm")(x)
    model = keras.Model(inputs, L.Dense(2, name="second")(x), name="small")
    model.compile(optimizer="adam", loss="mse")
    for weight in model.weights:
        weight.assign(values("f4", *weight.shape))
    model.save_weights(os.path.join(folder, "keras.weights.h5"))
    model.save(os.path.join(folder, "keras_legacy.h5"))


def main():
    folder = os.path.join(sys.argv[1], "hdf5")
    os.makedirs(folder, exist_ok=True)
    for build in types, groups, chunks, attributes:
        for suffix, options in ("", {}), ("_latest", {"libver": "latest"}):
            with h5py.File(os.path.join(folder, f"{build.__name__}{suffix}.h5"), "w", **options) as f:
                build(f)
    with h5py.File(os.path.join(folder, "user_block.h5"), "w", userblock_size=1024) as f:
        f["x"] = values("f4", 4)
        f["x"].attrs["name"] = "after the user block"
    with h5py.File(os.path.join(folder, "small_latest.h5"), "w", libver="latest") as f:
        f["group/x"] = values("f4", 4)
        f["group/x"].attrs["name"] = "small"
        f.create_dataset("packed", data=values("i2", 9), chunks=(4,), compression="gzip")
        f["group/x"].attrs["later"] = values("f8", 40)  # in a continuation block
    refused(folder)
    keras_files(folder)
    for path in glob.glob(os.path.join(folder, "*.h5")):
        with open(path, "rb") as plain, open(path + ".gz", "wb") as packed:
            packed.write(gzip.compress(plain.read(), 9, mtime=0))
        os.remove(path)


main()

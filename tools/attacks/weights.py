"""Class E: HDF5 files for a model of one Dense layer of 3 units on 4 that hold or point to something else."""

import io
import json
import struct

import h5py
import numpy as np

from building import one

SECRET = "secret.h5"  # lies beside the file when the test opens it; nobody may open that one


def made(fill, **options):
    memory = io.BytesIO()
    with h5py.File(memory, "w", **options) as f:
        fill(f)
    return memory.getvalue()


def values(*shape, dtype="f4"):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def sound(f):
    f["layers/dense/vars/0"], f["layers/dense/vars/1"] = values(4, 3), values(3)
    f["layers/dense"].attrs["name"] = "x"
    f.create_group("layers/input_layer/vars")


def good():
    return made(sound)


def with_kernel(put):
    def fill(f):
        sound(f)
        del f["layers/dense/vars/0"]
        put(f["layers/dense/vars"])
    return fill


def chunked(**options):
    return with_kernel(lambda g: g.create_dataset("0", data=values(4, 3), **options))


def links(f_of):
    yield "external_link", f_of(lambda g: g.__setitem__("0", h5py.ExternalLink(SECRET, "/layers/dense/vars/0"))), "external"
    yield "external_link_to_a_system_file", f_of(lambda g: g.__setitem__("0", h5py.ExternalLink("/etc/passwd", "/layers/dense/vars/0"))), "external"
    yield "soft_link", f_of(lambda g: g.__setitem__("0", h5py.SoftLink("/layers/dense/vars/1"))), "soft link"
    yield "soft_link_to_itself", f_of(lambda g: g.__setitem__("0", h5py.SoftLink("0"))), "soft link"
    yield "external_storage", f_of(lambda g: g.create_dataset("0", (4, 3), "f4", external=[(SECRET, 0, 48)])), "external"

    def virtual(g):
        layout = h5py.VirtualLayout((4, 3), "f4")
        layout[:] = h5py.VirtualSource(SECRET, "layers/dense/vars/0", (4, 3))
        g.create_virtual_dataset("0", layout)
    yield "virtual_dataset", f_of(virtual), "virtual"


def tree():
    def group_link(f):
        f.create_group("layers/input_layer")
        f["layers/dense"] = h5py.ExternalLink(SECRET, "/layers/dense")
    yield "external_link_on_the_way", group_link, "external"

    def soft_group(f):
        sound(f)
        f.move("layers/dense", "hidden")
        f["layers/dense"] = h5py.SoftLink("/hidden")
    yield "soft_link_on_the_way", soft_group, "soft link"

    def loop(f):
        sound(f)
        del f["layers/dense/vars"]
        f["layers/dense/vars"] = f["layers"]
    yield "group_inside_itself", loop, ""

    yield "dataset_for_a_group", lambda f: f.__setitem__("layers/dense/vars", values(3)), "vars"
    yield "group_for_a_dataset", with_kernel(lambda g: g.create_group("0")), "0"
    yield "no_groups", lambda f: None, "'x'"
    yield "variable_missing", with_kernel(lambda g: None), "expected 2 variables, but received 1"
    yield "variable_too_many", lambda f: (sound(f), f.__setitem__("layers/dense/vars/2", values(3))), "expected 2 variables, but received 3"
    yield "variable_of_another_name", with_kernel(lambda g: g.__setitem__("kernel", values(4, 3))), "0"
    yield "layer_of_another_name", lambda f: (f.__setitem__("layers/dense_1/vars/0", values(4, 3)), f.__setitem__("layers/dense_1/vars/1", values(3))), "'x'"


def arrays():
    for what, shape in [("swapped", (3, 4)), ("flat", (12,)), ("of_one_row_more", (5, 3)), ("with_an_axis_of_one", (4, 3, 1)), ("scalar", ()), ("empty", (0, 3))]:
        yield f"shape_{what}", with_kernel(lambda g, shape=shape: g.__setitem__("0", values(*shape))), "shape"
    yield "shape_bomb", with_kernel(lambda g: g.create_dataset("0", (2**31, 2**20), "f4", chunks=(1024, 1024))), "declares"
    yield "shape_wrapping_round", with_kernel(lambda g: g.create_dataset("0", (2**32, 2**32, 4), "f4", chunks=(4, 4, 4))), ""
    yield "null_dataspace", with_kernel(lambda g: g.__setitem__("0", h5py.Empty("f4"))), "shape"
    yield "strings", with_kernel(lambda g: g.create_dataset("0", (4, 3), h5py.string_dtype())), "string"
    yield "fixed_strings", with_kernel(lambda g: g.create_dataset("0", (4, 3), "S4")), "string"
    yield "compound", with_kernel(lambda g: g.create_dataset("0", (4, 3), [("a", "f4"), ("b", "f4")])), "compound"
    yield "array_type", with_kernel(lambda g: g.create_dataset("0", (4,), "(3,)f4")), ""
    yield "references", with_kernel(lambda g: g.create_dataset("0", (4, 3), h5py.ref_dtype)), ""
    yield "sequences", with_kernel(lambda g: g.create_dataset("0", (4, 3), h5py.vlen_dtype("f4"))), ""
    yield "enumeration", with_kernel(lambda g: g.create_dataset("0", (4, 3), h5py.enum_dtype({"A": 1, "B": 2}))), ""
    yield "complex", with_kernel(lambda g: g.create_dataset("0", (4, 3), "c8")), ""
    yield "opaque", with_kernel(lambda g: g.__setitem__("0", np.zeros((4, 3), "V4"))), ""
    yield "float128", with_kernel(lambda g: g.create_dataset("0", (4, 3), np.longdouble)), ""

    def committed(g):
        g.file["type"] = np.dtype("f4")
        h5py.h5d.create(g.id, b"0", g.file["type"].id, h5py.h5s.create_simple((4, 3)))
    yield "committed_type", with_kernel(committed), "committed"
    yield "filter_lzf", chunked(chunks=(4, 3), compression="lzf"), "filter"
    yield "filter_scaleoffset", with_kernel(lambda g: g.create_dataset("0", data=values(4, 3, dtype="i4"), scaleoffset=0)), "filter"

    def raw_chunk(data, size=12):
        def put(g):
            d = g.create_dataset("0", (4, 3), "f4", chunks=(4, 3), compression="gzip")
            d.id.write_direct_chunk((0, 0), data)
        return put
    import zlib
    yield "chunk_bomb", with_kernel(raw_chunk(zlib.compress(b"\0" * (64 << 20), 9))), ""
    yield "chunk_damaged", with_kernel(raw_chunk(b"\x78\x9c" + b"\xff" * 30)), ""
    yield "chunk_too_small", with_kernel(raw_chunk(zlib.compress(b"\0" * 8))), ""


def legacy(f, config=None):
    f.attrs["model_config"] = json.dumps(one("Dense", units=3)) if config is None else config
    f.attrs["keras_version"] = "3.15.1"
    g = f.create_group("model_weights")
    g.attrs["layer_names"] = [b"in", b"x"]
    g.create_group("in").attrs["weight_names"] = np.zeros(0)
    g["x/x/kernel"], g["x/x/bias"] = values(4, 3), values(3)
    g["x"].attrs["weight_names"] = [b"x/kernel", b"x/bias"]


def legacy_kernel(put):
    def fill(f):
        legacy(f)
        del f["model_weights/x/x/kernel"]
        renamed = f["model_weights/x/x"]
        put(renamed)
        if "0" in renamed.keys():
            renamed.move("0", "kernel")
    return fill


def whole_models():
    def attribute(path, name, value):
        def fill(f):
            legacy(f)
            f[path].attrs[name] = value
        return fill

    def without(path, name):
        def fill(f):
            legacy(f)
            del f[path].attrs[name]
        return fill
    yield "without_model_config", without("/", "model_config"), "model_config"
    yield "model_config_numbers", attribute("/", "model_config", [1.0, 2.0]), "model_config"
    yield "model_config_two_texts", attribute("/", "model_config", ["{}", "{}"]), "model_config"
    yield "model_config_empty", attribute("/", "model_config", ""), "model_config"
    yield "training_config_no_json", attribute("/", "training_config", "{"), "training_config"
    yield "training_config_evil", attribute("/", "training_config", json.dumps({"optimizer_config": {"class_name": "Evil", "config": {}}})), "Evil"
    yield "layer_names_missing", without("model_weights", "layer_names"), "ayer"
    yield "layer_names_outside", attribute("model_weights", "layer_names", [b"in", b"../../x"]), ""
    yield "layer_names_of_no_group", attribute("model_weights", "layer_names", [b"in", b"none"]), "none"
    yield "layer_names_twice", attribute("model_weights", "layer_names", [b"x", b"x"]), "ayer"
    yield "layer_names_numbers", attribute("model_weights", "layer_names", [1, 2]), "ayer"
    yield "weight_names_of_nothing", attribute("model_weights/x", "weight_names", [b"x/kernel", b"x/none"]), "none"
    yield "weight_names_too_few", attribute("model_weights/x", "weight_names", [b"x/kernel"]), "eight"
    yield "weight_names_swapped", attribute("model_weights/x", "weight_names", [b"x/bias", b"x/kernel"]), "shape"
    yield "weight_names_a_group", attribute("model_weights/x", "weight_names", [b"x/kernel", b"x"]), "x"
    yield "model_weights_missing", lambda f: (legacy(f), f.__delitem__("model_weights")), "model_weights"
    yield "model_weights_a_dataset", lambda f: (legacy(f), f.__delitem__("model_weights"), f.__setitem__("model_weights", values(3))), "model_weights"


def damaged():
    sound_file = good()
    yield "signature_only", sound_file[:8], ""
    yield "superblock_only", sound_file[:96], ""
    yield "root_outside", sound_file[:64] + struct.pack("<Q", 1 << 40) + sound_file[72:], ""
    yield "longer_than_it_is", sound_file[:40] + struct.pack("<Q", 1 << 40) + sound_file[48:], ""


def attacks():
    for name, fill, says in [*links(with_kernel), *tree(), *arrays()]:
        yield name + ".weights.h5", "weights", made(fill), says
    for name, content, says in damaged():
        yield name + ".weights.h5", "weights", content, says
    for name, fill, says in links(legacy_kernel):
        yield "legacy_" + name + ".h5", "legacy", made(fill), says
    for name, fill, says in whole_models():
        yield "legacy_" + name + ".h5", "legacy model" if "config" in name else "legacy", made(fill), says

"""Writes small .npy and .npz files with NumPy, among them every kind that Ramet must refuse.

usage: npy_files.py DATA_FOLDER     (writes into DATA_FOLDER/npy)

Element i of an array, counted in row-major order, is formula(i); the tests compute it again. The archives carry a fixed
date, so that running this twice gives the same bytes.
"""

import io
import os
import sys
import zipfile

import numpy as np
from numpy.lib import format as npy

TYPES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


def formula(dtype, shape):
    """0, 3, 6, … for unsigned, 0, -3, 6, -9, … for signed, half of that for floats, False, True, False for booleans."""
    i = np.arange(int(np.prod(shape)), dtype="int64").reshape(shape)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return i % 2 == 1
    if kind == "u":
        return (3 * i).astype(dtype)
    signed = 3 * i * (1 - 2 * (i % 2))
    return (signed / 2 if kind == "f" else signed).astype(dtype)


def bytes_of(array, version=None):
    out = io.BytesIO()
    npy.write_array(out, array, version=version, allow_pickle=True)
    return out.getvalue()


def archive(arrays, method, streamed=False):
    """What np.savez writes (also its 64-bit sizes in the headers), with a fixed date."""

    class Unseekable(io.BytesIO):
        def seekable(self):
            return False

        def tell(self):
            raise io.UnsupportedOperation

    out = Unseekable() if streamed else io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as zf:
        for name, array in arrays.items():
            info = zipfile.ZipInfo(name + ".npy")
            info.compress_type = method
            with zf.open(info, "w", force_zip64=True) as member:
                npy.write_array(member, array)
    return out.getvalue()


def main(folder):
    folder = os.path.join(folder, "npy")
    os.makedirs(folder, exist_ok=True)

    def put(name, data):
        with open(os.path.join(folder, name), "wb") as out:
            out.write(data)

    for dtype in TYPES:
        put(f"{dtype}.npy", bytes_of(formula(dtype, (2, 3))))
        if dtype[1] != "1":
            put(f"big_{dtype}.npy", bytes_of(formula(dtype, (2, 3)).astype(">" + dtype)))
    put("scalar.npy", bytes_of(formula("f4", ()) + np.float32(1.5)))
    put("empty.npy", bytes_of(formula("f8", (3, 0, 2))))
    put("fortran.npy", bytes_of(np.asfortranarray(formula("f4", (2, 3, 4)))))
    put("fortran_big.npy", bytes_of(np.asfortranarray(formula("i2", (3, 4)).astype(">i2"))))
    put("version2.npy", bytes_of(formula("f4", (2, 3)), (2, 0)))
    put("version3.npy", bytes_of(formula("f4", (2, 3)), (3, 0)))

    arrays = {"kernel": formula("f4", (3, 4)), "layers/dense/vars/0": formula("i8", (5,)), "flag": formula("b1", ())}
    put("stored.npz", archive(arrays, zipfile.ZIP_STORED))
    put("deflated.npz", archive(arrays, zipfile.ZIP_DEFLATED))
    put("streamed.npz", archive(arrays, zipfile.ZIP_DEFLATED, streamed=True))
    saved = io.BytesIO()
    np.savez(saved, **{"kernel": arrays["kernel"]})
    put("savez.npz", saved.getvalue())

    put("refused_object.npy", bytes_of(np.array([{}, None], dtype=object)))
    put("refused_record.npy", bytes_of(np.zeros(2, dtype=[("a", "f4"), ("b", "i4")])))
    put("refused_string.npy", bytes_of(np.array(["a", "bc"])))
    put("refused_bytes.npy", bytes_of(np.array([b"a", b"bc"])))
    put("refused_complex.npy", bytes_of(np.zeros(2, "c8")))
    put("refused_date.npy", bytes_of(np.zeros(2, "M8[s]")))
    put("refused_span.npy", bytes_of(np.zeros(2, "m8[s]")))
    put("refused_raw.npy", bytes_of(np.zeros(2, "V3")))
    put("refused_long_double.npy", bytes_of(np.zeros(2, "g")))
    put("refused_large_u8.npy", bytes_of(np.array([1, 2**63], "u8")))


if __name__ == "__main__":
    main(sys.argv[1])

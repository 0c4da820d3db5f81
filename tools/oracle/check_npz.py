"""Verifies with NumPy and zipfile the files that the npz tests write when RAMET_KEEP_FILES names a folder.

usage: RAMET_KEEP_FILES=FOLDER build/release/test_io -tc='*oracle*' && check_npz.py FOLDER
"""

import io
import os
import sys
import zipfile

import numpy as np

from npy_files import bytes_of, formula

TYPES = {"boolean": "b1", "i8": "i1", "i32": "i4", "i64": "i8", "u8": "u1", "f32": "f4", "f64": "f8"}


def main(folder):
    with np.load(os.path.join(folder, "ramet.npz")) as arrays:
        assert list(arrays) == [f"arrays/{name}" for name in TYPES], list(arrays)
        for name, dtype in TYPES.items():
            expected = formula(dtype, (2, 3))
            actual = arrays[f"arrays/{name}"]
            assert actual.dtype == expected.dtype and (actual == expected).all(), name
    with zipfile.ZipFile(os.path.join(folder, "ramet.npz")) as zf:
        assert zf.testzip() is None
        for info in zf.infolist():
            assert info.date_time == (1980, 1, 1, 0, 0, 0) and info.compress_type == zipfile.ZIP_STORED
            start = info.header_offset
            zf.fp.seek(start + 26)
            name, extra = np.frombuffer(zf.fp.read(4), "<u2")
            assert (start + 30 + name + extra) % 64 == 0, "not aligned"
    with open(os.path.join(folder, "ramet.npy"), "rb") as file:
        data = file.read()
    assert (np.load(io.BytesIO(data)) == formula("f4", (2, 3))).all()
    assert data == bytes_of(formula("f4", (2, 3))), "np.save writes other bytes"
    print("ok:", len(TYPES), "arrays")


if __name__ == "__main__":
    main(sys.argv[1])

"""Writes recordings: NAME.jsonl (one case per line) with its arrays in NAME.bin.

An array stands in the JSON as {"dtype": ..., "shape": [...], "offset": bytes into NAME.bin}. The .bin holds raw
little-endian C-order data; every array starts at a multiple of 16 and equal arrays are stored once.
"""

import hashlib
import json
import math
import os

import numpy as np

DTYPES = {"float32", "float64", "int32", "int64", "bool", "uint8", "bfloat16"}
ALIGNMENT = 16


class Recording:
    def __init__(self, folder, name):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, name)
        self.lines = []
        self.chunks = []
        self.size = 0
        self.offset_of = {}  # digest of the bytes -> offset

    def array(self, value):
        """Stores an array (anything np.asarray takes) and returns its reference for the JSON."""
        value = np.asarray(value)
        shape = list(value.shape)
        value = np.ascontiguousarray(value)
        if value.dtype.name not in DTYPES:
            raise TypeError(f"dtype {value.dtype} is not part of the format")
        if value.dtype.name == "bfloat16":
            data = value.view("<u2").tobytes()
        else:
            data = value.astype(value.dtype.newbyteorder("<")).tobytes()
        key = hashlib.sha256(data).digest()
        if key not in self.offset_of:
            padding = -self.size % ALIGNMENT
            self.chunks.append(b"\0" * padding + data)
            self.offset_of[key] = self.size + padding
            self.size += padding + len(data)
        return {"dtype": value.dtype.name, "shape": shape, "offset": self.offset_of[key]}

    def arrays(self, values):
        return [None if v is None else self.array(v) for v in values]

    def case(self, **fields):
        """Adds one line. NumPy arrays anywhere inside become references; plain numbers stay."""
        self.lines.append(json.dumps(self._plain(fields), separators=(",", ":"), allow_nan=False))

    def _plain(self, value):
        if isinstance(value, dict):
            return {str(k): self._plain(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._plain(v) for v in value]
        if isinstance(value, (np.ndarray, np.generic)):  # a NumPy scalar is an array of rank 0
            return self.array(value)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("put non-finite numbers into arrays, JSON has none")
        return value

    def write(self):
        with open(self.path + ".jsonl", "w", encoding="utf-8") as f:
            f.write("".join(line + "\n" for line in self.lines))
        with open(self.path + ".bin", "wb") as f:
            f.write(b"".join(self.chunks))
        mb = (self.size + sum(len(line) + 1 for line in self.lines)) / 1e6
        print(f"{os.path.basename(self.path)}: {len(self.lines)} cases, {mb:.2f} MB")

"""Class D: whole .keras archives in which one field of the zip lies, or one member is not what it should be."""

import json
import struct
import zlib

import weights
from building import one

CONFIG = json.dumps(one("Dense", units=3)).encode()
METADATA = b'{"keras_version": "3.15.1", "date_saved": "2026-11-15@00:00:00"}'
BOMB = 200 << 20


class Member:
    def __init__(self, name, content, method=0, **lies):
        self.name, self.content, self.method = name.encode() if isinstance(name, str) else name, content, method
        self.data = content
        if method == 8:
            packer = zlib.compressobj(9, wbits=-15)
            self.data = packer.compress(content) + packer.flush()
        self.crc = zlib.crc32(content)
        self.size, self.stored = len(content), len(self.data)
        self.flags = self.attributes = 0
        self.before = self.after = b""
        self.local, self.offset = {}, None  # what the local header says instead; where the directory says it lies
        for key, value in lies.items():
            setattr(self, key, value)

    def fields(self, **other):
        get = lambda key: other.get(key, getattr(self, key))
        return struct.pack("<HHHHIIIHH", get("flags"), get("method"), 0, 33, get("crc"), get("stored"), get("size"), len(get("name")), 0)


def archive(*members, before=b"", after=b"", comment=b"", count=None, disk=0, offset=None):
    out, directory = before, b""
    for m in members:
        out += m.before
        at = len(out) if m.offset is None else m.offset
        out += b"PK\3\4" + struct.pack("<H", 20) + m.fields(**m.local) + m.local.get("name", m.name) + m.data + m.after
        directory += b"PK\1\2" + struct.pack("<HH", 3 << 8 | 20, 20) + m.fields() + struct.pack("<HHHII", 0, disk, 0, m.attributes, at) + m.name
    begin = len(out) if offset is None else offset
    n = len(members) if count is None else count
    return out + directory + b"PK\5\6" + struct.pack("<HHHHIIH", disk, disk, n, n, len(directory), begin, len(comment)) + comment + after


def keras(*more, config=None, metadata=None, weights_member=None, **options):
    members = [metadata or Member("metadata.json", METADATA), config or Member("config.json", CONFIG), weights_member or Member("model.weights.h5", weights.good())]
    return archive(*[m for m in members if m], *more, **options)


def members():
    yield "no_archive", b"hello, world", ""
    yield "empty_file", b"", ""
    yield "empty_archive", archive(), "config.json"
    yield "without_config", archive(Member("metadata.json", METADATA), Member("model.weights.h5", weights.good())), "no config.json"
    yield "without_weights", archive(Member("config.json", CONFIG)), "model.weights.h5"
    yield "config_is_a_folder", keras(config=Member("config.json/", b"")), "config.json"
    yield "config_in_capitals", keras(config=Member("CONFIG.JSON", CONFIG)), "CONFIG.JSON"
    yield "config_twice", keras(Member("config.json", CONFIG)), "config.json"
    yield "config_empty", keras(config=Member("config.json", b"")), "config.json"
    yield "config_not_utf8", keras(config=Member("config.json", CONFIG.replace(b'"x"', b'"\xff\xfe"'))), "UTF-8"
    yield "weights_empty", keras(weights_member=Member("model.weights.h5", b"")), "model.weights.h5"
    yield "weights_are_text", keras(weights_member=Member("model.weights.h5", b"hello")), "model.weights.h5"
    yield "weights_only_npz", archive(Member("config.json", CONFIG), Member("model.weights.npz", b"")), "npz"
    yield "weights_twice", keras(Member("model.weights.h5", weights.good())), "model.weights.h5"
    for what, name in [("a_program", "evil.py"), ("a_parent", "../evil"), ("an_asset_outside", "assets/../../evil"), ("an_absolute_path", "/etc/cron.d/evil"), ("a_drive", "C:/evil"),
                       ("a_backslash", "assets\\..\\evil"), ("nul", "assets/a\0b"), ("an_empty_name", ""), ("a_dot", "./config.json"), ("not_utf8", b"assets/\xff")]:
        shown = "" if what in ("nul", "an_empty_name", "not_utf8", "a_backslash") else name if isinstance(name, str) else ""
        yield f"member_with_{what}", keras(Member(name, b"x")), shown
    yield "member_is_a_link", keras(Member("assets/x", b"/etc/passwd", attributes=0o120777 << 16)), "link"
    yield "members_10001", keras(*[Member(f"assets/{i}", b"") for i in range(10001)]), "members"


def headers():
    config = lambda **lies: Member("config.json", CONFIG, **lies)
    yield "local_name_differs", keras(config=config(local={"name": b"config.jsox"})), ""
    yield "local_method_differs", keras(config=config(local={"method": 8})), ""
    yield "local_size_differs", keras(config=config(local={"size": 5})), ""
    yield "local_crc_differs", keras(config=config(local={"crc": 5})), ""
    yield "local_flags_differ", keras(config=config(local={"flags": 8})), ""
    yield "crc_of_config_wrong", keras(config=config(crc=5)), "CRC"
    yield "crc_of_weights_wrong", keras(weights_member=Member("model.weights.h5", weights.good(), crc=5)), "CRC"
    yield "encrypted", keras(config=config(flags=1)), "encrypted"
    yield "method_99", keras(config=config(method=99)), "method"
    yield "method_bzip2", keras(config=config(method=12)), "method"
    yield "size_larger_than_file", keras(config=config(size=1 << 30, stored=1 << 30)), ""
    yield "deflated_size_too_small", keras(config=Member("config.json", CONFIG, 8, size=10)), ""
    yield "deflated_size_too_large", keras(config=Member("config.json", CONFIG, 8, size=len(CONFIG) + 1)), ""
    yield "deflated_data_damaged", keras(config=Member("config.json", CONFIG, 8, data=b"\xff" * 50, stored=50)), ""
    yield "bomb_as_config", keras(config=Member("config.json", b" " * BOMB, 8)), ""
    yield "bomb_as_weights", keras(weights_member=Member("model.weights.h5", b"\0" * BOMB, 8)), ""
    yield "bomb_as_asset", keras(Member("assets/x", b"\0" * BOMB, 8)), ""
    yield "bomb_with_a_small_size", keras(weights_member=Member("model.weights.h5", b"\0" * BOMB, 8, size=1000)), ""
    yield "overlap", keras(Member("assets/x", b"x", offset=0)), ""
    yield "offset_outside", keras(config=config(offset=1 << 30)), ""
    yield "offset_with_64_bits", keras(config=config(offset=0xFFFFFFFF)), ""
    yield "bytes_before", keras(before=b"#!/bin/sh\n"), ""
    yield "bytes_between", keras(config=config(before=b"hidden")), ""
    yield "bytes_after", keras(after=b"hidden"), ""
    yield "comment_with_an_end", keras(comment=b"PK\5\6" + b"\0" * 18), ""
    yield "two_ends", keras(after=archive(Member("config.json", b"{}"))), ""
    yield "count_too_large", keras(count=4), ""
    yield "count_too_small", keras(count=2), ""
    yield "second_disk", keras(disk=1), ""
    yield "directory_outside", keras(offset=1 << 30), ""
    for what, cut in [("the_end", 10), ("the_directory", 60), ("half", len(keras()) // 2)]:
        yield f"cut_at_{what}", keras()[:-cut], ""


def attacks():
    for name, content, says in [*members(), *headers()]:
        yield name + ".keras", "archive", content, says

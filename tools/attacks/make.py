"""Writes the attack files that tests/files/attack_files_test.cpp opens, and the tables of what must be said about them.

configs.jsonl: a line per attack on config.json, metadata.json or the compile config. files.jsonl: a line per whole file,
which lies beside it, compressed. `at` is a JSON pointer and `says` a piece of the message.

usage: make.py DATA_FOLDER   (writes DATA_FOLDER/attacks)
"""

import gzip
import json
import os
import sys

import archives
import documents
import numeric
import semantics
import weights


def configs():
    for name, config, at, says in [*semantics.attacks(), *numeric.attacks()]:
        yield {"name": name, "config": config, "at": at, "says": says}
    for name, text, says in documents.texts():
        yield {"name": name, "text": text, "at": "", "says": says}
    for name, text, says in documents.metadata():
        yield {"name": name, "metadata": text, "at": "metadata", "says": says}
    for name, config, says in documents.compile_configs():
        yield {"name": name, "compile": config, "at": "", "says": says}


def files(folder):
    for name, kind, content, says in [*archives.attacks(), *weights.attacks()]:
        with open(os.path.join(folder, name + ".gz"), "wb") as out:
            out.write(gzip.compress(content, 9, mtime=0))
        yield {"name": name, "kind": kind, "says": says}


def write(path, lines):
    with open(path, "w") as out:
        for line in lines:
            out.write(json.dumps(line) + "\n")


def main():
    folder = os.path.join(sys.argv[1], "attacks")
    os.makedirs(folder, exist_ok=True)
    for old in os.listdir(folder):
        if old.endswith(".gz"):
            os.remove(os.path.join(folder, old))
    write(os.path.join(folder, "configs.jsonl"), configs())
    write(os.path.join(folder, "files.jsonl"), files(folder))


if __name__ == "__main__":
    main()

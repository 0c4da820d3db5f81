"""Records models that Keras trained for two epochs, and where the third one ends.

usage: resume_files.py DATA_FOLDER

resume/NAME.keras is what Keras saved (packed again with compression: it is mostly HDF5's own zeros), resume.jsonl holds for
each the data and, in float32 and float64, the third epoch's end.
"""

import json
import os
import sys
import zipfile

os.environ["KERAS_BACKEND"] = "jax"

import resume_cases as cases  # noqa: E402
from recording import Recording  # noqa: E402

EPOCH_OF_ZIP = (1980, 1, 1, 0, 0, 0)


def save(model, path):
    """The same bytes every time: what says when it was saved says 1980."""
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members["metadata.json"] = json.dumps(json.loads(members["metadata.json"]) | {"date_saved": "1980-01-01@00:00:00"})
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH_OF_ZIP), content, zipfile.ZIP_DEFLATED, 9)


def end(run):
    values, logs = run
    return {"state": [{"path": p, "value": v} for p, v in values.items()], "logs": {k: float(v) for k, v in logs.items()}}


def main(folder):
    out = Recording(folder, "resume")
    os.makedirs(os.path.join(folder, "resume"), exist_ok=True)
    for variant, build in cases.IN_TURN:
        model = cases.fresh(build, variant)
        cases.fit(model, cases.DATA[build], 0, 2)
        save(model, os.path.join(folder, "resume", variant + ".keras"))
        single, exact = cases.third_epoch(model, build, variant)
        x, y, weight = (list(d.values()) if d else None for d in cases.DATA[build])
        out.case(file=variant, model=build.__name__, batch_size=cases.BATCH, x=x, y=y, sample_weight=weight, float32=end(single), float64=end(exact))
        print(variant, build.__name__, flush=True)
    out.write()


if __name__ == "__main__":
    main(sys.argv[1])

"""A short program that computes the coordinates on screen."""

from __future__ import annotations

from melm_studio.views.captions import title
from melm_studio.worker.records.run import PlaneEvent, RunRecord

_SCRIPT = """\
# The coordinates of {title} of {data_name}, as the studio shows them.
#
#     python {file_name}{argument} > points.csv
#
# It needs the package melm_core and what that is built on: numpy, scipy, scikit-learn, pandas.

import sys
from pathlib import Path

import numpy as np

from melm_studio.tables import load_sample, prepare, read_table

table = {table}
data = prepare(table, {label!r}, standardize={standardize!r}{roles})
components = np.array(
    {components!r}
)
coordinates = data.X @ components.T

np.savetxt(sys.stdout, coordinates, delimiter=",", header="{header}", comments="")
"""
_SAMPLE = "load_sample({key!r})"
_UPLOAD = "read_table(Path(sys.argv[1]).read_bytes(), {name!r})"


def program_of(record: RunRecord, event: PlaneEvent, file_name: str) -> str:
    """Return a program that computes the coordinates of every row in the plane of an event."""
    source = record.source
    is_sample = source["kind"] == "sample"
    return _SCRIPT.format(
        title=_line(title(record)),
        data_name=_line(record.data_name),
        file_name=_line(file_name),
        argument="" if is_sample else " TABLE.csv",
        table=(_SAMPLE if is_sample else _UPLOAD).format(key=source["key"], name=record.data_name),
        label=source["label"],
        standardize=source["standardise"],
        roles=f", roles={source['roles']!r}" if source.get("roles") else "",
        components=event.components.tolist(),
        header=",".join(f"component_{i + 1}" for i in range(len(event.components))),
    )


def _line(text: str) -> str:
    """Put text on one line, so that it cannot end the comment that contains it."""
    return " ".join(text.split())

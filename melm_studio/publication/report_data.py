"""The section of a report on the data and their preparation."""

from __future__ import annotations

import numpy as np

from melm_studio.analyses.report_section import Section, Table
from melm_studio.runs.records.run import RunRecord
from melm_studio.tables import LabeledData, count, number, recipe_caption

MAX_COLUMNS = 200


def data_section(data: LabeledData, record: RunRecord) -> Section:
    """Return what the data of a run are and how they were prepared."""
    source = record.source
    uploaded = [("SHA-256 of the file", source.key)]
    facts = [
        ("Table", record.data_name),
        *(uploaded if source.kind == "upload" else []),
        ("SHA-256 of the prepared data", record.data_id),
        ("Label", source.label or ""),
        ("Rows", number(len(data.y))),
        ("Features", number(data.X.shape[1])),
        ("Preparation", ", ".join(recipe_caption(data.recipe)) or "standardized"),
        ("Groups of rows", _groups(data)),
        ("Rows chosen", "; ".join(one.words for one in source.filters)),
        ("Rows left out by hand", number(len(source.left_out))),
    ]
    classes = tuple((name, number(n)) for name, n in data.class_counts.items())
    return Section(
        "Data",
        sentences=data.steps,
        tables=(
            Table("The table", ("", ""), tuple(fact for fact in facts if fact[1])),
            Table("Classes", ("Class", "Rows"), classes),
            _columns(data),
        ),
    )


def _groups(data: LabeledData) -> str:
    if data.groups is None:
        return "none: rows count as independent"
    return f"{count(len(np.unique(data.groups)), 'group')}, each kept together"


def _columns(data: LabeledData) -> Table:
    shown = data.columns[:MAX_COLUMNS]
    n_more = len(data.columns) - len(shown)
    return Table(
        "Columns",
        ("Column", "Role", "Reason"),
        tuple((column.name, str(column.role), column.reason) for column in shown),
        note=f"And {count(n_more, 'more column')}." if n_more else "",
    )

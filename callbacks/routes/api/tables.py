"""Files and tables of programs."""

from __future__ import annotations

from callbacks.routes.api.json_body import json_body
from callbacks.routes.upload import stored_upload
from callbacks.session import workspace
from melm_studio.programs.models import Feature, PreparedTable, StoredFile
from melm_studio.runs.records.data_source import DataSource
from melm_studio.tables import LabeledData


def store_file() -> StoredFile:
    """Store the file of a form under the hash of its content."""
    key, name = stored_upload()
    return StoredFile(key, name)


def prepare() -> PreparedTable:
    """Prepare a table as runs do."""
    return _described(prepared(json_body(DataSource, "The data")))


def prepared(source: DataSource) -> LabeledData:
    """Return the prepared table of a source."""
    own = workspace()
    return own.prepare(own.table(source), source)


def _described(data: LabeledData) -> PreparedTable:
    columns = zip(data.feature_names, data.center.tolist(), data.scale.tolist(), strict=True)
    return PreparedTable(
        id=data.content_hash,
        name=data.name,
        label=data.label,
        n_rows=len(data.y),
        classes=dict(data.class_counts),
        features=tuple(Feature(*column) for column in columns),
        steps=data.steps,
        warnings=data.warnings,
    )

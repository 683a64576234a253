"""The page before Dash has rendered it."""

from __future__ import annotations

import flask
from dash.development.base_component import Component

from callbacks.services import services
from callbacks.session import has_owner, workspace
from melm_studio.configuration.limits import DiskFullError
from melm_studio.layout.first_page import first_page
from melm_studio.layout.page import first_source
from melm_studio.runs.records.data_source import DataSource
from melm_studio.validation import read
from melm_studio.workspace.data_source import ShownData


def first_data() -> DataSource:
    """Return the data of a first visit."""
    return read(first_source(), DataSource, "The data of a first visit")


def first_paint() -> Component:
    """Render the page as a visitor sees it before Dash has."""
    if not has_owner() or workspace().panels():
        return first_page(None, is_new=False)
    if flask.request.args:  # a link shows data of its own
        return first_page(None)
    source = first_data()
    try:
        table = services().tables.describe(workspace(), source)
    except DiskFullError:  # the page itself tells what is asked of it that there is no room for
        return first_page(None)
    return first_page(ShownData(table.id, table.name, table.label, source), table.class_names)

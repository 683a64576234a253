"""A report as one HTML file, which opens without a server or network and prints well."""

from __future__ import annotations

import base64
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from melm_studio.publication.report import Report

_TEMPLATE = "report.html"


def report_page(report: Report) -> str:
    """Return the HTML of a report; all of its text is escaped.

    Parameters
    ----------
    report : Report
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["base64"] = lambda raw: base64.b64encode(raw).decode()
    return environment.get_template(_TEMPLATE).render(report=report)

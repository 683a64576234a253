"""The benchmarks, each by the first line of its docstring."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from lab.benchmarks.__main__ import BENCHMARKS, LONG_BENCHMARKS

_PAGE = """\
# The benchmarks

`make bench ARGS="NAME"` measures one and prints it ([figures](../benchmarks.md)). Where nothing
else is said, the data are the breast cancer sample. Written by `python -m lab.lists`.

| name | what is measured |
|---|---|
{short}

## By name only

These take minutes.

| name | what is measured |
|---|---|
{long}
"""


def page() -> str:
    """Write the page of all benchmarks."""
    return _PAGE.format(short=_lines(BENCHMARKS), long=_lines(LONG_BENCHMARKS))


def _lines(benchmarks: Mapping[str, object]) -> str:
    return "\n".join(f"| `{name}` | {_first_line(each)} |" for name, each in benchmarks.items())


def _first_line(measure: object) -> str:
    return " ".join((inspect.getdoc(measure) or "").partition("\n\n")[0].split())

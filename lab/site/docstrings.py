"""Docstrings as reStructuredText: plain text has characters that it would take for markup."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any

from sphinx.application import Sphinx

_CODE = re.compile(r"(``.+?``|`[^`]+`_?)")
_MARKUP = re.compile(r"\||(?<=\w)_(?!\w)|\*(?=\w)(?!\*)")
_PARAMETER = re.compile(r"(\s*[\w*, .]+ :(?: |$))(.*)")  # whose name numpydoc escapes itself
_UNDERLINE = re.compile(r"\s*-{3,}$")
_OF_SCIKIT_LEARN = re.compile(r"set_\w+_request|get_metadata_routing")


def connect(app: Sphinx) -> None:
    """Let autodoc call what is defined here, before numpydoc reads the docstrings."""
    app.connect("autodoc-process-docstring", _escape, priority=400)
    app.connect("autodoc-skip-member", _is_skipped)


def escaped(lines: list[str]) -> list[str]:
    """Return the lines with their plain text escaped; code and examples stay as they are.

    >>> escaped(["Length |x| of ``mean_`` and mean_.", "scale_ : array (n_,)"])
    ['Length \\\\|x\\\\| of ``mean_`` and mean\\\\_.', 'scale_ : array (n\\\\_,)']
    """
    kept, section = [], ""
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        if _UNDERLINE.match(following):
            section = line.strip()
        kept.append(line if section == "Examples" else _escaped(line))
    return kept


def _escaped(line: str) -> str:
    if parameter := _PARAMETER.fullmatch(line):
        name, rest = parameter.groups()
        return name + _escaped(rest)
    parts = _CODE.split(line)
    parts[::2] = [_MARKUP.sub(r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def _escape(*event: Any) -> None:
    lines = event[-1]
    lines[:] = escaped(lines)


def _is_skipped(_app: Sphinx, _what: str, name: str, *_rest: Any) -> bool | None:
    """Leave out what scikit-learn adds to every estimator."""
    return True if _OF_SCIKIT_LEARN.fullmatch(name) else None

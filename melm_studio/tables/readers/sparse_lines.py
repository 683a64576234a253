"""Sparse rows of libsvm: a label, then index:value for what is not 0."""

from __future__ import annotations

import io
import re

import pandas as pd
from sklearn.datasets import load_svmlight_file

from melm_studio.tables.records import Limits, reject_rows
from melm_studio.tables.text import TableError

_NUMBER = rb"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_LINE = re.compile(rb"\s*%s(?:\s+qid:[0-9]+)?(?:\s+[0-9]+:%s)+\s*(?:#.*)?" % (_NUMBER, _NUMBER))
_PROBED = 20  # lines
_PROBED_BYTES = 1_000_000


def is_sparse_lines(raw: bytes) -> bool:
    """Return whether each of the first lines is a label with index:value.

    Examples
    --------
    >>> is_sparse_lines(b"+1 1:0.5 7:2\\n-1 2:1\\n"), is_sparse_lines(b"12:30 a\\n")
    (True, False)
    """
    lines = [line for line in raw[:_PROBED_BYTES].split(b"\n") if line.strip()]
    lines = [line for line in lines[:_PROBED] if not line.startswith(b"#")]
    if len(raw) > _PROBED_BYTES and len(lines) < _PROBED:
        lines = lines[:-1]  # perhaps not whole
    return bool(lines) and all(map(_LINE.fullmatch, lines))


def sparse_cells(raw: bytes, file: str, limits: Limits) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read every index as a feature, absent ones as 0, with the label last.

    Returns
    -------
    cells : DataFrame
        With ``qid``, whose rows belong together, where the file has it.
    steps : tuple of str

    Raises
    ------
    TableError
        If a line is not of this form, or an index beyond the limits.
    """
    reject_rows(sum(bool(line.strip()) for line in raw.split(b"\n")), limits)
    try:
        X, y, qid = load_svmlight_file(io.BytesIO(raw), query_id=True)
    except (ValueError, OverflowError, IndexError):
        raise TableError(
            f"{file} begins as libsvm writes tables, but a line is no label with ascending "
            "index:value, or an index is too large. Correct it, or save the table as CSV, and drop "
            "that."
        ) from None
    limits.reject(X.shape[0], X.shape[1] + 1)
    # Indices from 1, as the format has them, unless one is 0.
    first = int(b" 0:" in raw[:_PROBED_BYTES]) ^ 1
    names = [f"feature {index}" for index in range(first, X.shape[1] + first)]
    cells = pd.DataFrame(X.toarray(), columns=pd.Index(names, dtype=object))
    if len(set(qid)) > 1:
        cells["qid"] = qid.astype(float)
    cells["label"] = y
    return cells, ("Read as libsvm: what a row does not have is 0.",)

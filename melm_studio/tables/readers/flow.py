"""Events of flow cytometry (.fcs), by a package of an extra."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping
from functools import partial

import pandas as pd

from melm_studio.installation import install_command
from melm_studio.tables.formatting import words_of
from melm_studio.tables.frames import BESIDE
from melm_studio.tables.identifiers import names_identifier, names_label
from melm_studio.tables.records import Limits
from melm_studio.tables.text import TableError

# Of columns that programs add to the channels of a cytometer, numbers of kinds and files.
_ADDED = {"batch", "cluster", "clusters", "file", "gate", "metacluster", "population", "sample"}
_START = re.compile(rb"FCS[23]\.[0-9] {4}")


def is_flow(raw: bytes) -> bool:
    """Return whether these are the bytes of an .fcs file of version 2 or 3."""
    return _START.match(raw) is not None


def _name(texts: Mapping[str, str], channel: int) -> str:
    """The marker of a channel, or its name, also behind a marker that is empty, which hides it."""
    keys = (key for key in texts if key.endswith(f"p{channel}n"))
    named = texts.get(next(keys, ""), "").strip() or f"channel {channel}"
    return texts.get(f"p{channel}s", "").strip() or named


def _says_of_events(name: str) -> bool:
    """Return whether a channel may have the label of each event, its number or its cluster."""
    words = words_of(name)
    is_such = not _ADDED.isdisjoint(words) or any(map(names_label, words))
    return is_such or names_identifier(name)


def flow_cells(raw: bytes, file: str, limits: Limits) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Read a row for each event, with its channels named by their markers.

    Raises
    ------
    TableError
        If the file cannot be read or is too large, or the package is missing.
    """
    try:
        import flowio  # noqa: PLC0415 (an extra)
    except ImportError:
        raise TableError(
            "To read .fcs files, the studio needs flowio: "
            f"{install_command('statistics')}. Until then, save the events as CSV and drop that."
        ) from None
    try:
        read = partial(flowio.FlowData, ignore_offset_error=True, ignore_offset_discrepancy=True)
        head = read(io.BytesIO(raw), only_text=True)
        n_events, n_channels = int(head.event_count), int(head.channel_count)
        limits.reject(n_events, n_channels)
        # Some programs count one byte too many; that all events are there, $TOT tells.
        with warnings.catch_warnings(action="ignore"):
            flow = read(io.BytesIO(raw))
        events = flow.as_array(preprocess=True)
        if events.shape != (n_events, n_channels):
            raise ValueError
        names = [_name(flow.text, channel) for channel in range(1, events.shape[1] + 1)]
        cells = pd.DataFrame(events, columns=pd.Index(names, dtype=object))
    except (TableError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 (damaged files raise any type)
        raise TableError(
            f"{file} is an .fcs file that cannot be read: it may be cut off. Export its events "
            "again, or as CSV, and drop that."
        ) from None
    # What was put into the file later, of which no detector tells.
    cells.attrs[BESIDE] = tuple(
        name
        for name, cells_of_channel in zip(names, events.T, strict=True)
        if _says_of_events(name) and not (cells_of_channel % 1).any()
    )
    step = (
        "Read as flow cytometry: a row for each event of one sample. To compare samples, drop a "
        ".zip of one such file for each."
    )
    return cells, (step,)

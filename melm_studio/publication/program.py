"""A program that computes the coordinates and classes of any rows in the plane on screen.

It is the source of `plane_program` with the values of the plane as literals.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from melm_core.base import ColumnEncoding, UserError, numbers_as_known, quantity
from melm_core.density import DensityRule, inverse_root, nonconformity, thinned_logs
from melm_core.linalg import orthonormalize, score_distances, squared_residuals
from melm_core.methods import SavedPlane
from melm_core.recipe import prepared_features
from melm_studio.planes.captions import title
from melm_studio.publication import plane_program
from melm_studio.runs.execution.rows import RunData
from melm_studio.runs.records.run import PlaneEvent, RunRecord
from melm_studio.tables import (
    DELIMITERS,
    LabeledData,
    conversions_of,
)

_VALUES = "# <values>", "# </values>\n"
_LARGEST = sys.float_info.max
_ARITHMETIC = "# <arithmetic>", "# </arithmetic>\n"


def program_of(
    record: RunRecord, event: PlaneEvent, data: RunData, saved: SavedPlane | None = None
) -> str:
    """Return a program that computes the coordinates of rows in the plane of an event.

    Parameters
    ----------
    record : RunRecord
    event : PlaneEvent
    data : RunData
        Of the run.
    saved : SavedPlane, optional
        The same plane with the densities of the classes: the program names classes as it does.
    """
    heading = f"# The coordinates of {_line(title(record))} of {_line(record.data_name)}.\n"
    values = _values(event, data) + _class_values(saved)
    source = _with(inspect.getsource(plane_program), _VALUES, values)
    return heading + _with(source, _ARITHMETIC, _arithmetic())


def _with(source: str, marks: tuple[str, str], text: str) -> str:
    """Replace the source between two marks by a text."""
    above, _, rest = source.partition(marks[0])
    return above + text + rest.partition(marks[1])[2]


def _arithmetic() -> str:
    """Return the source of the functions that the program has in common with the package."""
    needed = (
        "import math\nfrom dataclasses import dataclass, field\nfrom typing import NamedTuple\n"
    )
    whole = [_below_mark(each) for each in (quantity, numbers_as_known, prepared_features)]
    single = UserError, score_distances, squared_residuals, thinned_logs, nonconformity
    alone = [inspect.getsource(each) for each in single]
    return "\n\n".join([needed, *alone, *whole]) + "\n\n"


def _below_mark(function: Callable[..., Any]) -> str:
    """Return the lines of the module of a function that programs contain."""
    module = inspect.getsource(inspect.getmodule(function) or function)
    return module.partition(_ARITHMETIC[0])[2].partition("\n")[2].rstrip("\n") + "\n"


def _class_values(saved: SavedPlane | None) -> str:
    if saved is None or (rule := saved.rule_) is None:
        return "CLASSES = {}\nNORMAL = {}\nFLOOR = {}\nTEMPERATURE = None\nLIMITS = {}\nSETS = {}\n"
    roots, log_peaks = inverse_root(rule.classes.covariances)
    of_classes = zip(saved.classes_, rule.classes.rows, roots, log_peaks, strict=True)
    classes = {
        str(name): {
            "root": root.tolist(),
            "rows": (rows @ root).tolist(),
            "log_peak": float(peak),
        }
        for name, rows, root, peak in of_classes
    }
    temperature = float(rule.temperature) if saved.is_calibrated_ else None
    limits = saved.limits_ and {
        "mean": saved.limits_.mean.tolist(),
        "basis": orthonormalize(saved.components_).tolist(),
        "precision": saved.limits_.precision.tolist(),
        # An infinite limit is no literal.
        "score_limit": float(min(saved.limits_.score_limit, _LARGEST)),
        "residual_limit": float(min(saved.limits_.residual_limit, _LARGEST)),
    }
    return (
        "# Of each class, for its density: a root of the inverse covariance of the kernel, the\n"
        "# rows times this root, and the logarithm of the kernel's peak.\n"
        f"CLASSES = {{\n{_lines(f'{name!r}: {of_one!r}' for name, of_one in classes.items())}}}\n"
        "# Normal densities of the classes: their means, a root of the inverse covariance and the\n"
        "# logarithm of the peak; their shares, and below what kernels say nothing.\n"
        f"NORMAL = {_normal_values(rule)!r}\n"
        "# The Cauchy density around all rows: the center, a root of the inverse scale and the\n"
        "# logarithm of the peak; and its share of each density.\n"
        f"FLOOR = {_floor_values(rule)!r}\n"
        f"TEMPERATURE = {temperature!r}\n"
        f"LIMITS = {limits or {}!r}\n"
        f"SETS = {_set_values(saved)!r}\n"
    )


def _normal_values(rule: DensityRule) -> dict[str, float | list[Any]]:
    root, log_peak = inverse_root(rule.normal.covariance)
    return {
        "means": rule.normal.means.tolist(),
        "root": root.tolist(),
        "log_peak": float(log_peak),
        "shares": rule.normal_shares.tolist(),
        "least": rule.classes.log_floor,
    }


def _floor_values(rule: DensityRule) -> dict[str, float | list[Any]]:
    floor = rule.floor
    root, _ = inverse_root(floor.covariance)
    return {
        "center": floor.center.tolist(),
        "root": root.tolist(),
        "log_peak": float(floor.log_density(floor.center[None])[0]),
        "share": float(floor.share),
    }


def _set_values(saved: SavedPlane) -> dict[str, float | list[float]]:
    """Return the limits of sets of classes; empty without any."""
    limits = saved.set_limits_
    if limits is None:
        return {}
    return {
        "coverage": limits.coverage,
        "largest": np.minimum(limits.largest, _LARGEST).tolist(),
        "background": limits.background,
        "residual_mean": limits.residual_mean,
        "residual_spread": limits.residual_spread,
    }


def _values(event: PlaneEvent, data: LabeledData) -> str:
    encodings = data.encodings
    form, rules = data.form, data.rules
    units = conversions_of(each.name for each in encodings if not each.levels)
    if data.within is not None:
        rules = data.fitted_preparation.rules
    delimiters = [form.delimiter, *(mark for mark in DELIMITERS if mark != form.delimiter)]
    return "".join(
        [
            "# What replaces a missing number; or the categories, with None for missing; or\n"
            "# ordered categories with positions, and under an empty name that of a missing one.\n",
            f"COLUMNS = {{\n{_lines(f'{each.name!r}: {_known(each)!r}' for each in encodings)}}}\n",
            "# To each unit of a column, factor and offset from those that it may be given in.\n",
            f"UNITS = {{\n{_lines(f'{unit!r}: {others!r}' for unit, others in units.items())}}}\n",
            f"CENTER = {data.center.tolist()!r}\n",
            f"SCALE = {data.scale.tolist()!r}\n",
            f"COMPONENTS = [\n{_lines(map(repr, event.components.tolist()))}]\n",
            "RULES = {}\n" if rules is None else f"RULES = {rules.literals!r}\n",
            "# The column whose rows are compared, and what is done before.\n",
            f"WITHIN = {data.within.literals if data.within else {}!r}\n",
            "# How the table was written to which the plane was fitted.\n",
            f"HAS_HEADER = {form.has_header!r}\n",
            f"DELIMITERS = {delimiters!r}\n",
            f"CELL_RULES = SimpleNamespace(**{asdict(data.rules_of_new_cells)!r})\n",
        ]
    )


def _known(
    encoding: ColumnEncoding,
) -> float | list[str | None] | dict[str, float | None] | None:
    if encoding.is_ordered:
        positions = {str(level): float(place) for place, level in enumerate(encoding.levels)}
        return {**positions, "": encoding.fill}
    return list(encoding.levels) or encoding.fill


def _lines(items: Iterable[str]) -> str:
    return "".join(f"    {item},\n" for item in items)


def _line(text: str) -> str:
    """Put text on one line, so that it cannot end the comment that contains it."""
    return " ".join(text.split())

"""The command `melm-studio verify`: does a verdict come out again, from the table at hand?"""

from __future__ import annotations

import argparse
import hashlib
import math
import re
import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
import shtab
from msgspec import Struct
from msgspec.structs import replace

from melm_core.base import UserError
from melm_studio.analyses.verdict_file import VerdictFile, is_genuine, verdict_in
from melm_studio.programs.client import StudioClient
from melm_studio.programs.own_process import studio_in_this_process
from melm_studio.programs.run_table import DONE, REFUSED, SOME_FAILED, table_in
from melm_studio.runs.records.run import RunState
from melm_studio.scores import check_sentence
from melm_studio.tables import count
from melm_studio.validation import shown

# What another machine or version may change: where a climb ends elsewhere in a fold, a row or two.
SHARE_TOLERANCE, CONFUSION_TOLERANCE, PLACES_TOLERANCE = 0.01, 0.02, 0.01
P_ERRORS, SHUFFLES_TOLERANCE = 2.0, 0.1  # of its standard error, and of their number
GAMMA_TOLERANCE = 1e-6
_MOST_NAMED = 3
_OF_FILE = ("format", "version", "made", "seal", "signature")
_GIVEN = ("method", "parameters")  # as the source of the table: with these all is computed again
_NONE = "none"
_HASH = re.compile("[0-9a-f]{64}")
_EPILOG = f"""\
The method is judged again as the verdict says, by a studio within this process, on one core. Each
line agrees, differs, or notes what decides nothing. What may differ on another machine: shares by
{SHARE_TOLERANCE:g}, the confusion of two classes by {CONFUSION_TOLERANCE:g},
p by {P_ERRORS:g} standard errors, the number of shuffles by a tenth, and the picture in
{PLACES_TOLERANCE:.0%} of its variance.

Exit codes: 0 every line agrees; 1 a line differs; 2 the verdict or the table cannot be read.
"""
_NO_TABLE = "This verdict is of the file {name}. Name that file after the verdict."
_IS_SAMPLE = "This verdict is of the sample {name}, which is installed. Leave the table out."
_NOT_AGAIN = "The method cannot be judged again on this table, which may be another: {cause}"

Leaves: TypeAlias = dict[tuple[str, ...], Any]


class State(StrEnum):
    """States of a line."""

    AGREES, DIFFERS, NOTE = "agrees", "differs", "note"


class Line(Struct, frozen=True):
    """One thing that was compared."""

    state: State
    name: str
    words: str = ""


def add_verify_parser(commands: Any) -> None:
    """Add the command to those of `melm-studio`."""
    parser = commands.add_parser(
        "verify",
        help="compute a verdict again that somebody saved, and say what differs",
        description="Compute a verdict again from its table, and say line by line what agrees.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    verdict = parser.add_argument("verdict", type=Path, metavar="VERDICT", help="a file (JSON)")
    table = parser.add_argument(
        "table", type=Path, nargs="?", metavar="TABLE", help="the file that it is of"
    )
    verdict.complete = table.complete = shtab.FILE
    parser.add_argument("--key", default="", metavar="HEX", help="public key that must have signed")
    parser.add_argument("--json", action="store_true", help="print the lines as JSON")
    parser.set_defaults(command=verify)


def verify(options: argparse.Namespace, unknown: Sequence[str]) -> int:
    """Print what agrees and what differs; return the exit code."""
    try:
        if unknown:
            raise UserError(f"there is no {unknown[0]}. Type: melm-studio verify --help")
        table = None if options.table is None else table_in(options.table)
        name = "" if options.table is None else options.table.name
        lines = verified(table_in(options.verdict), table, name, options.key)
    except UserError as error:
        print(f"melm-studio verify: {error}", file=sys.stderr)
        return REFUSED
    n_differing = sum(line.state is State.DIFFERS for line in lines)
    n_judged = sum(line.state is not State.NOTE for line in lines)
    if options.json:
        print(msgspec.json.format(msgspec.json.encode(lines), indent=2).decode())
    else:
        for line in lines:
            text = f"{line.state:8} {line.name:18} {line.words}".rstrip()
            print(
                "".join(
                    sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text
                )
            )
        print(f"{n_differing} of {count(n_judged, 'line')} differ.")
    return SOME_FAILED if n_differing else DONE


def verified(raw: bytes, table: bytes | None, name: str = "", key: str = "") -> list[Line]:
    """Compute a verdict again, and compare it line by line.

    Parameters
    ----------
    raw : bytes
        The file of the verdict.
    table : bytes or None
        The file that it is of; None for a sample.
    name : str
        Of that file.
    key : str
        The public key, in hexadecimal, that must have signed; any if empty.

    Raises
    ------
    UserError
        If the verdict cannot be read, or the table not as that of the verdict.
    """
    said, seal = verdict_in(raw)
    is_whole = said.seal == seal
    words = "" if is_whole else "it was changed after it was written"
    seals = [
        Line(State.AGREES if is_whole else State.DIFFERS, "file", words),
        _signature(said, seal, key),
    ]
    with studio_in_this_process() as client:
        here = _again(client, said, table, name)
    return [*seals, *compared(said, here)]


def _again(client: StudioClient, said: VerdictFile, table: bytes | None, name: str) -> VerdictFile:
    source = said.table.source
    if (table is None) is (source.kind != "sample"):
        words = _NO_TABLE if table is None else _IS_SAMPLE
        raise UserError(words.format(name=shown(said.table.name)))
    if table is not None:
        source = replace(source, key=hashlib.sha256(table).hexdigest(), name=name)
        client.upload(table, name)
    try:
        run = client.start(msgspec.to_builtins(source), said.method, said.parameters)
        if (run := client.finished(run.id)).state is not RunState.DONE:
            raise UserError(run.message)
        client.checked(run.id)
        return verdict_in(client.verdict(run.id))[0]
    except UserError as error:
        raise UserError(_NOT_AGAIN.format(cause=error)) from error


def _signature(said: VerdictFile, seal: str, key: str) -> Line:
    if said.signature is None:
        return Line(State.DIFFERS if key else State.NOTE, "signature", "it is not signed")
    owner = said.signature.public_key
    if key and owner.lower() != key.lower():
        return Line(State.DIFFERS, "signature", f"it names another key: {shown(owner)}")
    try:
        is_good = is_genuine(said.signature, seal)
    except UserError as error:
        if key:
            raise
        return Line(State.NOTE, "signature", str(error))
    if not is_good:
        return Line(State.DIFFERS, "signature", f"this is not what {shown(owner)} has signed")
    return Line(State.AGREES, "signature", f"by the key {owner}")


def compared(said: VerdictFile, here: VerdictFile) -> Iterator[Line]:
    """Yield a line for each part of two verdicts, whatever parts there are.

    Parameters
    ----------
    said : VerdictFile
    here : VerdictFile
        What the table at hand gives.
    """
    first, second = _leaves(said), _leaves(here)
    first[("picture",)], second[("picture",)] = _places_apart(said, here), 0.0
    # By the numbers beside it, which are compared themselves.
    second[("sentence",)] = check_sentence(said.found)
    parts: dict[str, list[tuple[float, str]]] = {}
    for path in dict.fromkeys([*first, *second]):
        depth = 2 if path[0] in ("table", "found") else 1
        gap = _gap(path, first.get(path, _NONE), second.get(path, _NONE), said)
        parts.setdefault(".".join(path[:depth]), []).append(gap)
    for part, gaps in parts.items():
        gaps.sort(key=lambda gap: -gap[0])
        n_beyond = sum(gap > 1.0 for gap, _ in gaps)
        state = State.NOTE if part == "versions" else State.DIFFERS if n_beyond else State.AGREES
        words = "; ".join(words for _, words in gaps[: max(1, min(n_beyond, _MOST_NAMED))])
        rest = f"; and {n_beyond - _MOST_NAMED} more" if n_beyond > _MOST_NAMED else ""
        yield Line(state, part, words + rest)


def _leaves(verdict: VerdictFile) -> Leaves:
    """Flatten the results: every value by the names that lead to it."""
    values = msgspec.to_builtins(verdict)
    for name in (*_OF_FILE, *_GIVEN, "places"):
        del values[name]
    for name in ("stage", "fraction", "lower", "upper", "stability"):  # of one at work
        del values["found"][name]
    del values["table"]["name"], values["table"]["source"]
    return dict(_below((), values))


def _below(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, part in items:
        nested = (*path, str(name))
        if isinstance(part, (dict, list, tuple)) and part:
            yield from _below(nested, part)
        else:
            yield nested, part


def _gap(path: tuple[str, ...], a: Any, b: Any, said: VerdictFile) -> tuple[float, str]:
    """Measure how far two values are apart, as a multiple of the tolerance, and in words."""
    if a == b:
        return 0.0, ""
    name = ".".join(path[2:] or path)
    are_numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (a, b))
    most = _allowed(path, said) if are_numbers else 0.0
    if name == "sentence":
        return math.inf, f"its numbers say: {b}"
    if any(_HASH.fullmatch(str(x)) for x in (a, b)):
        return math.inf, f"{name}: another hash"
    if not most:
        return math.inf, f"{name} is {shown(a)}, here {shown(b)}"
    gap = abs(a - b)
    words = f"{name} is {a:.6g}, here {b:.6g}: {gap:.2g} apart, {most:.2g} allowed"
    return (gap / most if math.isfinite(gap) else math.inf), words


def _allowed(path: tuple[str, ...], said: VerdictFile) -> float:
    """Return by how much a number may differ on another machine; 0 for equality."""
    part, last, report = path[0], path[-1], said.found
    if part == "picture":
        return PLACES_TOLERANCE
    if part == "gamma":
        return GAMMA_TOLERANCE * abs(said.gamma)
    if part != "found":
        return 0.0
    judged = report.readings[int(path[2])] if path[1] == "readings" else report
    if last == "p_value":
        p = min(max(judged.p_value or 0.0, 0.0), 1.0)
        n = max(judged.n_permutations, 1)
        return P_ERRORS * math.sqrt(max(p, 1 / n) * (1 - p) / n)
    if last in ("n_permutations", "n_exceeding"):
        return max(1.0, SHUFFLES_TOLERANCE * judged.n_permutations)
    return CONFUSION_TOLERANCE if path[1] == "overlap" else SHARE_TOLERANCE


def _places_apart(said: VerdictFile, here: VerdictFile) -> float:
    """Return the share of variance of places that no linear map of the others gives."""
    first, second = (list(file.places.values()) for file in (said, here))
    if [list(map(len, part)) for part in first] != [list(map(len, part)) for part in second]:
        return math.inf
    if not first:
        return 0.0
    a, b = (np.array([*chain.from_iterable(part)], dtype=float) for part in (first, second))
    is_placed = np.isfinite(a).all(axis=1)
    if not (is_placed == np.isfinite(b).all(axis=1)).all() or not is_placed.any():
        return math.inf
    a, b = (x[is_placed] - x[is_placed].mean(axis=0) for x in (a, b))
    change, *_ = np.linalg.lstsq(b, a, rcond=None)
    return round(float(np.square(b @ change - a).sum() / np.square(a).sum()), 9)

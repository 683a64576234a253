"""The verdict that travels: what a check found, as one file that anybody can recompute.

It holds no cell of the table, only hashes of what was read from it, and everything that is needed
to compute the same again: how the table was read, the method with its parameters and seeds, and
what came out. `melm_studio.programs.verify_verdict` holds it against a table. An ed25519 key may
sign it, which the package cryptography makes and checks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import replace

from melm_core.base import FloatArray, UserError, known_type
from melm_studio.analyses.analysis import NO_CLASSES, DataShape
from melm_studio.analyses.check import CHECK
from melm_studio.analyses.refits import REFITS_OF_RUN
from melm_studio.installation import install_command, package_versions
from melm_studio.runs.records.check_report import CheckReport
from melm_studio.runs.records.data_source import DataSource
from melm_studio.runs.records.refits_report import refits_id
from melm_studio.runs.records.run import RunRecord, RunState
from melm_studio.runs.store.protocol import RunStore
from melm_studio.scores import check_sentence
from melm_studio.tables import LabeledData, twin_notes
from melm_studio.validation import InputError, read

FORMAT, VERSION = "melm-studio verdict", 1
FILE_NAME = "verdict.json"
MOST_BYTES = 32 * 2**20
_LARGEST = 2**53  # of whole numbers
_STEPS = 1e6  # of a column's range: rounding of the last digits makes no other table
_DIGITS = 4  # of places

_UNFINISHED = "This run has no verdict yet. Ask “Is it real?” and wait for its answer."
_NO_FILE = (
    "The rows of this run are a sample of a table that the operator keeps, which nobody else could "
    "draw again. Save its rows as a file, and run the method on that."
)
_NO_VERDICT = (
    "This file is not a verdict, or is damaged. Choose one that a studio has saved: Share, "
    "Verdict (JSON)."
)
_TOO_LARGE = f"This file is larger than {MOST_BYTES // 2**20} MB, the most that a verdict has."
_NEWER = (
    "This verdict has version {found} of the format, and this studio reads those up to {most}. "
    "Update the studio, or ask for a verdict that an older one has saved."
)

Point: TypeAlias = tuple[float | None, ...]
_NO_PACKAGE = "Signatures of verdicts need the package cryptography: {install}"
_NO_KEY = (
    "The key {path} cannot sign verdicts: it is not a readable ed25519 key in PEM without a "
    "password. Make one by: openssl genpkey -algorithm ed25519 -out {path}"
)


class NoVerdictError(UserError):
    """A run has no verdict that others can compute again."""


class TableRead(Struct, frozen=True, kw_only=True):
    """Content that was read from the table; that of single rows by hash.

    Attributes
    ----------
    name, sha256 : str
        Of the file; a sample has no hash.
    source : DataSource
        How it was read: label, roles, answers, exclusions, preparation.
    n_rows : int
    classes : mapping of str to int
        Rows of each class.
    roles : mapping of str to str
        Of every column.
    labels, groups : str
        The label and the number of each row, and which rows are kept together.
    columns : mapping of str to str
        Each encoded column, to a millionth of its range.
    twins : tuple of str
        What features say of the label.
    """

    name: str
    sha256: str
    source: DataSource
    n_rows: Annotated[int, Meta(ge=0, le=10**9)]
    classes: dict[str, int]
    roles: dict[str, str]
    labels: str
    groups: str
    columns: dict[str, str]
    twins: tuple[str, ...]


class VerdictFile(Struct, frozen=True, kw_only=True, tag_field="format", tag=FORMAT):
    """A verdict, with all that is needed to compute it again.

    Attributes
    ----------
    version : int
    sentence : str
        As the page has it.
    method : str
    parameters : mapping of str to JSON values
        With the seed of starts, folds and shuffles.
    gamma : float
        The kernel width of the search, also where the run chose it.
    table : TableRead
    split : str
        Hash of the rows that the plane held out, and of the fold of each row.
    n_folds : int
    found : CheckReport
        Shares with errors, shuffles, and what else was tried.
    places : mapping of str to tuple of points
        The picture: where planes that never saw a row put it, by class.
    no_places : str
        Why there are none, in a sentence.
    made : str
        When, in UTC.
    versions : mapping of str to str
    seal : str
        Hash of all of this.
    signature : Signature or None
    """

    version: int
    sentence: str
    method: str
    parameters: dict[str, Any]
    gamma: float
    table: TableRead
    split: str
    n_folds: int
    found: CheckReport
    places: dict[str, tuple[Point, ...]]
    no_places: str
    made: str
    versions: dict[str, str]
    seal: str = ""
    signature: Signature | None = None


class _Head(Struct):
    """Fields that every version of the format has."""

    format: Literal["melm-studio verdict"]
    version: Annotated[int, Meta(ge=1)]


def verdict_of(
    store: RunStore, record: RunRecord, check: RunRecord | None, stored: Callable[[], LabeledData]
) -> VerdictFile:
    """Return the verdict of a run.

    Parameters
    ----------
    store : RunStore
    record : RunRecord
    check : RunRecord or None
        Of the run.
    stored : callable
        Reads the data of the run as they are stored, which takes time.

    Raises
    ------
    NoVerdictError
        If the check has no answer yet, there is one class only, or others could not read the table.
    """
    if record.source.kind == "table":
        raise NoVerdictError(_NO_FILE)
    if record.n_classes == 1:
        raise NoVerdictError(NO_CLASSES)
    is_done = check is not None and check.state is RunState.DONE
    report = CHECK.stored(store, check.run_id) if check is not None and is_done else CHECK.blank()
    if not report.answer:
        raise NoVerdictError(_UNFINISHED)
    data, report = stored(), replace(report, stability=None)
    refits = REFITS_OF_RUN.stored(store, refits_id(record.run_id))
    held_out, seed = record.parameters.held_out, record.parameters.random_state
    is_held_out = data.held_out_rows(held_out, seed)
    return VerdictFile(
        version=VERSION,
        sentence=check_sentence(report),
        method=record.method,
        parameters=record.parameters.values,
        gamma=record.gamma,
        table=_table_read(record.source, data),
        split=_hash([is_held_out.tolist(), refits.fold_of_rows.tolist()]),
        n_folds=refits.n_folds,
        found=report,
        places=_places(refits.unseen, data),
        no_places=refits.no_places,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        versions=package_versions(),
    )


def _table_read(source: DataSource, data: LabeledData) -> TableRead:
    names = [name for encoding in data.encodings for name in encoding.feature_names]
    labels = [data.class_names[code] for code in data.y]
    groups = np.arange(len(labels)) if data.groups is None else data.groups
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    return TableRead(
        name=data.name,
        sha256=source.key if source.kind == "upload" else "",
        source=source,
        n_rows=len(labels),
        classes=data.class_counts,
        roles={column.name: str(column.role) for column in data.columns},
        labels=_hash([data.row_numbers.tolist(), labels]),
        groups=_hash(first[group].tolist()),
        columns=dict(zip(names, map(_column_hash, data.unprepared.T), strict=True)),
        twins=tuple(twin_notes(data.questions)),
    )


def _column_hash(values: FloatArray) -> str:
    finite = values[np.isfinite(values)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
    steps = np.rint((values - low) / ((high - low) or 1.0) * _STEPS)
    return _hash([f"{low:.6g}", f"{high:.6g}", np.nan_to_num(steps, nan=-1.0).tolist()])


def _places(unseen: FloatArray | None, data: LabeledData) -> dict[str, tuple[Point, ...]]:
    if unseen is None:
        return {}
    rounded = np.round(unseen, _DIGITS)
    points = [tuple(None if np.isnan(x) else x for x in row) for row in rounded.tolist()]
    return {
        name: tuple(points[row] for row in np.flatnonzero(data.y == code))
        for code, name in enumerate(data.class_names)
    }


def _hash(value: Any) -> str:
    """SHA-256 of a value as JSON that has one form only."""
    one_form = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(one_form.encode(errors="surrogatepass")).hexdigest()


def seal_of(values: Mapping[str, Any]) -> str:
    """Return the hash of the fields of a verdict but seal and signature."""
    return _hash({name: v for name, v in values.items() if name not in ("seal", "signature")})


def written(verdict: VerdictFile, key_file: str = "") -> bytes:
    """Return the file of a verdict, sealed and, with a key, signed.

    Parameters
    ----------
    verdict : VerdictFile
    key_file : str
        Path of an ed25519 key in PEM; empty for none.

    Raises
    ------
    UserError
        If the key cannot be used, or the package is missing that signs.
    """
    values = json.loads(json.dumps(msgspec.to_builtins(verdict)))  # without tuples
    values["seal"] = seal = seal_of(values)
    if key_file:
        values["signature"] = msgspec.to_builtins(signature_of(seal, key_file))
    return f"{_lines(values)}\n".encode()


def _lines(value: Any, depth: int = 1) -> str:
    """JSON with a line for each name, and one for each list."""
    if not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False)
    indent = "  " * depth
    items = (
        f"{indent}{json.dumps(k, ensure_ascii=False)}: {_lines(v, depth + 1)}"
        for k, v in value.items()
    )
    return "{\n" + ",\n".join(items) + f"\n{'  ' * (depth - 1)}}}"


def verdict_in(raw: bytes) -> tuple[VerdictFile, str]:
    """Return the verdict that a file holds, and what its seal must be.

    Raises
    ------
    InputError
        If it is none, damaged, of a newer version, or a value in it breaks a rule.
    """
    if len(raw) > MOST_BYTES:
        raise InputError(_TOO_LARGE)
    try:
        values = json.loads(
            raw, parse_constant=_refuse, parse_int=_bounded, object_pairs_hook=_once
        )
        head = msgspec.convert(values, known_type(_Head))
        if head.version > VERSION:
            raise InputError(_NEWER.format(found=head.version, most=VERSION))
        verdict = read(values, VerdictFile, "The verdict")
        table = verdict.table
        shape = DataShape(table.n_rows, len(table.classes), len(table.columns))
        CHECK.checked(verdict.found.to_bytes(), shape)
        return verdict, seal_of(values)
    except InputError:
        raise
    except (ValueError, RecursionError, msgspec.ValidationError):
        raise InputError(_NO_VERDICT) from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _bounded(digits: str) -> int:
    if abs(value := int(digits)) > _LARGEST:
        raise ValueError
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; refuse a name that comes twice, whose values readers would confuse."""
    if len(fields := dict(pairs)) < len(pairs):
        raise ValueError
    return fields


class Signature(Struct, frozen=True):
    """Of a seal, by an ed25519 key; hexadecimal."""

    public_key: str
    value: str


def signature_of(seal: str, key_file: str) -> Signature:
    """Return the signature of a seal.

    Parameters
    ----------
    seal : str
    key_file : str
        Path of an ed25519 key in PEM.

    Raises
    ------
    UserError
        If the key cannot be used, or the package is missing.
    """
    keys = _cryptography("hazmat.primitives.asymmetric.ed25519")
    load = _cryptography("hazmat.primitives.serialization").load_pem_private_key
    key = None
    with suppress(OSError, ValueError, TypeError, _cryptography("exceptions").UnsupportedAlgorithm):
        key = load(Path(key_file).read_bytes(), None)
    if not isinstance(key, keys.Ed25519PrivateKey):
        raise UserError(_NO_KEY.format(path=key_file))
    public = key.public_key().public_bytes_raw().hex()
    return Signature(public, key.sign(seal.encode()).hex())


def is_genuine(signature: Signature, seal: str) -> bool:
    """Return whether the owner of the key that a signature names has signed a seal.

    Raises
    ------
    UserError
        If the package is missing.
    """
    keys = _cryptography("hazmat.primitives.asymmetric.ed25519")
    with suppress(_cryptography("exceptions").InvalidSignature, ValueError):
        key = keys.Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.public_key))
        key.verify(bytes.fromhex(signature.value), seal.encode())
        return True
    return False


def _cryptography(module: str) -> Any:
    try:
        return import_module(f"cryptography.{module}")
    except ImportError:
        raise UserError(_NO_PACKAGE.format(install=install_command("signing"))) from None

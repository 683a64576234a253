"""The compiled library: built by the C compiler that is there, found, and checked.

Its file is named by a digest of its sources: what was built from others is not found.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

FOLDER = Path(__file__).parent
SOURCES = ("climb.c", "term_of.h", "sums.c", "sums_of.h", "sums.h")

# Of an environment, for a library that was built in a checkout.
ENVIRONMENT_FOLDER = Path(sys.prefix) / "lib" / "melm-core"

# Raised in climb.c whenever a struct or a function changes.
_INTERFACE = 3

# The names of climb.c for the aggregates of more than two classes.
AGGREGATES = {"mean": 0, "softmin": 1, "ovr": 2}
# One build of the sums for each kind of processor: name, bytes of a vector, flags.
_X86 = (
    ("base", 16, ()),
    ("avx2", 32, ("-mavx2", "-mfma")),
    ("avx512", 64, ("-mavx512f", "-mavx512dq", "-mfma")),
)
_OTHERS = (("base", 16, ()),)
# Some compilers take the processor that they run on if nothing is said.
_ANY_X86 = ("-march=x86-64",)
_FLAGS = ("-O3", "-fPIC", "-std=gnu11", "-Wall", "-Wextra", "-Werror")


class TermStruct(ctypes.Structure):
    """`melm_term` of climb.c."""

    _fields_ = (
        ("n_classes", ctypes.c_int64),
        ("aggregate", ctypes.c_int64),
        ("is_double", ctypes.c_int64),
        ("is_weighted", ctypes.c_int64),
        ("share", ctypes.c_double),
        ("squared", ctypes.c_double),
        ("counts", ctypes.c_void_p),
        ("totals", ctypes.c_void_p),
        ("rows", ctypes.c_void_p),
        ("weights", ctypes.c_void_p),
        ("covariances", ctypes.c_void_p),
        ("means", ctypes.c_void_p),
    )


class ObjectiveStruct(ctypes.Structure):
    """`melm_objective` of climb.c."""

    _fields_ = (
        ("n_terms", ctypes.c_int64),
        ("k", ctypes.c_int64),
        ("d", ctypes.c_int64),
        ("softness", ctypes.c_double),
        ("terms", ctypes.c_void_p),
    )


class StateStruct(ctypes.Structure):
    """`melm_state` of climb.c, which its arrays follow in memory."""

    _fields_ = (
        ("status", ctypes.c_int64),
        ("n_steps", ctypes.c_int64),
        ("n_trials", ctypes.c_int64),
        ("n_evaluations", ctypes.c_int64),
        ("max_iter", ctypes.c_int64),
        ("is_resumed", ctypes.c_int64),
        ("value", ctypes.c_double),
        ("slope", ctypes.c_double),
        ("length", ctypes.c_double),
        ("lower", ctypes.c_double),
        ("upper", ctypes.c_double),
        ("tol", ctypes.c_double),
    )


RUNNING, CONVERGED = 1, 2  # states of a climb


@dataclass(frozen=True, eq=False)
class Library:
    """The compiled library, for one kind of processor.

    Attributes
    ----------
    functions : ctypes.CDLL
    processor : int
        The kind, as the library numbers it; the higher, the faster.
    name : str
        Of the kind.
    """

    functions: ctypes.CDLL
    processor: int
    name: str


@dataclass(frozen=True)
class Engine:
    """The implementation of sums over pairs of rows.

    Attributes
    ----------
    library : Library or None
        None where numpy does.
    reason : str
        Why it is numpy, as a clause; empty otherwise.
    """

    library: Library | None
    reason: str = ""

    def __str__(self) -> str:
        if self.library is None:
            return f"numpy ({self.reason})"
        return f"compiled for {self.library.name}"


def library() -> Library | None:
    """Return the compiled library, or None if numpy is used instead."""
    return engine().library


def engine() -> Engine:
    """Choose the implementation of sums over pairs of rows in this process.

    The environment variable MELM_ENGINE=numpy does without the compiled library.

    Examples
    --------
    >>> from melm_core.compiled import engine
    >>> str(engine()).startswith(("compiled for", "numpy ("))
    True
    """
    requested = os.environ.get("MELM_ENGINE", "")
    if requested == "numpy":
        return Engine(None, "MELM_ENGINE asks for it")
    return found()


@cache
def found() -> Engine:
    """Find the fastest kind of the library that gives the right value here."""
    reason = "the library is not built; `make run` builds it where there is a C compiler"
    for file in (FOLDER / file_name(), ENVIRONMENT_FOLDER / file_name()):
        if not file.is_file():
            continue
        try:
            return Engine(_checked(file))
        except (OSError, AttributeError, ArithmeticError) as error:
            reason = f"{file.name} cannot be used: {error}"
    return Engine(None, reason)


def file_name() -> str:
    """Name the library that is built from the sources as they are."""
    digest = hashlib.sha256()
    for name in SOURCES:
        digest.update((FOLDER / name).read_bytes())
    return f"climb-{digest.hexdigest()[:16]}.so"


def libraries(file: Path) -> list[Library]:
    """Return the library of a file for each kind of processor that this machine supports.

    Raises
    ------
    OSError, AttributeError
        If it is no library, or another one.
    """
    functions = ctypes.CDLL(os.fspath(file))
    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    signatures = {
        "melm_interface": (integer, ()),
        "melm_processor": (ctypes.c_char_p, (integer,)),
        "melm_room": (integer, (pointer,)),
        "melm_evaluate": (ctypes.c_double, (pointer, integer, pointer, pointer, pointer)),
        "melm_logs": (integer, (pointer,)),
        "melm_kernel_sums": (
            None,
            (integer, integer, integer, pointer, integer, pointer, pointer, pointer),
        ),
        "melm_orthonormalize": (
            integer,
            (integer, integer, integer, ctypes.c_double, pointer),
        ),
        "melm_state_bytes": (integer, (integer,)),
        "melm_climb": (
            integer,
            (pointer, integer, pointer, integer, pointer, pointer, pointer, pointer),
        ),
        "melm_climb_all": (
            None,
            (pointer, integer, integer, pointer, integer, pointer, pointer, pointer),
        ),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(functions, name)
        function.restype, function.argtypes = result, arguments
    if functions.melm_interface() != _INTERFACE:
        raise AttributeError(f"its interface is {functions.melm_interface()}, not {_INTERFACE}")
    kinds: list[Library] = []
    while name := functions.melm_processor(len(kinds)):
        kinds.append(Library(functions, len(kinds), name.decode()))
    return kinds


def _checked(file: Path) -> Library:
    fastest = libraries(file)[-1]
    for is_double, tolerance in ((0, 1e-5), (1, 1e-12)):
        divergence, expected = small_divergence(fastest, is_double)
        if not abs(divergence - expected) <= tolerance:
            raise ArithmeticError(
                f"it gives a divergence of {divergence!r} instead of {expected!r}"
            )
    return fastest


def small_divergence(compiled: Library, is_double: int) -> tuple[float, float]:
    """Compute the divergence of rows at 0 and 1 from rows at 3 and 5, in C and by hand."""
    kind = np.float64 if is_double else np.float32
    rows, weights = np.zeros((1, 32), kind), np.zeros(32, kind)
    rows[0, [0, 1, 16, 17]], weights[[0, 1, 16, 17]] = (0.0, 1.0, 3.0, 5.0), 1.0
    counts, totals = np.array([2, 2]), np.array([2.0, 2.0])
    covariances = np.zeros((2, 1, 16))
    covariances[:, 0, 0] = 1.0
    arrays = (counts, totals, rows, weights, covariances)
    term = TermStruct(2, 0, is_double, 0, 1.0, 1.0, *(part.ctypes.data for part in arrays), None)
    objective = ObjectiveStruct(1, 1, 1, 1.0, ctypes.addressof(term))
    of_objective = ctypes.addressof(objective)
    buffer = np.empty(compiled.functions.melm_room(of_objective))
    component, gradient = np.ones(1), np.empty(1)
    divergence: float = compiled.functions.melm_evaluate(
        of_objective,
        compiled.processor,
        component.ctypes.data,
        gradient.ctypes.data,
        buffer.ctypes.data,
    )

    def log_sum(distances: tuple[float, ...]) -> float:
        return math.log(sum(math.exp(-0.25 * distance**2) for distance in distances))

    expected = log_sum((0, 0, 1, 1)) + log_sum((0, 0, 2, 2)) - 2.0 * log_sum((3, 5, 2, 4))
    return divergence, expected


def address(array: npt.NDArray[Any]) -> int:
    """Return the address of the first entry of a contiguous array."""
    data_address: int = array.__array_interface__["data"][0]
    return data_address


def compiler() -> list[str] | None:
    """Return the command of the C compiler: that in CC, or one on the path."""
    if requested := os.environ.get("CC"):
        return requested.split()
    names = (name for name in ("cc", "gcc", "clang") if shutil.which(name))
    return next(([name] for name in names), None)


def build(folder: Path, flags: tuple[str, ...] = ()) -> Path:
    """Build the library into a folder, unless it is there already.

    Parameters
    ----------
    folder : Path
    flags : tuple of str
        More of them for the compiler, such as "-fsanitize=address".

    Returns
    -------
    Path
        The library.

    Raises
    ------
    FileNotFoundError
        If there is no compiler.
    subprocess.CalledProcessError
        If it refuses the sources.
    """
    built = folder / file_name()
    if built.is_file() and not flags:
        return built
    command = compiler()
    if command is None:
        raise FileNotFoundError("There is no C compiler: install gcc or clang, or set CC.")
    folder.mkdir(parents=True, exist_ok=True)
    is_x86 = platform.machine().lower() in {"x86_64", "amd64"}
    kinds, flags = (_X86, (*_ANY_X86, *flags)) if is_x86 else (_OTHERS, flags)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        objects = []
        for name, n_bytes, extra_flags in kinds:
            objects.append(f"{scratch}/{name}.o")
            defined = (f"-DPROCESSOR={name}", f"-DVECTOR_BYTES={n_bytes}")
            _run(
                *command,
                *_FLAGS,
                *flags,
                *extra_flags,
                *defined,
                "-c",
                FOLDER / "sums.c",
                "-o",
                objects[-1],
            )
        library = f"{scratch}/library.so"
        _run(
            *command, *_FLAGS, *flags, "-shared", FOLDER / "climb.c", *objects, "-lm", "-o", library
        )
        Path(library).replace(built)  # at once, for those who load it now
    return built


def _run(*command: str | Path) -> None:
    subprocess.run([os.fspath(part) for part in command], check=True)

"""Builds the compiled library with the C compiler that is there."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from melm_core.compiled.loading import FOLDER, file_name

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

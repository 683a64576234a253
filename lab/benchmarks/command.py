"""The command `melm-studio run`, as a shell or a pipeline calls it."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from sklearn.datasets import load_wine

from lab.benchmarks.table import Measurement
from melm_studio.installation import APPLICATION_FOLDER

_METHODS = ("melm", "lda", "pca")
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_LIBRARIES = "import sklearn.base, scipy.stats, scipy.optimize, pandas"
_FEWEST_PAIRS = 5
_OPTIONS = {"": [], " --report": ["--report"], " --check": ["--check"]}


def run_command(repeats: int) -> list[Measurement]:
    """CPU seconds of the command on wine with three methods, and of imports.

    Modules are compiled before, as those of an installed package are.
    """
    with tempfile.TemporaryDirectory() as folder:
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        cpu_s = partial(_cpu_s, environment={**os.environ, **_ONE_THREAD, **compiled})
        table = Path(folder) / "wine.csv"
        load_wine(as_frame=True).frame.to_csv(table, index=False)
        imports = [sys.executable, "-c", _LIBRARIES]
        cpu_s(imports)
        measured = [("numpy, scipy, scikit-learn and pandas imported", [imports] * repeats)]
        for name, options in _OPTIONS.items():
            run = [sys.executable, "-m", "melm_studio", "run", str(table), "--label", "target"]
            run += ["--quiet", "--methods", *_METHODS, *options, "--out"]
            cpu_s([*run, f"{folder}/first{name}"])
            commands = [[*run, f"{folder}/results{name}-{i}"] for i in range(repeats)]
            measured.append((f"run wine.csv --methods {' '.join(_METHODS)}{name}", commands))
        return [
            *(
                Measurement(what, "CPU s", tuple(map(cpu_s, commands)))
                for what, commands in measured
            ),
            _import_of_library(repeats, cpu_s),
        ]


def _import_of_library(repeats: int, cpu_s: Callable[[list[str]], float]) -> Measurement:
    """CPU seconds that importing the library takes beyond importing scikit-learn, in pairs."""
    pairs = [
        tuple(cpu_s([sys.executable, "-c", f"import {name}"]) for name in ("sklearn", "melm_core"))
        for _ in range(max(repeats, _FEWEST_PAIRS))
    ]
    beyond = tuple(library - sklearn for sklearn, library in pairs)
    return Measurement("melm_core imported, beyond scikit-learn", "CPU s", beyond)


def _cpu_s(command: list[str], environment: Mapping[str, str]) -> float:
    """Processor seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        check=True,
        capture_output=True,
        env=environment,
        cwd=APPLICATION_FOLDER,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

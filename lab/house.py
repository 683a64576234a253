"""What somebody reads who follows a fit, a frame or a verdict: `python -m lab.house`.

Counts the functions of the project that run, and the files that they stand in, by a profiler; the
modules of the product; circles of folders; the files that an added analysis takes; and what the
four answers took that the inspector opens.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import sklearn
from sklearn.datasets import load_iris
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from lab.driver.visitor import opened_studio
from lab.sizes import n_modules
from melm_core import MELM

ROOT = Path(__file__).parents[1]
PRODUCT = ("melm_core", "melm_studio", "callbacks")
TOY = ROOT / "tests/melm_studio/analyses/toy"
_CIRCLES = "no circles of folders"  # the contract in pyproject.toml
_OF_ONE_MODULE = re.compile(r"\bMORE_ROWS\b")  # an analysis of the studio that is one module


@dataclass
class Called:
    """The functions of the product that ran; a comprehension belongs to the one around it."""

    places: set[tuple[str, int, str]] = field(default_factory=set)  # file, line, qualified name

    @property
    def n_functions(self) -> int:
        """Functions and methods, properties too."""
        return len(self.places)

    @property
    def n_files(self) -> int:
        """The files that they stand in."""
        return len({file for file, _, _ in self.places})

    def add(self, code: CodeType) -> None:
        """Note a function."""
        if not code.co_name.startswith("<"):
            self.places.add((code.co_filename, code.co_firstlineno, code.co_qualname))


@contextmanager
def called(folders: Iterable[Path] | None = None) -> Generator[Called]:
    """Note the functions that the block calls, in any thread that it starts.

    Parameters
    ----------
    folders : iterable of Path or None
        Where the functions stand; None for the product.

    Examples
    --------
    >>> from melm_core.base import percent
    >>> with called() as found:
    ...     _ = percent(0.5)
    >>> found.n_functions >= 1
    True
    """
    found = Called()
    places = tuple(f"{folder}/" for folder in folders or [ROOT / package for package in PRODUCT])

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(places):
            found.add(frame.f_code)

    sys.setprofile(profile)
    threading.setprofile(profile)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def fit_of_iris() -> Called:
    """Fit MELM to iris."""
    table = load_iris()
    with called() as found:
        MELM(random_state=0).fit(table.data, table.target)
    return found


def nca_of_iris() -> Called:
    """Fit scikit-learn's neighborhood components, the method most like ours, to iris."""
    table = load_iris()
    with called([Path(sklearn.__file__).parent]) as found:
        NeighborhoodComponentsAnalysis(n_components=2, random_state=0).fit(table.data, table.target)
    return found


def frame_and_verdict() -> tuple[Called, Called]:
    """Ask for a frame of a run that nobody has seen, then whether it is real, to its sentence."""
    with tempfile.TemporaryDirectory() as folder, opened_studio(Path(folder)) as studio:
        visitor = studio.visitor()
        visitor.choose_sample("iris")
        run = visitor.start(method="lda")
        studio.work()
        with called() as frame:
            visitor.frames(run)
        with called() as verdict:
            visitor.http.post(f"/runs/{run}/analyses/check")
            studio.work()
            visitor.frames(run)
    return frame, verdict


def has_circles() -> bool:
    """Whether import-linter finds folders that import each other."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo"]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    (contract,) = (line for line in output.splitlines() if line.startswith(_CIRCLES))
    return not contract.endswith("KEPT")


def files_of_an_analysis() -> int:
    """The files of the toy analysis that a project would have, and those that name one of its kind.

    Its own module names itself, and is not counted.
    """
    product = [path for package in PRODUCT for path in (ROOT / package).rglob("*.py")]
    naming = [path for path in product if _OF_ONE_MODULE.search(path.read_text())]
    return len([*TOY.glob("mean_row*")]) + len(naming) - 1


@dataclass(frozen=True)
class Taken:
    """What an answer took.

    Attributes
    ----------
    n_files, n_lines : int
        Of its own modules: numbers, analysis, page, command.
    n_tests : int
        Lines of their tests.
    n_others : int
        Modules of the product that name it besides, its registration among them.
    """

    n_files: int
    n_lines: int
    n_tests: int
    n_others: int


@dataclass(frozen=True)
class OwnModules:
    """The modules that an answer has to itself, their tests, and what others name it by."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    names: str


ANSWERS = {
    "Is it real?, of any picture": OwnModules(
        (
            "melm_core/evaluation/estimator_audit.py",
            "melm_studio/programs/audit_table.py",
            "melm_studio/tables/maps.py",
            "melm_studio/workspace/map_comparison.py",
        ),
        (
            "tests/melm_core/evaluation/test_estimator_audit.py",
            "tests/melm_studio/programs/test_audit_table.py",
            "tests/callbacks/test_map_comparison.py",
        ),
        r"\b(audit|audit_coordinates|add_audit_parser|map_columns|is_map|is_of_map)\b",
    ),
    "Which class, or none?": OwnModules(
        (
            "melm_core/density/set_limits.py",
            "melm_core/diagnostics/calibration.py",
            "melm_core/diagnostics/conformal.py",
            "melm_studio/analyses/sets.py",
        ),
        (
            "tests/melm_core/diagnostics/test_calibration.py",
            "tests/melm_core/diagnostics/test_conformal.py",
            "tests/melm_studio/analyses/test_sets.py",
        ),
        r"\b(SETS|SetLimits|set_limits|ConformalScores|predict_set)\b",
    ),
    "How many more rows?": OwnModules(
        (
            "melm_core/evaluation/learning_curve.py",
            "melm_studio/analyses/more_rows.py",
        ),
        (
            "tests/melm_core/evaluation/test_learning_curve.py",
            "tests/melm_studio/analyses/test_more_rows.py",
        ),
        r"\b(rows_needed|RowsNeeded|MORE_ROWS)\b",
    ),
    "Does it belong at all?": OwnModules(
        (
            "melm_core/evaluation/class_model.py",
            "melm_studio/analyses/class_models.py",
        ),
        (
            "tests/callbacks/routes/test_class_models.py",
            "tests/melm_core/evaluation/test_class_model.py",
        ),
        r"\b(CLASS_MODELS|ClassModel|ClassAcceptance|do_they_belong)\b",
    ),
    "Has the lot changed?": OwnModules(
        (
            "melm_core/evaluation/lots.py",
            "melm_studio/analyses/lot_change.py",
            "assets/studio/analyses/of_new_rows.mjs",
        ),
        (
            "tests/melm_core/evaluation/test_lots.py",
            "tests/callbacks/routes/test_lot_change.py",
        ),
        r"\b(lot_change|LotChange|LotRows|LOT_CHANGE|of_new_rows)\b",
    ),
}


def taken_by(answer: OwnModules) -> Taken:
    """Count what an answer took."""
    own = [ROOT / module for module in answer.modules]
    product = [path for package in PRODUCT for path in (ROOT / package).rglob("*.py")]
    product += [path for path in (ROOT / "assets").rglob("*.mjs") if ".bundle." not in path.name]
    others = [path for path in product if path not in own]
    return Taken(
        n_files=len(own),
        n_lines=sum(map(_n_lines, own)),
        n_tests=sum(_n_lines(ROOT / test) for test in answer.tests),
        n_others=sum(bool(re.search(answer.names, path.read_text())) for path in others),
    )


def _n_lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def _in_words(found: Called) -> str:
    return f"{found.n_functions} functions in {found.n_files} files"


def rows() -> Iterator[tuple[str, Callable[[], str]]]:
    """What is measured, with what measures it."""
    yield "MELM().fit on iris", lambda: _in_words(fit_of_iris())
    yield "scikit-learn's NCA on iris", lambda: _in_words(nca_of_iris())
    yield "modules of the product", lambda: "Python {}, page {}".format(*n_modules())
    yield "circles of folders", lambda: "some" if has_circles() else "none"
    yield "files of one more analysis of a run", lambda: str(files_of_an_analysis())


def main() -> None:
    """Print the table."""
    for name, measure in rows():
        print(f"{name:<40}{measure()}", flush=True)
    frame, verdict = frame_and_verdict()
    print(f"{'a cold frame':<40}{_in_words(frame)}")
    print(f"{'Is it real?, until its sentence':<40}{_in_words(verdict)}")
    for question, answer in ANSWERS.items():
        taken = taken_by(answer)
        print(
            f"{question:<40}{taken.n_lines:,} lines in {taken.n_files} files, tests "
            f"{taken.n_tests:,}; named in {taken.n_others} others"
        )


if __name__ == "__main__":
    main()

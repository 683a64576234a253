"""What was tried to explain the largest differences of Table 2 of the MELM paper.

MELM is behind the paper on liver-disorders, sonar and ionosphere, and GEM on sonar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from lab.experiments import data
from lab.experiments.cross_validation import held_out_separability
from lab.experiments.paper_numbers import TABLE_2
from lab.experiments.records import Cell, Record, Settings, Values, complete
from lab.experiments.report import Entry, Provenance, Report, Section
from melm_core import MELM, generalized_eigenvectors
from melm_core.base import FloatArray
from melm_core.evaluation import Score, Separability, Unchanged
from melm_core.gem import GEMPlane
from melm_core.melm import SearchOptions

_SETS = ("liver-disorders", "ionosphere", "sonar")
_GAMMAS = (1.0, 2.0)
_UNEXPLAINED = "liver-disorders"
_MORE_GAMMAS = (0.25, 0.5, *_GAMMAS, 4.0, 8.0)
_SHRINKAGES: Mapping[str, Any] = {"class covariances": "auto", "Ledoit-Wolf": "ledoit-wolf"}
_PENALIZED, _ALL_ROWS = "penalized", "plane of all rows"
_N_STARTS = 16  # of the paper
_REGULARIZATIONS = (0.05, 1.0)
_N_DIRECTIONS = (2, 20)
_N_SEEDS = 2


class OriginGEM(TransformerMixin, BaseEstimator):
    """The leading generalized eigenvectors of both ordered pairs of two classes.

    Second moments are about the origin, as in the GEM paper, so that they depend on where it is.

    Parameters
    ----------
    n_directions : int, default=2
        Half of them of each pair.
    gamma : float, default=0.05
        In units of the mean eigenvalue of the denominator.
    """

    def __init__(self, n_directions: int = 2, *, gamma: float = 0.05) -> None:
        self.n_directions = n_directions
        self.gamma = gamma

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Find the directions."""
        first, second = np.unique(y)
        found = [
            generalized_eigenvectors(
                X, y, pair, gamma=self.gamma, n_directions=self.n_directions // 2
            )[1]
            for pair in ((first, second), (second, first))
        ]
        self.directions_ = np.hstack(found)
        return self

    def transform(self, X: FloatArray) -> FloatArray:
        """Project onto the directions."""
        projected: FloatArray = X @ self.directions_
        return projected


def report(settings: Settings) -> Report:
    """The held-out scores of every variant beside the paper's."""
    n_seeds = 1 if settings.quick else _N_SEEDS
    variants = [*_melm_variants(settings.quick), *_gem_variants(settings.quick)]
    cells = [
        Cell(
            "table2-tried",
            cell,
            {**variant, "seed": seed},
            data.find(settings.data, variant["name"]),
        )
        for variant in variants
        for seed in range(n_seeds)
    ]
    records = complete(cells, settings)
    rows = np.empty((len(variants), n_seeds), dtype=object)
    rows.ravel()[:] = records
    found = list(zip(variants, rows.tolist(), strict=True))
    is_gem = [pair[0]["method"].startswith("GEM") for pair in found]
    melm = tuple(_melm_entries([pair for pair, own in zip(found, is_gem, strict=True) if not own]))
    gem = tuple(_gem_entries([pair for pair, own in zip(found, is_gem, strict=True) if own]))
    return Report(
        name="table2-tried",
        title="Table 2: what was tried where values differ",
        source=(
            "Held-out balanced accuracy of the best of the three classifiers, as in Table 2, but "
            f"with fixed parameters; ± is the standard deviation over {_N_SEEDS} seeds of the "
            "folds."
        ),
        sections=(
            Section("MELM", melm, _notes(melm)),
            Section("GEM on sonar", gem, _gem_notes(gem)),
        ),
        provenance=Provenance.of(records),
    )


def cell(
    folder: Path, *, name: str, method: str, parameters: dict[str, Any], scaled: bool, seed: int
) -> Values:
    """The held-out score of the best of the three classifiers, and of each."""
    table = data.load(folder, name)
    if method.endswith(_ALL_ROWS):
        X = data.standardized(table.X)
        plane = _estimator(method, parameters, seed).fit(X, table.y)
        return _best(Separability.of(plane.transform(X), table.y, random_state=seed).classifiers)
    found = held_out_separability(
        _estimator(method, parameters, seed),
        table.X,
        table.y,
        preparation=None if scaled else Unchanged(),
        random_state=seed,
    )
    return _best(found.separability.classifiers)


def _best(classifiers: Mapping[str, Score]) -> Values:
    scores = {key: score.balanced_accuracy for key, score in classifiers.items()}
    return {"best": max(scores.values()), "scores": scores}


def _estimator(method: str, parameters: dict[str, Any], seed: int) -> Any:
    if method.startswith("GEM"):
        about_origin = "n_directions" in parameters
        return OriginGEM(**parameters) if about_origin else GEMPlane(**parameters)
    if method == _PENALIZED:
        penalized = SearchOptions(solver="penalty")
        return MELM(
            gamma=1.0, shrinkage="auto", n_init=_N_STARTS, search=penalized, random_state=seed
        )
    return MELM(**parameters, random_state=seed)


def _melm_variants(quick: bool) -> Iterator[dict[str, Any]]:
    for name in (_UNEXPLAINED,) if quick else _SETS:
        gammas: Sequence[float] = _MORE_GAMMAS if name == _UNEXPLAINED else _GAMMAS
        gammas = gammas[:1] if quick else gammas
        own = {"name": name, "scaled": True}
        for shrinkage in _SHRINKAGES.values():
            for gamma in gammas:
                parameters = {"gamma": gamma, "shrinkage": shrinkage}
                yield {**own, "method": "MELM", "parameters": parameters}
        yield {**own, "method": _PENALIZED, "parameters": {}}
        for gamma in gammas:
            yield {**own, "method": _ALL_ROWS, "parameters": {"gamma": gamma}}


def _gem_variants(quick: bool) -> Iterator[dict[str, Any]]:
    gammas = _REGULARIZATIONS[:1] if quick else _REGULARIZATIONS
    for method in ("GEM", f"GEM, {_ALL_ROWS}"):
        for gamma in gammas:
            parameters = {"gamma": gamma}
            yield {"name": "sonar", "method": method, "parameters": parameters, "scaled": True}
    for scaled in (True, False):
        for n_directions in _N_DIRECTIONS[:1] if quick else _N_DIRECTIONS:
            for gamma in gammas:
                parameters = {"n_directions": n_directions, "gamma": gamma}
                yield {"name": "sonar", "method": "GEM", "parameters": parameters, "scaled": scaled}


Found = Sequence[tuple[dict[str, Any], list[Record | None]]]


def _melm_entries(found: Found) -> Iterator[Entry]:
    words = {value: word for word, value in _SHRINKAGES.items()}
    for variant, records in found:
        name, parameters = variant["name"], variant["parameters"]
        shrinkage = parameters.get("shrinkage")
        word = words[shrinkage] if shrinkage else variant["method"]
        column = f"width {parameters.get('gamma', 1.0):g}"
        yield _entry(f"{name}: {word}", column, records, TABLE_2[name]["MELM"])


def _gem_entries(found: Found) -> Iterator[Entry]:
    for variant, records in found:
        parameters = variant["parameters"]
        n_directions = parameters.get("n_directions")
        row = "about the mean, 2 directions"
        if variant["method"] != "GEM":
            row = f"{row}, {_ALL_ROWS}"
        if n_directions:
            words = "standardized" if variant["scaled"] else "as in the file"
            row = f"about the origin, {words}, {n_directions} directions"
        yield _entry(row, f"gamma {parameters['gamma']:g}", records, TABLE_2["sonar"]["GEM"])


def _entry(row: str, column: str, records: Sequence[Record | None], paper: float) -> Entry:
    values = [record.values["best"] for record in records if record]
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Entry(row, column, float(np.mean(values)) if values else None, paper, spread)


def _notes(entries: Sequence[Entry]) -> tuple[str, ...]:
    names = dict.fromkeys(entry.row.partition(":")[0] for entry in entries)
    return (_NOTE, *(_closest(name, entries) for name in names), _NOTE_OF_ALL_ROWS)


def _gem_notes(entries: Sequence[Entry]) -> tuple[str, ...]:
    entries = [entry for entry in entries if _ALL_ROWS not in entry.row]
    best = max(entries, key=lambda entry: entry.value or 0.0)
    if best.value is None:
        return (_NOTE_OF_GEM,)
    return (
        _NOTE_OF_GEM,
        f"The highest of {len(entries)} variants, chosen after the fact, is {best.value:.3f}, "
        f"{best.row} at {best.column}; the paper has {best.printed}. Of two directions no variant "
        "comes as near as of twenty, unless the plane is that of all rows, test rows too: the "
        "paper may have more directions, or such a plane.",
    )


def _closest(name: str, entries: Sequence[Entry]) -> str:
    rows = [entry for entry in entries if entry.row.startswith(f"{name}:")]
    own = [entry for entry in rows if _ALL_ROWS not in entry.row]
    best = max(own, key=lambda entry: entry.value or 0.0)
    if best.value is None or best.difference is None:
        return ""
    verdict = "explained by these choices" if best.difference > -_CLOSE else "not explained"
    return (
        f"{name}: {verdict}. The highest held out, chosen after the fact, is {best.value:.3f}, "
        f"{best.row.partition(': ')[2]} at {best.column}, {best.difference:+.3f} from the paper."
    )


_CLOSE = 0.03  # as in Table 2
_NOTE = (
    "Not tried, because it cannot matter: subsets (the rows are as many as in the paper) and the "
    "scaling of the features where the kernels have the covariances of the classes, since these "
    "and the classifiers in the plane do not depend on it. Ledoit-Wolf's covariances are the "
    "default of the authors' program. The penalized form is the paper's search, from 16 random "
    "planes at kernel width 1."
)
_NOTE_OF_ALL_ROWS = (
    "The plane of all rows, test rows too, is no held-out score: it was tried since it is what an "
    "oversight would give. It is the only one that comes to the paper's value on liver-disorders, "
    "and far above it on sonar and ionosphere, so the paper's MELM was not scored so there."
)
_NOTE_OF_GEM = (
    "The GEM paper's second moments are about the origin; the published script that the MELM paper "
    "ran may keep more than two directions. The paper's GEM is above its own value of the "
    "unprojected data there (0.862), and held out (0.889) as good as in-sample (0.892), where its "
    "MELM falls from 0.996 to 0.766."
)

"""Does the audit say No of a supervised picture of noise, however well that separates its rows?

The picture is one of the classes, two directions from neighborhood components analysis: a stand-in
for UMAP with labels, whose package is an extra. With umap-learn installed it is that, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from lab.experiments.honesty.claim import FIRST_SEED, Claim, Measured
from melm_core.answers import LEVEL, TOLD_APART, Answer
from melm_core.datasets import pure_noise
from melm_core.evaluation import audit, audit_coordinates

_SHAPE = (200, 50, 2)


def simulate(quick: bool) -> tuple[Measured, ...]:
    """The answers to noise, by refits and of the same pictures as coordinates."""
    figures: list[Measured] = []
    for name, estimator, n_tables in _pictures(quick=quick):
        n_shuffles = 19 if quick else 199
        figures.extend(_of(name, estimator, n_tables, max(n_tables // 4, 1), n_shuffles))
    return tuple(figures)


def _pictures(*, quick: bool) -> Iterator[tuple[str, Any, int]]:
    analysis = NeighborhoodComponentsAnalysis(2, max_iter=10, random_state=0)
    yield "neighborhood components", analysis, 1 if quick else 100
    if find_spec("umap") and not quick:
        yield "UMAP with labels", import_module("umap").UMAP(random_state=0, n_jobs=1), 100


def _of(
    name: str, estimator: Any, n_tables: int, n_maps: int, n_shuffles: int
) -> Iterator[Measured]:
    answers: list[Answer | None] = []
    maps: list[Answer | None] = []
    trained, shares = [], []
    for seed in range(FIRST_SEED, FIRST_SEED + n_tables):
        X, y = pure_noise(*_SHAPE, seed)
        found = audit(estimator, X, y, n_permutations=n_shuffles)
        answers.append(found.answer)
        trained.append(found.share_train)
        if len(maps) < n_maps:
            picture = clone(estimator).fit(X, y).transform(X)
            of_map = audit_coordinates(picture, y, n_permutations=n_shuffles)
            maps.append(of_map.answer)
            shares.append(of_map.share)
    case = f"noise, 200 x 50, {name}"
    error = np.sqrt(LEVEL * (1.0 - LEVEL) / n_tables)
    yield Measured(
        case,
        f"answered No, of {n_tables} tables",
        float(np.mean([answer is Answer.NO for answer in answers])),
        (1.0 - LEVEL - 2.0 * error, 1.0),
    )
    yield Measured(case, "training rows told apart", float(np.mean(trained)), (0.75, 1.0))
    yield Measured(
        case,
        f"Yes or Partly, of {n_maps} pictures as coordinates",
        float(np.mean([answer in TOLD_APART for answer in maps])),
        (0.0, 0.0),
        f"{np.mean(shares):.2f} of rows have the class of their neighbors",
    )


CLAIM = Claim(
    name="audits",
    promise=(
        "Of a supervised picture of noise the audit says No in 95 of 100 tables, and of the same "
        "picture as coordinates never Yes."
    ),
    simulate=simulate,
    notes=(
        "Where umap-learn is installed, UMAP with labels is tried as well, for an hour more. Of "
        "100 tables 96 were answered No and four Partly, with .997 of the training rows told "
        "apart and .492 of the held-out rows; of 25 pictures as coordinates none was answered Yes "
        "or Partly."
    ),
)

"""t-SNE and UMAP beside the planes of LDA and PCA, on the rows of `generalization`.

One repeat of the folds. A held-out row is placed between the training rows nearest to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from lab.experiments.held_out import DATA_SETS, ENTRANTS, folds
from melm_core.methods import METHODS

_KEYS = ("lda", "pca", "tsne", "umap")


def compare(folder: Path, names: Sequence[str] = DATA_SETS) -> None:
    """Print the mean held-out balanced accuracy of three classifiers in each picture.

    Parameters
    ----------
    folder : Path
        Of the data sets of the MELM paper.
    names : sequence of str
    """
    keys = [key for key in _KEYS if METHODS[key].is_installed]
    labels = [METHODS[key].label for key in keys]
    print(f"| | {' | '.join(labels)} |\n|---{'|---:' * len(keys)}|", flush=True)
    scores = []
    with threadpool_limits(1):
        for name in names:
            scores.append([_score(folder, name, key) for key in keys])
            print(_row(name, scores[-1]), flush=True)
    print(_row("mean", np.mean(scores, axis=0).tolist()), flush=True)


def _score(folder: Path, name: str, key: str) -> float:
    fit = ENTRANTS[key]({}, 0)
    every = [fold.accuracies(fit(fold.X, fold.y)) for fold in folds(folder, name, repeat=0)]
    return float(np.mean(every))


def _row(name: str, scores: Sequence[float]) -> str:
    return f"| {name} | {' | '.join(f'{score:.3f}' for score in scores)} |"

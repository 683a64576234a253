"""How many features does a plane need? Held-out accuracy along the path of sparser planes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits

from lab.experiments.data import load
from melm_core.evaluation import SparsePath, Study, sparse_path

DATA_SETS = (
    "heart",
    "sonar",
    "liver-disorders",
    "diabetes",
    "australian",
    "breast-cancer",
    "ionosphere",
    "german.numer",
    "splice",
)
_HEAD = ("data set", "features", "held out", "smallest sufficient", "held out", "always kept")


def compare(folder: Path, method: str, names: Sequence[str] = DATA_SETS, seed: int = 0) -> None:
    """Print how few features are within one standard error of the best number of them.

    Parameters
    ----------
    folder : Path
        Of the data sets of the MELM paper.
    method : str
        A key of `METHODS`.
    names : sequence of str
    seed : int
    """
    print(f"| {' | '.join(_HEAD)} |\n|---{'|---:' * (len(_HEAD) - 1)}|", flush=True)
    with threadpool_limits(1):
        for name in names:
            rows = load(folder, name)
            path = sparse_path(Study(method, rows.X, rows.y, random_state=seed))
            print(f"| {name} | {' | '.join(_cells(path))} |", flush=True)


def _cells(path: SparsePath) -> list[str]:
    sizes = path.sizes.tolist()
    at = sizes.index(path.smallest_sufficient)
    always = int((path.frequencies[at] == 1.0).sum())
    scores = [f"{path.held_out[i].balanced_accuracy:.3f}" for i in (0, at)]
    return [str(sizes[0]), scores[0], str(sizes[at]), scores[1], str(always)]

"""The record of what the refits of a run say: planes that were fitted without the rows they judge.

Everything that is said of rows which nobody has seen is read from it: the picture at rest, the
share in the strip and in every list, and what features are worth.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from melm_core.base import FloatArray, IntArray
from melm_core.diagnostics import ComponentGain, Importance
from melm_core.evaluation import KeptFold, Score
from melm_studio.record import Record
from melm_studio.runs.records.check_report import Without

REFITS = "refits"
# The rules that tell the rows; the panels show the scores of the first.
CLASSIFIER, LINEAR_RULE = "KDE", "linear"

_PLACES, _FOLDS, _EXACT = np.dtype("<f4"), np.dtype("<i2"), np.dtype("<f8")


class FeatureWorth(Record, frozen=True):
    """Loss of accuracy without each feature; see `melm_core.diagnostics.Importance`.

    Attributes
    ----------
    loss, error, share_loss : tuple of float
        Of each feature.
    groups : tuple of int
        Equal for features that were exchanged together; empty if each was on its own.
    n_rows : int
    """

    loss: tuple[float, ...]
    error: tuple[float, ...]
    share_loss: tuple[float, ...]
    groups: tuple[int, ...]
    n_rows: int

    @classmethod
    def of(cls, importance: Importance, n_features: int) -> FeatureWorth:
        """Return the importance of the first `n_features`; the columns of curves follow them."""
        leading = slice(n_features)
        groups = () if importance.groups is None else tuple(importance.groups[leading].tolist())
        return cls(
            loss=tuple(importance.loss[leading].tolist()),
            error=tuple(importance.error[leading].tolist()),
            share_loss=tuple(importance.share_loss[leading].tolist()),
            groups=groups,
            n_rows=importance.n_rows,
        )

    @property
    def importance(self) -> Importance:
        """The same as arrays."""
        loss, error, share_loss = np.array([self.loss, self.error, self.share_loss])
        groups = np.array(self.groups) if self.groups else None
        return Importance(loss, error, share_loss, self.n_rows, groups)


class HeldOutCurve(Record, frozen=True):
    """Divergence of held-out rows along the search, in nats; mean and band over the folds.

    Attributes
    ----------
    fraction : tuple of float
        Of the search; ascending, the last is 1.
    mean, lower, upper : tuple of float
    """

    fraction: tuple[float, ...]
    mean: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]


class SecondComponent(Record, frozen=True):
    """Gain by a second component; see `melm_core.diagnostics.ComponentGain`."""

    direction: tuple[float, ...]
    gain: float
    error: float
    share_gain: float
    share_error: float

    @classmethod
    def of(cls, gain: ComponentGain) -> SecondComponent:
        """Return a gain in the form of a report."""
        numbers = (gain.gain, gain.error, gain.share_gain, gain.share_error)
        return cls(tuple(gain.direction.tolist()), *numbers)

    @property
    def component_gain(self) -> ComponentGain:
        """The same with an array."""
        numbers = (self.gain, self.error, self.share_gain, self.share_error)
        return ComponentGain(np.array(self.direction), *numbers)


class FoldSoFar(Record, frozen=True):
    """State of a fold until all are done; see `melm_core.evaluation.KeptFold`.

    Attributes
    ----------
    planes : tuple of int
        Numbers of its planes in the history of the refits' run.
    search : bytes
        float64, (2, n_parts); empty where the search was not followed.
    failure : str
    """

    planes: tuple[int, ...] = ()
    search: bytes = b""
    failure: str = ""

    @classmethod
    def of(cls, fold: KeptFold, first: int) -> FoldSoFar:
        """Return a fold whose planes have the numbers from `first` on."""
        search = b"" if fold.search is None else np.ascontiguousarray(fold.search, _EXACT).tobytes()
        return cls(tuple(range(first, first + len(fold.planes))), search, fold.failure)

    def with_planes(self, planes: Sequence[FloatArray]) -> KeptFold:
        """Return the fold with its planes."""
        search = np.frombuffer(self.search, _EXACT).reshape(2, -1) if self.search else None
        return KeptFold(tuple(planes), search, self.failure)


class RefitsReport(Record, frozen=True):
    """Results of refits so far.

    Attributes
    ----------
    n_done, n_folds : int
        Folds that were tried, and all of them.
    share, standard_error, train_share : float or None
        Balanced accuracy of the rows that the planes of the folds were not fitted to, its error,
        and that of the rows that they were fitted to; None until a fold is done.
    fold_shares : tuple of float
        Once all folds are done, the share of each alone, by which methods are compared in pairs.
    linear : (float, float, float) or None
        The same in training, held out and its error, by a linear rule.
    overlap : tuple of tuple of float
        Held-out confusion between each pair of classes.
    bound : float or None
        Upper 95 % bound of the share where it is that of guessing.
    notes : tuple of str
        What differs from the folds that were wanted, and folds that failed.
    within : str
        The column within whose values the classes are compared; empty without one.
    is_of_map : bool
        Whether what was judged is a map that labels may have made.
    without : tuple of Without
        Once all folds are done, what is left without columns that say the same as the label, or
        rows that decide alone.
    places : bytes
        Once all folds are done, where planes that never saw a row put it: along the components of
        the last plane of the run, from the mean of its rows; float32, (n_rows, n_components), nan
        of rows without. Empty where the method cannot place rows.
    no_places : str
        Why there are none, in a sentence.
    drawn_share : float or None
        The share of the rows that is told apart by all places together; see
        `melm_core.evaluation.Refits.drawn_share`.
    folds : bytes
        The fold that held each row out, from 0, -1 of others; int16, (n_rows,).
    worth : FeatureWorth or None
    second : SecondComponent or None
        Of two components of a linear method.
    curve : HeldOutCurve or None
    divergence : float or None
        Between fitted and held-out rows in the planes of the folds, in nats; see
        `melm_core.evaluation.Refits.held_out_divergence`.
    fit_s : float
        Seconds of CPU that one fold has taken on average.
    so_far : tuple of FoldSoFar
        The first folds, to go on from where the run is cut short; none once all are done.
    """

    n_done: int = 0
    n_folds: int = 0
    share: float | None = None
    standard_error: float | None = None
    train_share: float | None = None
    fold_shares: tuple[float, ...] = ()
    linear: tuple[float, float, float] | None = None
    overlap: tuple[tuple[float, ...], ...] = ()
    bound: float | None = None
    notes: tuple[str, ...] = ()
    within: str = ""
    is_of_map: bool = False
    without: tuple[Without, ...] = ()
    places: bytes = b""
    no_places: str = ""
    drawn_share: float | None = None
    folds: bytes = b""
    worth: FeatureWorth | None = None
    second: SecondComponent | None = None
    curve: HeldOutCurve | None = None
    divergence: float | None = None
    fit_s: float = 0.0
    so_far: tuple[FoldSoFar, ...] = ()

    @property
    def is_complete(self) -> bool:
        """True if every fold was tried."""
        return 0 < self.n_folds == self.n_done

    @property
    def scores(self) -> dict[str, tuple[float, float, float]]:
        """Training share, held-out share and its error by the name of the rule that is judged."""
        if self.share is None or self.linear is None:
            return {}
        of_densities = (self.train_share or 0.0, self.share, self.standard_error or 0.0)
        return {CLASSIFIER: of_densities, LINEAR_RULE: self.linear}

    @property
    def fold_of_rows(self) -> IntArray:
        """The fold that held each row out, -1 of others, shape (n_rows,)."""
        return np.frombuffer(self.folds, _FOLDS).astype(np.int64)

    def ahead_of(self, other: RefitsReport) -> Score | None:
        """Its share less that of another, in pairs of folds; None if their folds differ."""
        n_folds = len(self.fold_shares)
        if n_folds < 2 or n_folds != len(other.fold_shares) or self.folds != other.folds:
            return None
        if self.share is None or other.share is None:
            return None
        paired = Score.over_refits(np.array(self.fold_shares) - other.fold_shares)
        # Folds of unequal classes count equally in their mean, but not in the share.
        return replace(paired, balanced_accuracy=self.share - other.share)

    @property
    def unseen(self) -> FloatArray | None:
        """The places, shape (n_rows, n_components); None where there are none."""
        if not self.places:
            return None
        numbers = np.frombuffer(self.places, _PLACES).astype(np.float64)
        return numbers.reshape(len(self.folds) // _FOLDS.itemsize, -1)


def packed_places(places: FloatArray) -> bytes:
    """Return places as a report keeps them."""
    return np.ascontiguousarray(places, _PLACES).tobytes()


def packed_folds(fold_of_rows: IntArray) -> bytes:
    """Return the numbers of folds as a report keeps them."""
    return np.ascontiguousarray(fold_of_rows, _FOLDS).tobytes()


def refits_id(run_id: str) -> str:
    """Return the id of the refits of a run: a run has one, found without a search."""
    digest = hashlib.sha256(f"{REFITS}:{run_id}".encode()).digest()
    return base64.urlsafe_b64encode(digest[:16]).rstrip(b"=").decode()

"""Results of a fit besides its planes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from melm_studio.validation import Count, InputError

_MAX_PATH = 1_000  # kernel widths

_Shares = Annotated[tuple[float, ...], Meta(max_length=_MAX_PATH)]


class GammaPath(Struct, frozen=True, kw_only=True):
    """Held-out accuracy by kernel width, from which a run chooses its own.

    Attributes
    ----------
    gammas, accuracies, standard_errors : tuple of float, (n_gammas,)
        Kernel widths, and the mean and its standard error over the folds that are done.
    n_folds : int
        Folds that are done.
    chosen : float or None
        The kernel width chosen; None until all folds are done.
    level : tuple of float
        The widths that the folds do not tell from the best.
    """

    gammas: _Shares
    accuracies: _Shares
    standard_errors: _Shares
    n_folds: Count
    chosen: Annotated[float, Meta(gt=0, le=1e6)] | None
    level: _Shares

    def __post_init__(self) -> None:
        if len({len(self.gammas), len(self.accuracies), len(self.standard_errors)}) > 1:
            raise InputError("The held-out accuracies of a run do not belong to its γ.")


class CurvesFound(Struct, frozen=True, kw_only=True):
    """Results of inner folds on bent features, where a run chooses.

    Attributes
    ----------
    is_curved : bool
        Whether the features of the run bend.
    gain, standard_error : float
        Balanced accuracy with bent features less that with straight ones, mean over the folds.
    """

    is_curved: bool
    gain: float
    standard_error: float


class FitOutcome(Struct, frozen=True, kw_only=True):
    """Results of a fit besides its planes; a run about a fit has those of the fit.

    Attributes
    ----------
    n_starts, n_agreeing : int or None
        Starts of the search, and how many of them are known to agree on its plane; None without
        a search.
    gamma_path : GammaPath or None
        Where the run chooses its kernel width, once two folds are done.
    curves : CurvesFound or None
        Where the run chooses whether its features bend, once it has.
    n_rows : int or None
        Rows of a registered table that it was fitted to, where these are more than the sample
        that is drawn.
    n_embedded, n_training : int or None
        Where a map of neighbors has coordinates of a sample of the training rows: how many.
    """

    n_starts: Count | None = None
    n_agreeing: Count | None = None
    gamma_path: GammaPath | None = None
    curves: CurvesFound | None = None
    n_rows: Count | None = None
    n_embedded: Count | None = None
    n_training: Count | None = None


NO_OUTCOME = FitOutcome()

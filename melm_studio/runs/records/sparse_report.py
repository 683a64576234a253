"""The record of how well fewer and fewer features tell the classes apart."""

from __future__ import annotations

from melm_studio.record import Record


class SparseSize(Record, frozen=True):
    """Planes of one number of features.

    Attributes
    ----------
    n_features : int
    train, held_out : float
        Balanced accuracy of the class densities, mean over the refits.
    standard_error : float
        Of the latter, over the refits; 0 after the first of them.
    selected : tuple of int
        The features that most refits keep, the most frequent first.
    frequencies : tuple of float
        Share of the refits that keep each of them.
    """

    n_features: int
    train: float
    held_out: float
    standard_error: float
    selected: tuple[int, ...]
    frequencies: tuple[float, ...]


class SparseReport(Record, frozen=True):
    """The path of fewer and fewer features so far.

    Attributes
    ----------
    sizes : tuple of SparseSize
        All features first.
    sufficient : int
        The fewest features within one standard error of the most accurate size; 0 until all refits
        are done.
    n_classes : int
    n_refits, n_all : int
        Refits so far, and how many there will be.
    n_rows, n_training : int
        Rows that were used, and training rows of the run; more where it is a sample.
    """

    sizes: tuple[SparseSize, ...] = ()
    sufficient: int = 0
    n_classes: int = 0
    n_refits: int = 0
    n_all: int = 0
    n_rows: int = 0
    n_training: int = 0

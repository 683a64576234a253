"""Permutations of the class labels that leave the design of the data intact.

Rows of a group depend on each other, so their labels are not exchangeable with
those of other rows. Groups with one label exchange it as a whole; where labels
differ within a group, they are permuted within it: those of its rows or, in a
design such as before and after, those of its occasions, each with all of its rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import factorial, prod

import numpy as np
import numpy.typing as npt

from melm_core.base.array_types import IntArray
from melm_core.base.codes import class_counts, group_members
from melm_core.base.share_text import counted


@dataclass(frozen=True, eq=False)
class Block:
    """Units, rows or groups, whose labels are exchangeable.

    Attributes
    ----------
    rows : ndarray of shape (n_rows,)
        Indices of its rows.
    unit : ndarray of shape (n_rows,)
        Unit of each row, 0 .. n_units-1.
    labels : ndarray of shape (n_units,)
        Class code of each unit.
    """

    rows: IntArray
    unit: IntArray
    labels: IntArray

    @cached_property
    def n_permutations(self) -> int:
        """Number of distinct permutations of the labels, the observed one included."""
        counts = Counter(self.labels.tolist()).values()
        return factorial(len(self.labels)) // prod(factorial(count) for count in counts)


@dataclass(frozen=True, eq=False)
class PermutationDesign:
    """The labels that a permutation test exchanges.

    Attributes
    ----------
    n_groups_exchanged : int
        Number of groups with one label, which exchange it as a whole; 0 without groups.
    n_groups_within : int
        Number of groups within which labels are permuted.
    n_distinct : int
        Number of distinct permutations, the observed labels included.
    n_equivalent : int
        Those that only rename the classes, the observed labels included. They give the same
        separation.
    of_occasions : bool
        Whether a group exchanges the labels of all rows that share one.

    Examples
    --------
    >>> from melm_core.base import PermutationDesign
    >>> design = PermutationDesign(6, 0, n_distinct=20, n_equivalent=2)
    >>> design.smallest_p_value
    0.1
    >>> design.sentence
    'Labels were permuted between 6 whole groups.'
    """

    n_groups_exchanged: int
    n_groups_within: int
    n_distinct: int
    n_equivalent: int
    of_occasions: bool = False

    @property
    def smallest_p_value(self) -> float:
        """The smallest p-value that any separation can have."""
        return self.n_equivalent / self.n_distinct

    @property
    def sentence(self) -> str:
        """A sentence that names what was permuted."""
        places = []
        if self.n_groups_exchanged:
            places.append(f"between {counted(self.n_groups_exchanged, 'whole group')}")
        if self.n_groups_within:
            places.append(f"within {counted(self.n_groups_within, 'group')}")
        what = "Labels of all rows that share one" if self.of_occasions else "Labels"
        return f"{what} were permuted {' and '.join(places) or 'between rows'}."

    def limit_sentence(self, level: float) -> str:
        """Explain why no p-value can be at or below the level; empty if one can."""
        if self.smallest_p_value <= level:
            return ""
        return (
            f"Only {self.n_distinct:,} distinct permutations of the labels exist, so p is at least "
            f"{self.smallest_p_value:.2g}, whatever the separation: more groups are needed."
        )


def exchangeable_blocks(
    y: IntArray, groups: IntArray | None = None, *, of_occasions: bool = False
) -> tuple[Block, ...]:
    """Divide the rows into blocks within which labels are permuted.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        Class codes.
    groups : ndarray of shape (n_samples,) or None
        Group codes; None if all rows are independent.
    of_occasions : bool, default=False
        Whether rows of a group with the same label keep sharing one, as what they have in common
        may be of the occasion: of pairs nothing changes.
    """
    if groups is None:
        return (_of_rows(y, np.arange(len(y))),)
    members, varies = group_members(groups), _varies(y, groups)
    whole = [rows for rows, is_varied in zip(members, varies, strict=True) if not is_varied]
    within = [rows for rows, is_varied in zip(members, varies, strict=True) if is_varied]
    return (
        *([_of_groups(y, whole)] if whole else []),
        *(_of_occasions(y, rows) if of_occasions else _of_rows(y, rows) for rows in within),
    )


def _of_groups(y: IntArray, members: list[IntArray]) -> Block:
    sizes = [len(rows) for rows in members]
    labels = np.array([y[rows[0]] for rows in members])
    return Block(np.concatenate(members), np.repeat(np.arange(len(members)), sizes), labels)


def _of_rows(y: IntArray, rows: IntArray) -> Block:
    return Block(rows, np.arange(len(rows)), y[rows])


def _of_occasions(y: IntArray, rows: IntArray) -> Block:
    labels, unit = np.unique(y[rows], return_inverse=True)
    return Block(rows, unit, labels)


def design_of(
    y: IntArray, groups: IntArray | None, *, by_name: bool, of_occasions: bool = False
) -> PermutationDesign:
    """Describe the blocks of `exchangeable_blocks`.

    Parameters
    ----------
    y, groups, of_occasions
        See `exchangeable_blocks`.
    by_name : bool
        Whether renaming the classes may change the statistic.
    """
    blocks = exchangeable_blocks(y, groups, of_occasions=of_occasions)
    varies = np.zeros(0, bool) if groups is None else _varies(y, groups)
    return PermutationDesign(
        n_groups_exchanged=int((~varies).sum()),
        n_groups_within=int(varies.sum()),
        n_distinct=count_permutations(blocks),
        n_equivalent=1 if by_name else _count_renamings(blocks, int(y.max()) + 1),
        of_occasions=of_occasions,
    )


def _count_renamings(blocks: Sequence[Block], n_classes: int) -> int:
    """Count the renamings of the classes that are permutations within the blocks."""
    counts = Counter(
        zip(*(np.bincount(b.labels, minlength=n_classes).tolist() for b in blocks), strict=True)
    )
    return prod(map(factorial, counts.values()))


def _varies(y: IntArray, groups: IntArray) -> npt.NDArray[np.bool_]:
    """Return whether each group has rows of more than one class, by ascending group."""
    varies: npt.NDArray[np.bool_] = (class_counts(y, groups) > 0).sum(axis=1) > 1
    return varies


def count_permutations(blocks: Sequence[Block]) -> int:
    """Count the distinct permutations of the labels, the observed labels included."""
    return prod(block.n_permutations for block in blocks)


def random_permutations(
    blocks: Sequence[Block], n_permutations: int, random_state: int
) -> Iterator[IntArray]:
    """Yield random permutations of the labels, each with its own seed."""
    for stream in np.random.SeedSequence(random_state).spawn(n_permutations):
        yield permuted_labels(blocks, np.random.default_rng(stream))


def permuted_labels(blocks: Sequence[Block], rng: np.random.Generator) -> IntArray:
    """Permute labels randomly, shape (n_samples,)."""
    return _assembled(blocks, [rng.permutation(block.labels) for block in blocks])


def other_permutations(blocks: Sequence[Block]) -> Iterator[IntArray]:
    """Yield every distinct permutation of the labels except the observed one."""
    observed = tuple(tuple(block.labels.tolist()) for block in blocks)
    for orders in product(*(_orders(Counter(labels)) for labels in observed)):
        if orders != observed:
            yield _assembled(blocks, [np.array(order) for order in orders])


def _assembled(blocks: Sequence[Block], labels: Sequence[IntArray]) -> IntArray:
    """Return the label of each row, given those of the units of each block."""
    y = np.empty(sum(len(block.rows) for block in blocks), dtype=np.int64)
    for block, of_units in zip(blocks, labels, strict=True):
        y[block.rows] = of_units[block.unit]
    return y


def _orders(counts: Counter[int]) -> Iterator[tuple[int, ...]]:
    """Yield every distinct sequence of labels with these counts."""
    if not any(counts.values()):
        yield ()
    for code in [code for code, count in counts.items() if count]:
        for rest in _orders(counts - Counter([code])):
            yield (code, *rest)

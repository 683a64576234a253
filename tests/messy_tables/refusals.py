"""Files that are refused, with the sentence that says what they are and the way out."""

from __future__ import annotations

from dataclasses import dataclass

from tests.messy_tables.example import numbers


@dataclass(frozen=True, eq=False)
class RefusedFile:
    """A file and what is said of it.

    Attributes
    ----------
    file : str
    raw : bytes
    said : tuple of str
        Parts of the message: what the file is, and the way out.
    """

    file: str
    raw: bytes
    said: tuple[str, ...]


def _matrix(corner: str, columns: list[str]) -> bytes:
    lines = [[corner, *columns], *([f"G{at}", *numbers(at)[: len(columns)]] for at in range(20))]
    return "\n".join(",".join(map(str, line)) for line in lines).encode()


_NO_LABEL = (
    "No column is the label: the numbers of this table are all of one kind.",
    "add a row with the group of each, or drop a .zip of this table and of one with a row for each",
    "add a column with the class of each",
)


def samples_without_groups() -> RefusedFile:
    return RefusedFile("counts.csv", _matrix("", [f"S{at:02d}" for at in range(12)]), _NO_LABEL)


def named_samples_of_genes() -> RefusedFile:
    return RefusedFile("genes.csv", _matrix("gene_id", ["anna", "bo", "cy", "di", "ed"]), _NO_LABEL)


def spectra_without_classes() -> RefusedFile:
    return RefusedFile(
        "nir.csv", _matrix("scan", [str(900 + 2 * at) for at in range(9)]), _NO_LABEL
    )


FILES = (samples_without_groups, named_samples_of_genes, spectra_without_classes)

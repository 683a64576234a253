"""The methods of Tables 2 and 3 and Figure 5, with fixed and tuned parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from melm_core.methods import METHODS

# The papers do not list their candidate values.
GAMMAS = (0.125, 0.25, 0.5, 1.0, 2.0)
REGULARIZATIONS = (0.01, 0.05, 0.3, 1.0)


@dataclass(frozen=True)
class Column:
    """A method by its key in `METHODS`, fixed parameters, and candidates of tuned ones."""

    key: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    candidates: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def estimator(self) -> Any:
        """The unfitted estimator of a plane."""
        return METHODS[self.key].estimator({"n_components": 2}).set_params(**self.parameters)

    def tuned(self, *, quick: bool) -> dict[str, list[Any]]:
        """The candidates; only the middle one in a quick run."""
        return {
            name: [values[len(values) // 2]] if quick else list(values)
            for name, values in self.candidates.items()
        }


# The paper uses scikit-learn's FastICA with two components, whose plane is that of PCA. With more
# sources it is a different method.
COLUMNS: Mapping[str, Column] = {
    "MELM": Column("melm", {"random_state": 0, "shrinkage": "auto"}, {"gamma": GAMMAS}),
    "FA": Column("fa"),
    "ICA": Column("ica", {"random_state": 0, "n_sources": 2}),
    "GEM": Column("gem", {}, {"gamma": REGULARIZATIONS}),
    "NMF": Column("nmf", {"random_state": 0}),
    "2ePCA": Column("2epca"),
    "cPCA": Column("cpca"),
    "PCA": Column("pca"),
    "pPCA": Column("ppca"),
}

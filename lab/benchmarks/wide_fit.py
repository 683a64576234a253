"""Tables with many more features than rows: time and memory of a fit."""

from __future__ import annotations

from lab.benchmarks.scale import fit_apart
from lab.benchmarks.table import Measurement
from melm_core import MELM, DiscriminantPlane, SignalNoisePlane

_SHAPES = ((300, 5_000), (60, 20_000))
_METHODS = {
    "MELM": MELM(random_state=0),
    "PCA": SignalNoisePlane(member="pca"),
    "LDA": DiscriminantPlane(),
}


def wide_fit(_repeats: int) -> list[Measurement]:
    """Default fits to wide data with a planted plane, each in its own process."""
    measurements = []
    for n_rows, n_features in _SHAPES:
        for name, method in _METHODS.items():
            done = fit_apart(method, n_rows, n_features)
            what = f"{name} fit, {n_rows} x {n_features:,}"
            measurements += [
                Measurement(what, "s", (done.seconds,)),
                Measurement(f"{what}, peak memory beyond the data", "MB", (done.beyond / 1e6,)),
            ]
    return measurements

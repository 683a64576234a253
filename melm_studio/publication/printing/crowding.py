"""How opaque pixels are in which rows crowd: the same on the page and in print."""

from __future__ import annotations

import numpy as np

from melm_core.base import FloatArray

# Opacities of a row alone in its pixel and of the densest pixel; how much fainter a row alone is
# for every tenfold of the densest pixel, and its faintest; the count of a row that is not singled
# out.
CROWDING = {"alone": 0.85, "solid": 0.96, "fading": 0.45, "faintest": 0.3, "aside": 0.04}


def opacities(counts: FloatArray) -> FloatArray:
    """Return the opacity of pixels by how many rows cover them, which grows with the logarithm.

    Parameters
    ----------
    counts : ndarray of any shape
        A fraction where a mark covers part of a pixel, or is faint.

    Examples
    --------
    >>> import numpy as np
    >>> from melm_studio.publication.printing.crowding import opacities
    >>> opacities(np.array([0.0, 0.5, 1.0, 10.0, 100.0])).round(2)
    array([0.  , 0.22, 0.45, 0.7 , 0.96])
    """
    most = max(1.0, float(counts.max(initial=1.0)))
    faded = CROWDING["alone"] / (1 + CROWDING["fading"] * np.log10(most))
    alone = max(CROWDING["faintest"], faded)
    rise = (CROWDING["solid"] - alone) / np.log(most) if most > 1 else 0.0
    found: FloatArray = np.where(
        counts < 1, alone * counts, alone + rise * np.log(np.maximum(counts, 1))
    )
    return found

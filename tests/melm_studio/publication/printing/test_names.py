"""Names from a table are text in every figure, also where they look like markup."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.analyses.distances import (
    RowContributions,
    RowDistances,
    contributions_figure,
    distances_figure,
)
from melm_studio.planes.feature_charts import importance_figure, s_plot_figure

_NAME, _SHOWN = "a<b>c & d", "a&lt;b&gt;c &amp; d"
_ONE = np.ones(1)
_DISTANCES = RowDistances(
    row_numbers=np.array([1]),
    names=(_NAME,),
    codes=np.array([0]),
    is_held_out=np.array([False]),
    scores=_ONE,
    residuals=_ONE,
    score_limit=1.0,
    new_score_limit=1.0,
    residual_limit=1.0,
    new_residual_limit=1.0,
    words="",
)


@pytest.mark.parametrize(
    "figure",
    [
        distances_figure(_DISTANCES, [_NAME]),
        contributions_figure(RowContributions("", (_NAME,), _ONE, _ONE)),
        importance_figure(_ONE, [_NAME]),
        s_plot_figure(np.ones((2, 1)), [_NAME]),
    ],
)
def test_names_are_escaped(figure):
    written = str(figure.to_dict())
    assert _SHOWN in written
    assert _NAME not in written

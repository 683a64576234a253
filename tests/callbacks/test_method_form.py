"""The method's controls say what they do, and why one has no effect."""

from __future__ import annotations

import pytest

from melm_core.methods import METHODS
from melm_studio.layout import ids


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_a_method_explains_itself_and_disables_starts_with_a_reason(visitor, method):
    changes = visitor.fire(ids.METHOD, "value", method.key)
    reason = changes[f"{ids.N_INIT_REASON}.children"]
    words = changes[f"{ids.METHOD_EXPLANATION}.children"]
    assert words == f"{method.explanation} {method.paper}."
    assert changes[f"{ids.N_INIT}.disabled"] is not method.takes("n_init")
    assert (reason is None) == method.takes("n_init")
    # γ of a picture is that of its slider alone, where the search has none.
    assert changes[f"{ids.GAMMA_CONTROL}.hidden"] is not method.takes("gamma")


def test_the_reason_names_the_method(visitor):
    changes = visitor.fire(ids.METHOD, "value", "pca")
    assert changes[f"{ids.N_INIT_REASON}.children"].startswith("PCA has a unique solution")

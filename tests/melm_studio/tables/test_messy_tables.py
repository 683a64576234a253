"""Every messy table is read as its sentence says."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.tables import prepare, read_table
from tests.messy_tables import MESSY


@pytest.mark.parametrize("name", MESSY)
def test_a_messy_table_is_read_as_its_sentence_says(name):
    expected = MESSY[name]()
    data = prepare(read_table(expected.raw, expected.file))
    assert data.feature_names == expected.features
    assert dict(data.class_counts) == dict(expected.classes)
    assert tuple(question.id for question in data.questions) == expected.asked
    first = dict(zip(data.feature_names, data.unprepared[0], strict=True))
    found = [first[feature] for feature in expected.first]
    np.testing.assert_allclose(found, list(expected.first.values()), rtol=1e-12)

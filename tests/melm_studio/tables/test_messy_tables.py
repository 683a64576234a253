"""Every messy table is read as its sentence says."""

from __future__ import annotations

import numpy as np
import pytest

from melm_studio.tables import TableError, prepare, read_table
from tests.messy_tables import MESSY, REFUSED


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


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_table_is_refused_with_what_it_is_and_the_way_out(name):
    refused = REFUSED[name]()
    with pytest.raises(TableError) as refusal:
        prepare(read_table(refused.raw, refused.file))
    assert all(words in str(refusal.value) for words in refused.said), refusal.value

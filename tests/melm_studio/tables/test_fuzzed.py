"""No variant of a file is anything but read or refused in a sentence, in time."""

from __future__ import annotations

import pytest

from tests.melm_studio.tables.fuzzing import fuzz


@pytest.mark.slow
@pytest.mark.timeout(3_600)
def test_files_that_are_varied_towards_new_code_are_read_or_refused_in_a_sentence():
    found = fuzz(2_000, seed=0)
    assert found.wrong == []
    assert found.n_kept > found.n_known

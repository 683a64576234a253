"""The key by which visitors are recognized: kept, given back, and refused where it is damaged."""

from __future__ import annotations

import pytest

from melm_studio.runs.store.secret_key import SECRET_BYTES, DamagedKeyError, secret_in


@pytest.mark.parametrize("damaged", [b"", b"short", bytes(SECRET_BYTES + 1)])
def test_a_key_that_is_damaged_while_a_studio_works_is_not_taken(tmp_path, damaged):
    file = tmp_path / "secret"
    known = secret_in(file)
    file.write_bytes(damaged)
    with pytest.raises(DamagedKeyError, match=f"has {len(damaged)} bytes instead of 32"):
        secret_in(file, known)


def test_a_key_that_is_lost_while_a_studio_works_is_given_back(tmp_path):
    file = tmp_path / "secret"
    known = secret_in(file)
    file.unlink()
    assert secret_in(file, known) == known == file.read_bytes()

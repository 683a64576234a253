"""The page's scripts and Python agree on what they share."""

from __future__ import annotations

from tools import page_constants


def test_the_constants_of_the_page_are_current():
    assert page_constants.MODULE.read_text() == page_constants.page_constants()


def test_an_outdated_module_is_reported_and_written_again(tmp_path, monkeypatch, capsys):
    module = tmp_path / "constants.mjs"
    monkeypatch.setattr(page_constants, "MODULE", module)
    assert page_constants.main(["--check"]) == 1
    assert "make constants" in capsys.readouterr().err
    assert page_constants.main([]) == 0
    assert page_constants.main(["--check"]) == 0

"""The page's scripts and Python agree on what they share."""

from __future__ import annotations

import re

from melm_studio.layout import ids
from melm_studio.layout.scripts import ASSETS
from tools import page_constants


def test_the_constants_of_the_page_are_current():
    assert page_constants.MODULE.read_text() == page_constants.page_constants()


def test_every_element_id_that_scripts_name_is_a_constant_of_its_own():
    known = {value for name, value in vars(ids).items() if name.isupper()}
    body = page_constants.page_constants().partition("export const ID =")[2].partition("}")[0]
    names, values = zip(*re.findall(r'^  (\w+): "([\w-]+)",$', body, re.MULTILINE), strict=True)
    assert set(values) < known
    assert len(set(names)) == len(set(values))
    scripts = "".join(module.read_text() for module in ASSETS.rglob("*.mjs"))
    assert set(names) == set(re.findall(r"\bID\.(\w+)", scripts))


def test_an_outdated_module_is_reported_and_written_again(tmp_path, monkeypatch, capsys):
    module = tmp_path / "constants.mjs"
    monkeypatch.setattr(page_constants, "MODULE", module)
    assert page_constants.main(["--check"]) == 1
    assert "make constants" in capsys.readouterr().err
    assert page_constants.main([]) == 0
    assert page_constants.main(["--check"]) == 0

"""The page's scripts and Python agree on what they share."""

from __future__ import annotations

import re

from lab import page_constants
from melm_studio.layout.scripts import ASSETS
from melm_studio.planes.figure import CurveTrace, PlaneTrace
from melm_studio.planes.view_options import ViewOptions


def test_the_constants_of_the_page_are_current():
    assert page_constants.MODULE.read_text() == page_constants.page_constants()


def test_the_page_names_traces_and_the_fields_of_a_view_as_the_server_does():
    types = (ASSETS / "studio" / "types.d.ts").read_text()
    for kinds in PlaneTrace, CurveTrace:
        named = types.partition(f"type {kinds.__name__} =")[2].partition(";")[0]
        assert re.findall(r'"(\w+)"', named) == [kind.value for kind in kinds]
    options = (ASSETS / "studio" / "panel" / "view_options.mjs").read_text()
    fields = options.partition("const fields = {")[2].partition("};")[0]
    named = re.findall(r"^ {4}(\w+)", fields, re.MULTILINE)
    assert set(named) == set(ViewOptions.__struct_encode_fields__)


def test_an_outdated_module_is_reported_and_written_again(tmp_path, monkeypatch, capsys):
    module = tmp_path / "constants.mjs"
    monkeypatch.setattr(page_constants, "MODULE", module)
    assert page_constants.main(["--check"]) == 1
    assert "make constants" in capsys.readouterr().err
    assert page_constants.main([]) == 0
    assert page_constants.main(["--check"]) == 0

"""What a messy table is read as is said by the HTTP interface."""

from __future__ import annotations

import io

import pytest

from callbacks.routes.api.endpoints import PREFIX
from tests.messy_tables import MESSY, REFUSED

# How each is read is asserted of the reader itself; here every seventh shows that programs hear it.
SOME_IN_THE_GATE = [
    pytest.param(name, marks=[pytest.mark.slow] if number % 7 else [])
    for number, name in enumerate(MESSY)
]


@pytest.fixture(scope="module")
def program(studio):
    """Opens an address of the HTTP interface as a program does."""
    http = studio.app.server.test_client(use_cookies=False)
    token = http.post(f"{PREFIX}/tokens").json["token"]
    headers = {"Authorization": f"Bearer {token}"}
    return lambda path, **body: http.post(PREFIX + path, headers=headers, **body)


@pytest.mark.parametrize("name", SOME_IN_THE_GATE)
def test_programs_are_told_how_a_messy_table_is_read_and_what_is_asked(program, name):
    expected = MESSY[name]()
    file = program("/files", data={"file": (io.BytesIO(expected.raw), expected.file)}).json
    table = program("/tables", json={"kind": "upload", **file}).json
    assert tuple(feature["name"] for feature in table["features"]) == expected.features
    assert table["classes"] == expected.classes
    assert tuple(question["id"] for question in table["questions"]) == expected.asked
    sentences = [question["sentence"] for question in table["questions"]]
    said = " ".join([*table["steps"], *table["warnings"], *sentences])
    assert all(words in said for words in expected.shown), said


@pytest.mark.parametrize("name", REFUSED)
def test_programs_are_told_what_a_refused_file_is(program, name):
    refused = REFUSED[name]()
    file = program("/files", data={"file": (io.BytesIO(refused.raw), refused.file)}).json
    answer = program("/tables", json={"kind": "upload", **file})
    assert answer.status_code == 400
    assert all(words in answer.json["error"] for words in refused.said), answer.json

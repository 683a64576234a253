"""A link gives a copy of one table to whoever opens it, and nothing else."""

from __future__ import annotations

import io
from typing import Any
from urllib.parse import urlsplit

import pytest

from callbacks.routes.api.endpoints import PREFIX
from lab.driver.visitor import opened_studio
from melm_studio.layout import ids
from melm_studio.runs.records.stored_files import FileKind
from tests.callbacks.tables import blobs, csv

TABLE = csv(blobs(n_rows=60))


def link_of(visitor, name: str = "blobs.csv", **wanted: Any) -> str:
    file = {"file": (io.BytesIO(TABLE), name)}
    source = {"kind": "upload", **visitor.http.post(f"{PREFIX}/files", data=file).json}
    answer = visitor.http.post(f"{PREFIX}/links", json={"source": source, **wanted})
    assert answer.status_code == 201, answer.text
    return answer.json["path"]


def address(visitor, link: str) -> str:
    """The query of the page that the link leads to."""
    answer = visitor.http.get(link)
    assert answer.status_code == 302, answer.text
    return f"?{urlsplit(answer.location).query}"


@pytest.mark.slow
def test_a_table_is_shown_without_an_upload(studio):
    guest = studio.visitor()
    query = address(guest, link_of(studio.visitor()))
    choice = guest.fire(ids.ADDRESS, "data", query)[f"{ids.RESTORED}.data"]["choice"]
    guest.fire(ids.CHOICE, "data", choice)
    assert studio.data_of(guest).name == "blobs"


def test_a_method_is_run_at_once(studio):
    guest = studio.visitor()
    query = address(guest, link_of(studio.visitor(), method="pca"))
    wanted = guest.fire(ids.ADDRESS, "data", query)[f"{ids.REQUESTED}.data"]
    assert wanted["view"]["method"] == "pca"


def test_the_table_is_a_copy(studio):
    maker, guest = studio.visitor(), studio.visitor()
    address(guest, link_of(maker))
    (file,) = studio.store.files_of(maker.owner)
    studio.store.delete_file(file)
    assert studio.store.get_file(guest.owner, FileKind.UPLOAD, file.key) == TABLE


def test_a_link_that_was_changed_opens_nothing(studio):
    link, guest = link_of(studio.visitor()), studio.visitor()
    altered = guest.http.get(link[:-2] + ("AA" if not link.endswith("AA") else "BB"))
    assert altered.status_code == 404
    assert studio.store.files_of(guest.owner) == []


@pytest.mark.parametrize("purpose", ["token", "cookie"])
def test_what_was_signed_for_another_purpose_is_no_link(studio, purpose):
    visitor = studio.visitor()
    signed = {
        "token": lambda: visitor.http.post(f"{PREFIX}/tokens").json["token"],
        "cookie": lambda: visitor.cookie,
    }[purpose]()
    assert visitor.http.get(f"/open/{signed}").status_code == 404


def test_a_table_that_is_not_stored_has_no_link(studio):
    source = {"kind": "upload", "key": "0" * 64, "name": "gone.csv"}
    answer = studio.visitor().http.post(f"{PREFIX}/links", json={"source": source})
    assert answer.status_code == 400
    assert "gone.csv" in answer.json["error"]


def test_a_visitor_is_handed_over_only_where_other_pages_may_show_the_studio(studio, tmp_path):
    maker = studio.visitor()
    source = {"source": {"kind": "sample", "key": "wine", "name": "Wine"}, "same_visitor": True}
    refused = maker.http.post(f"{PREFIX}/links", json=source)
    assert refused.status_code == 400
    assert "--framed-by" in refused.json["error"]
    with opened_studio(tmp_path, framed_by="http://localhost:*") as framed:
        maker, guest = framed.visitor(), framed.visitor()
        assert guest.owner != maker.owner
        address(guest, maker.http.post(f"{PREFIX}/links", json=source).json["path"])
        assert guest.owner == maker.owner

"""A report holds all that is needed to judge and to repeat a run, as text, in one file."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from melm_studio.analyses.verdict_file import verdict_in
from tests.callbacks.tables import blobs, csv

NASTY = '</td><script>alert("x")</script>'
NASTY_COLUMN = "<img src=x onerror=alert(1)>"


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data

    def all(self, tag: str) -> list[dict]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def finished(studio):
    """A visitor's MELM and PCA runs on a table of nasty names; the first is checked."""
    visitor = studio.visitor()
    table = blobs(n_rows=80, labels=(NASTY, "b")).rename(columns={"x": NASTY_COLUMN})
    visitor.choose_file(csv(table), "pots & <pans>.csv")
    runs = [visitor.start(method=method, random_state=3) for method in ("melm", "pca")]
    studio.work()
    visitor.http.post(f"/runs/{runs[0]}/analyses/check")
    studio.work()
    return SimpleNamespace(visitor=visitor, runs=runs, pages={})


def page(finished, run: int = 0, **query) -> Tags:
    """The report of a run, requested once: the runs have ended."""
    asked = (run, *query.items())
    if asked not in finished.pages:
        address = f"/runs/{finished.runs[run]}/report.html"
        answer = finished.visitor.http.get(address, query_string=query)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Disposition"].endswith("-report.html")
        finished.pages[asked] = Tags(answer.text)
    return finished.pages[asked]


def comparison(finished) -> Tags:
    answer = finished.visitor.http.get("/report.html", query_string={"run": finished.runs})
    assert answer.status_code == 200, answer.text
    return Tags(answer.text)


def test_names_in_a_report_are_text(finished):
    report = page(finished)
    assert not report.all("script")
    assert all("onerror" not in attributes for _, attributes in report.tags)
    assert NASTY in report.text
    assert NASTY_COLUMN in report.text
    assert "pots & <pans>" in report.text


def test_a_report_asks_nothing_of_a_network(finished):
    report = page(finished)
    assert [each["src"][:26] for each in report.all("img")] == ["data:image/svg+xml;base64,"]
    assert not report.all("link")
    assert all("url(" not in str(attributes) for _, attributes in report.tags)


def test_pictures_are_vector_graphics_with_a_description(finished):
    (picture,) = page(finished).all("img")
    svg = base64.b64decode(picture["src"].partition(",")[2])
    assert b"<svg" in svg
    assert "MELM" in picture["alt"]
    assert b"<script" not in svg


def test_a_report_has_the_numbers_of_the_page(finished):
    run = finished.runs[0]
    sequence = finished.visitor.news(run)["sequences"][-1]
    numbers = finished.visitor.http.get(f"/runs/{run}/planes/{sequence}").json["numbers"]
    text = page(finished).text
    for name in (
        "divergence-training",
        "divergence-held-out",
        "accuracy-training",
        "accuracy-held-out",
    ):
        assert f"{numbers[name]:#.3g}" in text


def test_a_checked_run_has_its_verdict_with_chance_and_p_and_intervals(studio, finished):
    text = " ".join(page(finished).text.split())
    assert "Guessing gives 50 %" in text
    assert re.search(r"Permutation test: p (=|<) 0\.\d+", text)
    assert re.search(r"\d\.\d{3} to \d\.\d{3}", text)
    assert "was not asked" not in text


def test_a_checked_run_has_the_file_by_which_others_compute_it_again(finished):
    files = [a["href"] for a in page(finished).all("a") if "download" in a]
    (raw,) = (base64.b64decode(file.partition("base64,")[2]) for file in files)
    address = f"/runs/{finished.runs[0]}/verdict.json"
    saved = finished.visitor.http.get(address)
    assert saved.headers["Content-Disposition"].endswith("-verdict.json")
    verdict, seal = verdict_in(raw)
    assert verdict.seal == seal
    assert verdict.found == verdict_in(saved.data)[0].found
    assert verdict.sentence in page(finished).text
    assert not [a for a in page(finished, run=1).all("a") if "download" in a]


def test_a_run_that_was_not_checked_has_no_verdict_and_says_what_to_do(finished):
    answer = finished.visitor.http.get(f"/runs/{finished.runs[1]}/verdict.json")
    assert (answer.status_code, "Ask “Is it real?”" in answer.json["words"]) == (400, True)


def test_a_run_that_was_not_checked_says_so_and_gives_its_held_out_rows(finished):
    run = finished.runs[1]
    verdict = finished.visitor.news(run)["verdict"]
    text = page(finished, run=1).text
    assert "Is it real? was not asked" in text
    assert "guessing: 50 %" in verdict["follow"]
    for words in (verdict["lead"], verdict["follow"], *verdict["notes"]):
        assert words in text


def test_a_plane_changed_by_hand_is_named_as_such(finished):
    found, changed = (
        page(finished, run=1).text,
        page(finished, run=1, n_top_features=2, gamma=2).text,
    )
    assert "Plane was changed: top 2 features only." in changed
    assert "(changed)" in changed
    assert "computed from them, are shown with γ 2." in changed
    assert not re.search(r"\(changed\)|Plane was changed|are shown with γ", found)


def test_features_have_the_order_of_the_page(finished):
    run = finished.runs[0]
    sequence = finished.visitor.news(run)["sequences"][-1]
    ranked = finished.visitor.http.get(f"/runs/{run}/planes/{sequence}/features").json["features"]
    text = page(finished).text.partition("What tells the classes apart")[2]
    places = [text.index(feature["name"]) for feature in ranked]
    assert places == sorted(places)


@pytest.mark.slow
def test_features_that_bend_are_one_row_each_without_loadings_of_their_columns(studio):
    visitor = studio.visitor()
    visitor.choose_sample("wine")
    run = visitor.start(method="lda", curves="curved")
    studio.work()
    answer = visitor.http.get(f"/runs/{run}/report.html")
    text = Tags(answer.text).text.partition("Features by what is lost without them")[2]
    sequence = visitor.news(run)["sequences"][-1]
    ranked = visitor.http.get(f"/runs/{run}/planes/{sequence}/features").json["features"]
    assert all(feature["name"] in text for feature in ranked)
    assert "more feature" not in text.partition("Method")[0]
    assert "Loading 1" not in text


def test_data_preparation_method_seed_and_versions_are_named(studio, finished):
    record = studio.store.get(finished.runs[0])
    text = page(finished).text
    for words in (record.data_id, record.source.key, "Seed", "numpy", "scikit-learn", "Python"):
        assert words in text
    for step in studio.data_of(finished.visitor).steps:
        assert step in text
    assert re.search(r"@inproceedings\{czarnecki2015maximum", text)


def test_the_link_of_a_report_restores_its_view(finished):
    (link,) = (a for a in page(finished).all("a") if "download" not in a)
    assert link["href"].startswith("http://localhost/?data=upload:")
    assert "method=melm" in link["href"]
    assert "random_state=3" in link["href"]


@pytest.mark.slow
def test_a_comparison_has_every_run_their_angles_and_all_references(finished):
    report = comparison(finished)
    assert len(report.all("img")) == 3  # side by side, and each
    assert ["download" in a for a in report.all("a")] == [False, False, True]
    assert "Angles between the planes" in report.text
    assert "hotelling1933analysis" in report.text
    assert "czarnecki2015maximum" in report.text
    assert report.text.count("Is it real?") >= 2


@pytest.mark.parametrize("address", ["/report.html", "/report.html?" + "&".join(["run=R"] * 2)])
def test_a_comparison_of_no_run_or_of_unknown_ones_is_refused(finished, address):
    assert finished.visitor.http.get(address).status_code in (400, 404)


def test_a_report_of_another_visitor_is_not_found(finished, visitor):
    assert visitor.http.get(f"/runs/{finished.runs[0]}/report.html").status_code == 404
    answer = visitor.http.get("/report.html", query_string={"run": finished.runs})
    assert answer.status_code == 404


@pytest.mark.slow
def test_features_that_are_pixels_are_images_of_the_page_and_of_the_report(studio):
    visitor = studio.visitor()
    visitor.choose_sample("digits")
    run = visitor.start(method="lda")
    studio.work()
    listed = visitor.http.get(f"/runs/{run}/planes/0/features").get_json()
    shown = listed["images"]["markup"]
    assert shown.index("Across</figcaption>") < shown.index("Up</figcaption>")
    report = visitor.http.get(f"/runs/{run}/report.html")
    assert "The features as pixels" in report.text
    assert "Mean of the training rows of 9" in report.text

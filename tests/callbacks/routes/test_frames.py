"""The routes that the page draws from."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

from callbacks.routes import frames
from lab.driver.traces import points
from lab.driver.visitor import strict_json
from melm_core.density import kernel_classes
from melm_core.melm.objective import cauchy_schwarz_divergence, divergence_terms
from melm_studio.configuration.messages import DATA_GONE
from melm_studio.configuration.settings import Settings
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.runs.records.refits_report import REFITS
from melm_studio.runs.records.run import RunState, new_analysis
from melm_studio.scores import divergence_text
from tests.callbacks.planes import standardized_by_class
from tests.callbacks.tables import blobs, breast_cancer, csv
from tests.melm_studio.runs.helpers import plane, run_of

SURFACE = "surface?kind=densities&method=exact"
RUN_ROUTES = (
    "figure",
    "planes/0",
    "gamma-advice",
    "planes/0/trade-off",
    "planes/0/features",
    "planes/0/terms",
    "description",
    "planes/0/shared-view",
    "planes/0/reproduction?divergence=1",
    "points.csv",
    "components.csv",
    "model.json",
    "script.py",
    "replay.html",
    SURFACE,
    "planes/0/rows/1",
    "planes/0/outliers",
    "planes/0/distances",
    "every-row",
    "planes/0/every-point",
    "rows-named?text=1",
    "columns",
    "colors?column=mean+radius",
    "symbols?column=mean+radius",
    "features/2",
    "analyses",
    "planes/0/loadings",
)
# They answer about a file or a run of another kind; see the tests of each.
OTHER_ROUTES = (
    "source",
    "latent-structure",
    "planes/0/new-rows",
    "planes/0/new-rows.csv",
    "report.html",
    "verdict.json",
    "ranking.csv",
    "overlap.csv",
    "analyses/<name>",
    "analyses/<name>.csv",
    "analyses/sparse/3",
)
# What the numbers in these addresses are.
NUMBERS = {
    "0": "/<int:sequence>",
    "1": "/<int:row>",
    "2": "/<int:feature>",
    "3": "/<int:n_features>",
}
HELD_OUT, SEED, GAMMA = 0.25, 3, 0.501


@pytest.fixture(scope="module")
def finished(studio):
    """A visitor's MELM run on breast cancer, worked to its end."""
    visitor = studio.visitor()
    visitor.choose_file(csv(breast_cancer()), "breast cancer.csv")
    run = visitor.start(gamma=GAMMA, random_state=SEED)
    studio.work()
    train, held_out = studio.parts_of(visitor, run)
    events = studio.store.events(run)
    return SimpleNamespace(visitor=visitor, run=run, train=train, held_out=held_out, events=events)


@pytest.mark.slow
def test_a_page_that_has_nothing_gets_all_scalars_and_the_newest_plane(finished):
    news = finished.visitor.news(finished.run)
    assert news["sequences"] == [event.sequence for event in finished.events]
    assert news["objective"] == [event.objective for event in finished.events]
    assert news["best"] == [event.best_objective for event in finished.events]
    assert news["n_sampled"] == [event.n_sampled for event in finished.events]
    assert news["plane"]["sequence"] == finished.events[-1].sequence
    assert (news["state"], news["is_final"], news["fraction"]) == ("done", True, 1.0)


def test_the_last_plane_says_that_its_regions_are_of_held_out_rows(finished):
    places = finished.visitor.news(finished.run)["plane"]["places"]
    words = f"regions of {len(finished.held_out.y)} held-out rows"
    assert places == {"state": "", "warning": "", "words": words}
    first = finished.visitor.http.get(f"/runs/{finished.run}/planes/0").json
    assert first["places"] is None


def test_features_are_ranked_quickly_by_their_arrows_and_at_rest_by_what_they_are_worth(finished):
    address = f"/runs/{finished.run}/planes/0/features"
    quick = finished.visitor.http.get(address, query_string={"quick": 1}).json
    lengths = [np.hypot(each["x"], each["y"]) for each in quick["features"]]
    assert lengths == sorted(lengths, reverse=True)
    assert "second" not in quick
    assert "lost" not in quick["markup"]
    whole = finished.visitor.http.get(address).json
    assert {each["name"] for each in whole["features"]} == {
        each["name"] for each in quick["features"]
    }
    for ranking in (quick, whole):
        assert ranking["markup"].count("data-feature=") == len(ranking["features"])
        assert f">{whole['features'][0]['name'][:7]}" in ranking["markup"]
    assert whole["features"][0]["words"] in whole["markup"]


def test_a_page_gets_what_is_newer_than_it_has(finished):
    last = finished.events[-1].sequence
    news = finished.visitor.news(f"{finished.run}:{last - 3}")
    assert news["sequences"] == [last - 2, last - 1, last]
    assert news["plane"]["sequence"] == last


@pytest.mark.parametrize("beyond", [0, 1, 1_000_000])
def test_a_page_that_has_everything_gets_words_and_no_plane(finished, beyond):
    news = finished.visitor.news(f"{finished.run}:{finished.events[-1].sequence + beyond}")
    assert news["plane"] is None
    assert news["sequences"] == news["objective"] == news["best"] == []
    assert news["words"].startswith("1 start, ")


@pytest.mark.slow
def test_a_plane_says_what_was_changed(finished):
    address = f"/runs/{finished.run}/planes/{finished.events[-1].sequence}"
    changed = finished.visitor.http.get(address, query_string={"n_top_features": 3}).json
    assert changed["changes"] == "Plane was changed: top 3 features only"
    assert finished.visitor.http.get(address, query_string={"gamma": 0.5}).json["changes"] == ""


def terms_of(finished, query: str = "") -> dict:
    last = finished.events[-1].sequence
    address = f"/runs/{finished.run}/planes/{last}/terms?{query}"
    return finished.visitor.http.get(address).get_json()


def test_the_terms_are_those_of_the_estimator_and_differ_by_the_divergence(finished):
    found = terms_of(finished)
    assert found["title"] == "Divergence of benign and malignant"
    fitting, regularizing, difference = (number for _, number, _ in found["rows"])
    components = finished.events[-1].components
    kernels = kernel_classes(
        finished.train.X, finished.train.y, n_components=2, gamma=GAMMA, shrinkage="ledoit-wolf"
    )
    terms = divergence_terms(kernels, components)
    decimals = len(fitting.partition(".")[2])
    assert fitting == f"{terms.fitting:.{decimals}f}"
    assert regularizing == f"− {terms.regularizing:.{decimals}f}"
    shown = finished.visitor.news(finished.run)["plane"]["numbers"]["divergence-training"]
    assert difference == divergence_text(shown, unit=True)


def test_the_terms_are_those_of_the_width_that_is_shown(finished):
    assert terms_of(finished, "gamma=2")["rows"] != terms_of(finished)["rows"]


@pytest.fixture
def begun(studio, visitor):
    """A run of wine that a worker has taken, and the visitor who looks at it."""
    visitor.choose_sample("wine")
    run = visitor.start(method="melm")
    assert studio.store.transition(run, {RunState.QUEUED}, state=RunState.RUNNING)
    yield visitor, run
    assert studio.store.transition(run, {RunState.RUNNING}, state=RunState.CANCELLED)


def appended(studio, run: str, components, objective: float, best: float, **changes) -> int:
    """Put a plane into a run that is at work, as its worker does."""
    event = plane(objective, components=components, best_objective=best, **changes)
    return studio.store.append(run, event)


def test_while_another_plane_passes_the_strip_has_the_words_of_the_best(studio, begun):
    visitor, run = begun
    separating, passing = np.eye(2, 13, k=11), np.eye(2, 13, k=2)
    best = appended(studio, run, separating, 2.0, 2.0)
    first = visitor.news(run)
    assert first["best_strip"] == first["plane"]["strip"]
    last = appended(studio, run, passing, 1.0, 2.0)
    both = visitor.news(run)
    assert both["plane"]["sequence"] == last
    assert both["best_strip"] == first["plane"]["strip"] != both["plane"]["strip"]
    # A page that has the best plane keeps the words it has of it.
    assert visitor.news(f"{run}:{best}")["best_strip"] is None


def test_every_plane_says_over_how_many_rows_its_objective_is(studio, begun):
    visitor, run = begun
    for objective, n_sampled in ((1.2, 100), (1.3, 0)):
        appended(studio, run, np.eye(2, 13), objective, objective, n_sampled=n_sampled)
    assert visitor.news(run)["n_sampled"] == [100, 0]


def test_a_queued_run_has_words_and_no_plane(studio, visitor):
    studio.work()  # what other tests have queued
    visitor.choose_sample("iris")
    news = visitor.news(visitor.start(method="pca"))
    assert (news["state"], news["is_final"], news["fraction"]) == ("queued", False, 0.0)
    assert news["words"] == "Waiting for a free worker"
    assert news["plane"] is None


def test_a_run_of_the_page_waits_for_those_before_it_and_not_for_what_follows_others(studio):
    def begun():
        visitor = studio.visitor()
        visitor.choose_sample("iris")
        return visitor, visitor.start(method="pca")

    def n_ahead(visitor, run):
        return int(re.findall(r"\d+", visitor.news(run)["words"])[0])

    fit = studio.store.get(begun()[1])
    before = n_ahead(*begun())
    studio.store.create(replace(new_analysis(fit, REFITS), from_page=True))
    assert n_ahead(*begun()) == before + 1


@pytest.mark.parametrize(
    "after",
    ["", "-1", "-2", "-99999999999999", "x", "1.5", "1e3", "²", "٣", "9" * 5_000, "1:2", "\0"],
    ids=lambda after: repr(after[:20]),
)
def test_a_malformed_sequence_counts_as_having_nothing(finished, after):
    news = finished.visitor.news(f"{finished.run}:{after}")
    assert news["sequences"] == [event.sequence for event in finished.events]


def test_unknown_and_foreign_runs_are_left_out(studio, finished):
    other = studio.visitor()
    asked = (finished.run, f"{finished.run}:-1", "unknown:3", "", ":", "%", "☃:0")
    assert other.frames(*asked)["runs"] == {}
    assert list(finished.visitor.frames(*asked)["runs"]) == [finished.run]


def test_frames_without_a_run_tell_the_revision(finished):
    assert finished.visitor.frames()["runs"] == {}


def test_the_revision_follows_the_visitor_s_list_of_runs(studio, visitor):
    visitor.choose_sample("iris")
    empty = visitor.frames()["revision"]
    run = visitor.start(method="pca")
    one = visitor.frames()["revision"]
    studio.work()
    assert visitor.frames()["revision"] == one != empty
    visitor.command(run, "remove")
    assert visitor.frames()["revision"] == empty


def test_the_divergence_shown_is_that_of_the_seen_rows_in_that_plane(finished):
    assert len(finished.events) > 10
    for event in finished.events[:: len(finished.events) // 5]:
        route = f"/runs/{finished.run}/planes/{event.sequence}"
        shown = finished.visitor.http.get(route).json["numbers"]["divergence-training"]
        expected = cauchy_schwarz_divergence(
            finished.train.X,
            finished.train.y,
            event.components,
            gamma=GAMMA,
            shrinkage="ledoit-wolf",
        )
        assert shown == pytest.approx(expected, abs=1e-9)


def test_the_points_drawn_are_the_standardized_projection(finished):
    traces = finished.visitor.news(finished.run)["plane"]["traces"]
    components, n_classes = finished.events[-1].components, len(finished.train.class_names)
    for first, rows in ((3 * n_classes, finished.train), (4 * n_classes, finished.held_out)):
        expected = standardized_by_class(components, finished.train, rows)
        for trace, of_class in zip(traces[first : first + n_classes], expected, strict=True):
            np.testing.assert_allclose(points(trace), of_class, atol=2e-4)


def test_the_newest_plane_is_the_last_of_the_history(finished):
    last = finished.events[-1].sequence
    plane = finished.visitor.http.get(f"/runs/{finished.run}/planes/{last}").json
    assert plane == finished.visitor.news(finished.run)["plane"]


@pytest.mark.parametrize("sequence", [9_999, 10**20])
def test_a_plane_that_does_not_exist_is_not_found(finished, sequence):
    route = f"/runs/{finished.run}/planes/{sequence}"
    assert finished.visitor.http.get(route).status_code == 404


@pytest.mark.parametrize("scheme", Scheme)
def test_the_figure_has_the_colors_of_the_page(finished, scheme):
    answer = finished.visitor.http.get(f"/runs/{finished.run}/figure?scheme={scheme}")
    figure = strict_json(answer.text)
    n_traces = len(finished.visitor.news(finished.run)["plane"]["traces"])
    assert len(figure["plane"]["data"]) == n_traces
    assert figure["plane"]["layout"]["font"]["color"] == THEMES[scheme].ink
    assert len(figure["curve"]["data"]) == 6


@pytest.mark.parametrize("scheme", ["sepia", "", "LIGHT"])
def test_an_unknown_scheme_is_drawn_light(finished, scheme):
    get = finished.visitor.http.get
    unknown = get(f"/runs/{finished.run}/figure?scheme={scheme}")
    assert unknown.json == get(f"/runs/{finished.run}/figure").json
    assert unknown.json["plane"]["layout"]["font"]["color"] == THEMES[Scheme.LIGHT].ink


@pytest.mark.parametrize("route", RUN_ROUTES)
def test_every_route_of_a_run_answers_its_owner(finished, route):
    assert finished.visitor.http.get(f"/runs/{finished.run}/{route}").status_code == 200


@pytest.mark.parametrize("route", RUN_ROUTES + OTHER_ROUTES)
def test_no_route_of_a_run_answers_anybody_else(studio, finished, route):
    foreign = studio.visitor().http.get(f"/runs/{finished.run}/{route}")
    unknown = finished.visitor.http.get(f"/runs/unknown/{route}")
    assert foreign.status_code == unknown.status_code == 404
    assert foreign.data == unknown.data


def test_the_routes_tested_are_all_that_show_something_of_a_run(studio):
    rules = {
        rule.rule
        for rule in studio.app.server.url_map.iter_rules()
        if rule.rule.startswith("/runs/<run_id>/") and "GET" in rule.methods
    }
    paths = (route.partition("?")[0] for route in RUN_ROUTES + OTHER_ROUTES)
    patterns = (re.sub(r"/([0-3])\b", lambda found: NUMBERS[found[1]], path) for path in paths)
    assert rules == {f"/runs/<run_id>/{pattern}" for pattern in patterns}


@pytest.mark.parametrize("route", ["planes/0", "points.csv", "components.csv"])
def test_a_run_that_has_no_plane_yet_has_nothing_to_show(visitor, route):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    assert visitor.http.get(f"/runs/{run}/{route}").status_code == 404
    assert visitor.http.get(f"/runs/{run}/figure").status_code == 200


def test_a_run_whose_data_are_gone_says_so(studio, visitor):
    record = run_of(visitor.owner, "gone", "pca")
    studio.store.create(record)
    answer = visitor.http.get(f"/runs/{record.run_id}/figure")
    assert (answer.status_code, answer.json["words"]) == (404, DATA_GONE.format(days=30))


def test_a_run_whose_data_are_gone_does_not_stop_the_others(studio, visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    studio.work()
    lost = run_of(visitor.owner, "gone", "pca")
    studio.store.create(lost)
    event = studio.store.last_event(run)
    studio.store.append(lost.run_id, event)
    news = visitor.frames(run, lost.run_id)["runs"]
    assert news[run]["plane"]["sequence"] == event.sequence
    assert news[lost.run_id]["plane"] is None
    assert news[lost.run_id]["words"] == DATA_GONE.format(days=30)


def test_markup_in_names_reaches_the_figures_as_text(studio, visitor):
    table = blobs(labels=("<b>a</b>", "b & c"), x="<a href='//evil'>x</a>", y="<i>y</i>")
    visitor.choose_file(csv(table))
    run = visitor.start(method="pca")
    studio.work()
    figure = visitor.http.get(f"/runs/{run}/figure").json["plane"]
    names = {trace["name"] for trace in figure["data"] if "name" in trace}
    assert {"&lt;b&gt;a&lt;/b&gt;", "b &amp; c", "b &amp; c, held out"} <= names


def test_without_held_out_rows_the_unseen_numbers_are_missing(studio, visitor):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca", held_out=0)
    studio.work()
    numbers = visitor.news(run)["plane"]["numbers"]
    missing = {name for name, value in numbers.items() if value is None}
    assert missing == {"divergence-held-out", "accuracy-held-out"}


@pytest.mark.parametrize("method", ["melm", "rotations", "pca"])
def test_the_held_out_curve_ends_with_the_number_beside_the_best_plane(studio, visitor, method):
    visitor.choose_sample("iris")
    run = visitor.start(method=method)
    studio.work()
    news = visitor.news(run)
    held_out = news["plane"]["numbers"]["divergence-held-out"]
    if method == "rotations":  # whose objective is not the divergence
        assert news["held_out"] == []
    else:
        assert news["held_out"][-1] == [news["plane"]["sequence"], pytest.approx(held_out)]
    assert visitor.news(run)["held_out"] == news["held_out"]  # as after a reload


def test_a_poll_of_finished_runs_reads_the_last_plane_of_each_once(studio, monkeypatch):
    visitor = studio.visitor()
    visitor.choose_file(csv(blobs()), "blobs.csv")
    runs = [visitor.start(method=method) for method in ("pca", "lda")]
    studio.work()
    first = visitor.frames(*runs)
    reads = []
    read = type(studio.store).last_event
    monkeypatch.setattr(
        type(studio.store), "last_event", lambda self, run: reads.append(run) or read(self, run)
    )
    known = visitor.http.get("/frames", query_string={"run": [f"{run}:99" for run in runs]}).json
    assert sorted(reads) == sorted(runs)
    verdicts = [{run: news["runs"][run]["verdict"] for run in runs} for news in (first, known)]
    assert verdicts[0] == verdicts[1]
    assert all(verdicts[0].values())


@pytest.fixture
def clock(monkeypatch):
    """The clock of held answers, which stands still but while one of them waits."""
    fake = SimpleNamespace(now=0.0, on_wait=lambda: None)

    def wait(seconds):
        fake.now += seconds
        fake.on_wait()

    monkeypatch.setattr(frames, "perf_counter", lambda: fake.now)
    monkeypatch.setattr(frames, "sleep", wait)
    return fake


def first_news(visitor, *runs):
    asked = {"run": [f"{run}:-1" for run in runs], "first": ""}
    return visitor.http.get("/frames", query_string=asked).json["runs"]


def test_an_answer_is_held_until_there_is_a_first_plane(studio, visitor, clock):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    clock.on_wait = studio.work
    assert first_news(visitor, run)[run]["plane"]["sequence"] == 0
    assert 0 < clock.now < frames.LONGEST_HOLD_S


def test_an_answer_is_held_for_a_moment_at_most(studio, visitor, clock):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    assert first_news(visitor, run)[run]["state"] == RunState.QUEUED
    assert clock.now == pytest.approx(frames.LONGEST_HOLD_S, abs=0.011)
    studio.work()


@pytest.mark.parametrize(("method", "is_held"), [("pca", True), ("melm", False)])
def test_only_what_is_found_in_one_step_is_held_until_its_end(
    studio, visitor, clock, method, is_held
):
    visitor.choose_sample("iris")
    run = visitor.start(method=method)
    studio.store.transition(run, {RunState.QUEUED}, state=RunState.RUNNING)
    studio.store.append(run, plane(components=np.eye(2, 4)))
    clock.on_wait = lambda: studio.store.transition(run, [*RunState], state=RunState.DONE)
    news = first_news(visitor, run)[run]
    assert news["plane"]["sequence"] == 0
    assert (clock.now > 0, news["is_final"]) == (is_held, is_held)
    clock.on_wait()


def test_news_are_not_held(studio, finished, clock):
    visitor = finished.visitor
    assert first_news(visitor, finished.run)[finished.run]["plane"] is not None
    for runs in ((), ("unknown",)):
        assert first_news(visitor, *runs) == {}
    assert first_news(studio.visitor(), finished.run) == {}
    assert clock.now == 0


def test_half_of_the_threads_are_left_to_others(studio, visitor, clock):
    visitor.choose_sample("iris")
    run = visitor.start(method="pca")
    held = 0

    def ask_once_more():
        nonlocal held
        held += 1
        first_news(visitor, run)
        clock.now += frames.LONGEST_HOLD_S

    clock.on_wait = ask_once_more
    first_news(visitor, run)
    assert held == Settings(data_dir=Path()).threads // 2
    studio.work()


def test_a_class_without_a_region_is_said_to_lack_groups_where_rows_belong_to_such(studio):
    rng = np.random.default_rng(SEED)
    y, visits = np.repeat(["a", "b"], 40), np.repeat(np.arange(20), 4)
    table = pd.DataFrame(rng.standard_normal((80, 3)), columns=list("uvw"))
    visitor = studio.visitor()
    visitor.choose_file(csv(table.assign(patient=[f"p{n}" for n in visits], kind=y)), "visits.csv")
    run = visitor.start(method="lda", held_out="")
    studio.work()
    assert visitor.http.post(f"/runs/{run}/analyses/refits").status_code == 201
    studio.work()
    words = visitor.news(run)["plane"]["places"]["words"]
    assert words.endswith("no region of 95 % (needs 19 groups)")

"""The app: every callback addresses what stands on the page, however many apps there are."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator

import pytest
from plotly.utils import PlotlyJSONEncoder
from threadpoolctl import threadpool_info, threadpool_limits

from app import main
from callbacks.routes.static_files import PLOTLY_PATH
from lab.driver.visitor import Studio, components, is_pattern, opened_studio
from melm_core.recipe import Recipe, Step, StepKind
from melm_studio.layout import ids
from melm_studio.layout.story import story_list
from melm_studio.layout.table_dialog.classes import classes_form
from melm_studio.layout.table_dialog.columns import columns_table
from melm_studio.layout.table_dialog.dialog import file_form
from melm_studio.layout.table_dialog.filters import filter_list, range_choice, value_choice
from melm_studio.layout.table_dialog.recipe import recipe_form
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.runs.store.disk import DiskRunStore
from melm_studio.runs.store.disk_cache import locked
from melm_studio.runs.store.folder_identity import identify
from melm_studio.tables import ClassRules, Column, ReadOptions, Role

NOWHERE = "192.0.2.1"  # an address of documents, at which no machine listens
ROUTES = {
    "/frames",
    "/health",
    PLOTLY_PATH,
    "/runs/<run_id>/components.csv",
    "/runs/<run_id>/figure",
    "/runs/<run_id>/planes/<int:sequence>",
    "/runs/<run_id>/points.csv",
    "/upload",
}


@pytest.fixture
def studio(tmp_path) -> Iterator[Studio]:
    with opened_studio(tmp_path) as studio:
        yield studio


def dependencies(studio: Studio) -> list[dict]:
    return studio.app.server.test_client().get("/_dash-dependencies").json


def addressed(studio: Studio) -> Iterator[tuple[str, str]]:
    """Id and property of every input, state and output."""
    for callback in dependencies(studio):
        for entry in (*callback["inputs"], *callback["state"]):
            yield entry["id"], entry["property"]
        if callback.get("no_output"):  # a script of the page listens
            continue
        for output in callback["output"].strip(".").split("..."):
            yield tuple(output.partition("@")[0].rsplit(".", 1))


def standing(studio: Studio) -> list[dict]:
    """Every component of the page, and a row of all that comes by callbacks."""
    page = studio.app.server.test_client().get("/_dash-layout").json
    column, ordered = Column("x", Role.NUMERIC, ""), Column("y", Role.ORDERED, "")
    parts = [
        columns_table([(0, column), (1, ordered)], 2, {"y": ["low", "high"]}),
        file_form(["a", "b"], "a", ReadOptions()),
        classes_form("y", [("a", 2)], ClassRules(), is_number=True, how="values"),
        value_choice([("a", "a")]),
        range_choice(0.0, 1.0),
        filter_list(["y is a"], 1, "2 of 3 rows"),
        recipe_form(Recipe(steps=(Step(StepKind.ASINH), Step(StepKind.DERIVATIVE))), ["x"]),
        {"props": {"id": ids.answer(0, 0)}},
        {"props": {"id": ids.feature(0)}},
        story_list([("MELM of Iris", "A caption", "Notes"), ("PCA of Iris", "", "")]),
    ]
    shown = json.loads(json.dumps(parts, cls=PlotlyJSONEncoder))
    return [*components(page), *components(shown)]


def test_every_id_in_every_callback_stands_on_the_page(studio):
    found = [part["props"]["id"] for part in standing(studio) if "id" in part["props"]]
    names = {name for name in found if isinstance(name, str)}
    kinds = {(name["type"], *sorted(name)) for name in found if isinstance(name, dict)}
    asked = list(addressed(studio))
    assert len(asked) > 20
    for component_id, _ in asked:
        if is_pattern(component_id):
            pattern = json.loads(component_id)
            assert (pattern["type"], *sorted(pattern)) in kinds
        else:
            assert component_id in names


def test_no_id_stands_twice_on_the_page(studio):
    found = [json.dumps(part["props"]["id"]) for part in standing(studio) if "id" in part["props"]]
    assert len(found) == len(set(found))


def test_the_layout_is_written_once_for_everybody_and_anew_for_each_studio(studio, tmp_path):
    def said(one: Studio) -> str:
        first, second = (one.app.server.test_client().get("/_dash-layout") for _ in range(2))
        assert first.is_json
        assert first.data == second.data
        return first.text

    with opened_studio(tmp_path / "second", max_upload_mb=7) as second:
        assert "At most 7 MB" in said(second)
    assert "At most 7 MB" not in said(studio)


def test_two_apps_of_one_factory_both_have_every_callback_and_route(studio, tmp_path):
    with opened_studio(tmp_path / "second") as second:
        assert dependencies(second) == dependencies(studio)
        assert len(dependencies(second)) >= 9
        for each in (studio, second):
            assert ROUTES.issubset(rule.rule for rule in each.app.server.url_map.iter_rules())


def test_the_process_of_the_page_has_one_thread_for_linear_algebra(tmp_path):
    with threadpool_limits(2), opened_studio(tmp_path):
        pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
        assert {pool["num_threads"] for pool in pools} == {1}


def test_two_apps_keep_their_runs_apart(studio, tmp_path):
    with opened_studio(tmp_path / "second") as second:
        visitors = [each.visitor() for each in (studio, second)]
        for visitor in visitors:
            visitor.choose_sample("iris")
        first, other = (visitor.start(method="pca") for visitor in visitors)
        assert list(visitors[0].frames(first, other)["runs"]) == [first]
        assert list(visitors[1].frames(first, other)["runs"]) == [other]


def test_pages_of_text_have_the_addresses_of_their_own_app(studio, tmp_path):
    with opened_studio(tmp_path / "second", path_prefix="/below"):
        page = studio.visitor().http.get("/docs/explore.md").text
    assert 'href="/assets/' in page
    assert "/below/" not in page


def test_the_first_visit_shows_a_sample_that_one_click_runs(studio):
    visitor = studio.visitor()
    visitor.fire("source", "data", visitor.values["source.data"])
    visitor.press_run(n_init=1)
    (run,) = visitor.panels()
    studio.work()
    assert visitor.news(run)["state"] == "done"


@pytest.mark.parametrize("scheme", Scheme)
def test_the_page_knows_the_class_colors_of_the_figures(studio, scheme):
    page = studio.app.server.test_client().get("/").text
    (rules,) = re.findall(rf'\[data-mantine-color-scheme="{scheme}"\] {{([^}}]*)}}', page)
    for code, color in enumerate(THEMES[scheme].class_colors):
        assert f"--class-{code}: {color};" in rules


def test_the_page_names_its_language_and_itself(studio):
    page = studio.app.server.test_client().get("/").text
    assert '<html lang="en">' in page
    assert "<title>MELM Studio</title>" in page


@pytest.mark.fault
def test_a_taken_port_is_said_in_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr("app.configure_logging", lambda: None)
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    with socket.create_server(("127.0.0.1", 0)) as other, threadpool_limits(1):
        port = other.getsockname()[1]
        with pytest.raises(SystemExit, match=rf"cannot listen at 127\.0\.0\.1:{port} .*--port"):
            main(["--port", str(port), "--data-dir", str(tmp_path)], {})


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Start a studio in a folder, which must fail, and return what it says."""
    monkeypatch.setattr("app.configure_logging", lambda: None)
    monkeypatch.setattr("signal.signal", lambda number, handler: None)

    def start(*flags: str) -> str:
        with threadpool_limits(1), pytest.raises(SystemExit) as stop:
            main(["--data-dir", str(tmp_path), "--host", NOWHERE, *flags], {})
        return str(stop.value)

    return start


@pytest.mark.fault
def test_a_second_studio_on_one_folder_is_refused_in_a_sentence(tmp_path, started):
    with locked(tmp_path):
        assert started().startswith(f"Another studio uses the folder {tmp_path}")


def test_a_damaged_database_is_told_in_a_sentence(tmp_path, started):
    DiskRunStore(tmp_path).close()
    (tmp_path / "store" / "cache.db").write_bytes(b"damaged" * 1_000)
    said = started()
    assert said.startswith(f"The folder {tmp_path} has been used, but its database")
    assert "is damaged (file is not a database)" in said
    assert "backup" in said


@pytest.mark.fault
@pytest.mark.parametrize("part", ["secret", "store/cache.db"])
def test_a_studio_that_lost_its_key_or_database_is_refused_in_a_sentence(tmp_path, started, part):
    identify(tmp_path)
    (tmp_path / part).unlink()
    said = started()
    assert said.startswith(f"The folder {tmp_path} has been used, but its ")
    assert f"{tmp_path / part}, is missing" in said
    assert started("--new").startswith("The studio cannot listen")  # so it would start
    assert started().startswith("The studio cannot listen")


@pytest.mark.fault
@pytest.mark.parametrize("part", ["lock", "studio", "store/write.lock"])
def test_a_folder_in_the_place_of_a_file_is_told_in_a_sentence(tmp_path, started, part):
    (tmp_path / part).mkdir(parents=True)
    said = started()
    assert said.startswith(f"The studio cannot use the folder {tmp_path} (")
    assert f"{tmp_path / part}: Is a directory" in said


def test_a_server_has_no_folder_to_begin_anew(started):
    said = started("--new", "--store", "redis://127.0.0.1:1/0")
    assert said.startswith("--new is for a folder")


@pytest.mark.fault
def test_a_folder_that_is_a_file_s_is_told_in_a_sentence(tmp_path, started):
    (tmp_path / "store").write_text("a file")
    assert started().startswith(f"The studio cannot use the folder {tmp_path}")


@pytest.mark.fault
@pytest.mark.parametrize("key", [b"", b"too short"])
def test_a_damaged_key_is_told_in_a_sentence(tmp_path, started, key):
    DiskRunStore(tmp_path).close()
    (tmp_path / "secret").write_bytes(key)
    assert f"its key, {tmp_path / 'secret'}, has {len(key)} bytes instead of 32" in started()

"""The tables of the operator in the menu of samples: whoever may see them chooses and runs."""

from __future__ import annotations

import pytest

from lab.driver.visitor import components, opened_studio
from melm_studio.layout import ids
from melm_studio.operator_tables import published
from melm_studio.operator_tables.all_rows import RegisteredTables
from melm_studio.operator_tables.keeper import TableKeeper
from melm_studio.operator_tables.plane_densities import kept_densities
from melm_studio.workers.execute import execute_run
from tests.melm_studio.layout.trees import parts
from tests.melm_studio.operator_tables.tables import parquet_folder

MENU, BUTTON = f"{ids.TABLES}.children", f"{ids.SAMPLES_OPEN}.children"
TREES = {"kind": "table", "key": "trees", "name": "Trees"}
N_ROWS = 400


@pytest.fixture(scope="module")
def studio(tmp_path_factory):
    folder = tmp_path_factory.mktemp("registered")
    parquet_folder(folder, N_ROWS, rare=0.1)
    (folder / "broken.parquet").write_bytes(b"PAR1")
    (folder / "tables.toml").write_text(
        '[trees]\npath = "trees"\nname = "Trees"\nvisitors = ["ada"]\n'
        '[broken]\npath = "broken.parquet"\n'
    )
    settings = {"tables": str(folder), "proxies": 1, "user_header": "X-User"}
    with (
        pytest.MonkeyPatch.context() as patch,
        opened_studio(tmp_path_factory.mktemp("studio"), **settings) as studio,
    ):
        patch.setattr(published.drawn_sample, "__kwdefaults__", {"n_rows": N_ROWS // 2})
        TableKeeper(studio.store, str(folder)).look()
        yield studio


@pytest.fixture
def come(studio, monkeypatch):
    """Opens the page as a user whom the proxy names."""

    def come_as(user):
        client = studio.app.server.test_client()
        client.environ_base["HTTP_X_USER"] = user
        monkeypatch.setattr(studio.app.server, "test_client", lambda: client)
        return studio.visitor()

    return come_as


def offered(visitor):
    """The items of the menu by name, and what each says."""
    changes = visitor.fire(ids.SAMPLES_OPEN, "n_clicks", 1)
    items = [part["props"] for part in components(changes[MENU]) if "role" in part["props"]]
    return {item["children"][0]["props"]["children"]: item for item in items}


@pytest.mark.slow
def test_the_menu_names_tables_with_their_sizes_and_what_is_wrong(come):
    items = offered(come("ada"))
    assert items["Trees"]["children"][1]["props"]["children"] == "400 rows, 6 columns"
    assert '"key":"trees"' in items["Trees"]["data-source"]
    assert items["broken"]["disabled"]
    assert "broken.parquet" in items["broken"]["children"][1]["props"]["children"]


def test_a_table_is_neither_listed_nor_opened_for_others(come):
    bob = come("bob")
    assert "Trees" not in offered(bob)
    changes = bob.choose(TREES)
    assert (
        "There is no table 'trees' here that you may see" in changes[f"{ids.DATA_ERROR}.children"]
    )
    assert f"{ids.DATA}.data" not in changes


def test_the_page_shows_the_size_of_the_table_and_that_a_sample_is_drawn(come, studio):
    ada = come("ada")
    changes = ada.choose(TREES)
    assert "400 rows" in str(changes[f"{ids.DATA_SIZE}.children"])
    n_sampled = len(studio.data_of(ada).y)
    assert n_sampled < N_ROWS
    note = f"Points are a sample of {n_sampled} of 400 rows"
    summary = changes[f"{ids.DATA_SUMMARY}.children"]
    assert note in str(summary)
    sizes = [
        int(props["children"]) for props in parts(*summary) if props.get("className") == "count"
    ]
    assert (len(sizes), sum(sizes)) == (3, N_ROWS)


def test_a_run_says_that_it_was_fitted_to_the_sample_and_is_nobody_else_s(come, studio):
    ada = come("ada")
    ada.choose(TREES)
    run = ada.start(method="hlda")
    studio.work()
    assert ada.news(run)["words"].endswith("itted to the sample")
    assert run not in come("bob").frames(run)["runs"]


@pytest.mark.slow
def test_the_page_draws_densities_and_counts_of_all_rows(come, studio):
    ada = come("ada")
    ada.choose(TREES)
    run = ada.start(method="lda")
    settings = studio.app.server.extensions["melm-studio"].settings
    studio.store.claim_looked_at()
    execute_run(studio.store, run, tables=RegisteredTables(settings.tables))
    n_rows, n_sampled = studio.store.get(run).outcome.n_rows, len(studio.data_of(ada).y)
    assert n_sampled < n_rows < N_ROWS
    news = ada.news(run)
    assert news["words"] == f"Fitted to {n_rows} rows"
    plane = news["plane"]
    captions = {
        True: f"{n_sampled} points, densities of all {n_rows} rows",
        False: f"{n_sampled} points, densities of these only",
    }
    divergence = kept_densities(studio.store, run).divergence
    assert plane["sample"] == captions[True]
    assert plane["numbers"]["divergence-training"] == divergence == news["objective"][-1]
    of_all = {
        query: ada.http.get(f"/runs/{run}/planes/{plane['sequence']}?{query}").json["sample"]
        for query in ("gamma=2", "n_top_features=2")
    }
    assert of_all == {"gamma=2": captions[True], "n_top_features=2": captions[False]}
    viewer = studio.app.server.extensions["melm-studio"].renderer.planes.viewer(
        studio.store.get(run)
    )
    assert sum(viewer.class_counts.values()) > n_rows


@pytest.mark.slow
def test_a_run_says_how_many_rows_it_was_fitted_to(come, studio):
    ada = come("ada")
    ada.choose(TREES)
    run = ada.start(method="melm")
    settings = studio.app.server.extensions["melm-studio"].settings
    studio.store.claim_looked_at()
    execute_run(studio.store, run, tables=RegisteredTables(settings.tables))
    n_rows = studio.store.get(run).outcome.n_rows
    assert len(studio.data_of(ada).y) < n_rows < N_ROWS
    news = ada.news(run)
    assert news["words"].endswith(f"fitted to {n_rows} rows")
    divergence = news["plane"]["numbers"]["divergence-training"]
    assert divergence == pytest.approx(news["objective"][-1], rel=1e-9)

"""Removed runs leave nothing behind in the browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import CDPSession, Page, expect

from lab.driver.page import LOAD_MODULE, StudioPage

# The first runs fill what stays once: plotly, the templates of menus, the caches of React.
N_WARM = 2
N_COUNTED = 4
# React keeps the tree before the last change; a run that stayed would hold 700 nodes.
MOST_NODES, MOST_LISTENERS = 100, 20


@pytest.mark.slow
def test_removed_runs_leave_no_nodes_and_no_listeners(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Wine")
    protocol = page.context.new_cdp_session(page)
    protocol.send("Performance.enable")
    for _ in range(N_WARM):
        add_and_remove(studio)
    before = settled_counts(studio, protocol)
    for _ in range(N_COUNTED):
        add_and_remove(studio)

    def is_flat() -> bool:
        now = counts(protocol)
        return (
            now["Nodes"] - before["Nodes"] < MOST_NODES
            and now["JSEventListeners"] - before["JSEventListeners"] < MOST_LISTENERS
        )

    studio.wait_until(is_flat, "nodes and listeners are as many as before")


@pytest.mark.slow
def test_a_plane_that_is_refused_says_why(page: Page, console_errors: list[str]):
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    panel = studio.run("PCA")
    panel.expect_end()
    refusal = {"status": 400, "json": REFUSAL}
    page.route(re.compile("/planes/"), lambda route: route.fulfill(**refusal))
    panel.part("plot").evaluate(CHANGE_VIEW)
    expect(page.get_by_text(REFUSAL["words"])).to_be_visible()
    page.unroute_all(behavior="wait")  # a plane is asked for again as a picture settles
    assert console_errors
    assert all(error.startswith("Failed to load resource") for error in console_errors)
    console_errors.clear()


REFUSAL = {"words": "The number of features must be at least 2.", "error": ""}
CHANGE_VIEW = (
    "async (plot) => {"
    + LOAD_MODULE
    + """
  const { frontPanel } = await load("panel/panels.mjs");
  await frontPanel().changeView({ gamma: 2 });
}"""
)


def add_and_remove(studio: StudioPage) -> None:
    """A run with its picture and its curve, removed again."""
    panel = studio.run("PCA")
    panel.expect_end()
    expect(panel.part("curve").locator("canvas")).to_be_attached()
    panel.part("remove").evaluate("button => button.click()")
    expect(studio.panels).to_have_count(0)


def settled_counts(studio: StudioPage, protocol: CDPSession) -> dict[str, float]:
    """The counts once two in a row agree."""
    known = [counts(protocol)]

    def is_settled() -> bool:
        known.append(counts(protocol))
        return known[-1] == known[-2]

    studio.wait_until(is_settled, "the number of nodes is settled")
    return known[-1]


def counts(protocol: CDPSession) -> dict[str, float]:
    """The nodes and listeners that the collector of garbage cannot free."""
    protocol.send("HeapProfiler.collectGarbage")
    metrics = protocol.send("Performance.getMetrics")["metrics"]
    every = {metric["name"]: metric["value"] for metric in metrics}
    return {name: every[name] for name in ("Nodes", "JSEventListeners")}

"""A real browser on a real studio."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, WebError

from lab.driver.launcher import Studio, running_studio
from lab.driver.page import StudioPage
from lab.setup.find_browser import launch_options

HERE = Path(__file__).parent
# What the slow tests try in every value, the fast ones in the first.
_APPEARANCE = {"size", "scheme"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    shown: set[tuple[str, str]] = set()
    for item in items:
        if item.path.parts[: len(HERE.parts)] == HERE.parts:  # of thousands, fast
            item.add_marker(pytest.mark.browser)
            test = _without_appearance(item)
            if test in shown:
                item.add_marker(pytest.mark.slow)
            shown.add(test)
            # A browser, a server and workers share two cores, so a test may lose a race of its own
            # making; a second failure counts, and the first is listed as a rerun.
            item.add_marker(pytest.mark.flaky(reruns=1))


def _without_appearance(item: pytest.Item) -> tuple[str, str]:
    """What a test tries, whatever the size of its window and the colors of its page."""
    given = getattr(item, "callspec", None)
    parameters = {} if given is None else given.params
    others = {name: value for name, value in parameters.items() if name not in _APPEARANCE}
    return item.nodeid.partition("[")[0], repr(others)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    return browser_type_launch_args | launch_options()


# Of a request that the page repeats, such as for a file that takes a second to read.
_PUT_OFF = r"status of 503 .*/(_dash-update-component|panels|runs|stories)"


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """Without motion, which only takes time; the tests of motion ask for it."""
    return browser_context_args | {"reduced_motion": "reduce"}


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One studio for all tests of the session; each test's browser context is a new user to it.

    Nothing follows a run by itself: what a test does not look at would take time from all others.
    """
    with running_studio(
        tmp_path_factory.mktemp("studio"), flags=["--answer-seconds", "0"]
    ) as studio:
        yield studio


@pytest.fixture(scope="session")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio as it is started: folds and shuffles follow a run by themselves."""
    with running_studio(tmp_path_factory.mktemp("answering")) as studio:
        yield studio


@pytest.fixture(scope="session")
def base_url(studio: Studio) -> str:
    """Make `page.goto("/")` open the studio."""
    return studio.url


@pytest.fixture
def console_errors(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """What the pages of a test reported as errors.

    A test that provokes some names their pattern by the marker `provokes`. They are left out when
    the browser context is closed and not before: a message may arrive after its page has gone.
    """
    errors: list[str] = []
    yield errors
    marker = request.node.get_closest_marker("provokes")
    expected = marker.args[0] if marker else "(?!)"
    errors = [error for error in errors if not re.search(f"{expected}|{_PUT_OFF}", error)]
    assert not errors, f"The page reported errors: {errors}"


@pytest.fixture
def new_context(
    new_context: Callable[..., BrowserContext], console_errors: list[str]
) -> Iterator[Callable[..., BrowserContext]]:
    """Open a browser context whose pages, tabs included, may not report errors.

    At the end its runs are removed: the workers of the session would go on with them beside those
    of the tests that follow.
    """
    contexts: list[BrowserContext] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            console_errors.append(f"{message.text} ({message.location['url']})")

    def on_uncaught(error: WebError) -> None:
        console_errors.append(str(error.error))

    def listening_context(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.on("console", on_console)
        context.on("weberror", on_uncaught)
        contexts.append(context)
        return context

    yield listening_context
    for context in contexts:
        with suppress(Error):  # some tests close theirs
            for page in context.pages:
                page.close()  # or it asks a server that has ended
        _remove_runs(context)


def _remove_runs(context: BrowserContext) -> None:
    with suppress(Error):  # a test may have ended the server, or closed the context
        listed = context.request.get("/api/v1/runs")
        for run in listed.json()["runs"] if listed.ok else ():
            context.request.delete(f"/api/v1/runs/{run['id']}")


@pytest.fixture
def wines(page: Page) -> StudioPage:
    """The page with the wines."""
    studio = StudioPage(page)
    studio.choose_sample("Wine")
    return studio

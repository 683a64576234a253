"""No barrier that a machine can find, in any state, light or dark (axe-core)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from lab.driver.page import StudioPage
from lab.driver.visitor import opened_studio
from lab.site.__main__ import run_sphinx
from lab.site.replays import gallery_page
from melm_studio.layout.first_page import BEGIN

SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
PHONE: ViewportSize = {"width": 390, "height": 844}
SIZES: list[ViewportSize] = [
    {"width": 1440, "height": 900},
    {"width": 1280, "height": 720},
    PHONE,
]
EVERY_SIZE = pytest.mark.parametrize("size", SIZES, ids="{0[width]}".format)


@pytest.mark.slow
@SCHEMES
@EVERY_SIZE
def test_no_mode_has_a_barrier(page: Page, scheme: str, size: ViewportSize):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)
    studio = StudioPage(page)
    studio.show("Compare")
    found = {"compare without runs": barriers(page)}
    studio.choose_methods("LDA", "PCA")
    studio.run_button.click()
    expect(studio.panels).to_have_count(2)
    for position in range(2):
        studio.panel(position).expect_state("done")
    found["compare"] = barriers(page)
    page.get_by_role("table", name="Scores of the runs").wait_for()
    found["scores"] = barriers(page)
    studio.show("Explore")
    studio.panel(1).part("title").click()  # to rename it
    found["explore"] = barriers(page)
    page.keyboard.press("Escape")
    studio.show("Present")
    page.keyboard.press("?")
    found["present"] = barriers(page)
    assert not only_found(found)


@pytest.mark.slow
@SCHEMES
@EVERY_SIZE
def test_no_window_has_a_barrier(page: Page, scheme: str, size: ViewportSize):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)
    studio = StudioPage(page)
    page.get_by_role("button", name=BEGIN).click()
    expect(studio.panels).to_have_count(1)
    panel = studio.panel(0)
    panel.expect_end()
    studio.share("Add to story")
    windows: dict[str, Callable[[], None]] = {
        "figure": lambda: studio.share("Figure for print"),
        "files": lambda: studio.share("Program and data"),
        "story": lambda: studio.share("Story…"),
        "columns": lambda: open_columns(studio),
    }
    for name, open_window in windows.items():
        open_window()
        page.get_by_role("dialog").filter(visible=True).first.wait_for()
        # Half transparent on its way, a window has too little contrast.
        studio.wait_until(lambda: not barriers(page), f"{name} has no barrier")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog").filter(visible=True)).to_have_count(0)
    studio.open_actions()
    page.get_by_role("button", name="Help", exact=True).click()
    page.get_by_role("button", name="Take the tour").click()
    for stop in ("Next", "Next", "Done"):
        assert not barriers(page), stop
        page.get_by_role("button", name=stop, exact=True).click()


def open_columns(studio: StudioPage) -> None:
    studio.open_sheet()
    studio.page.get_by_role("button", name="Columns").click()


@pytest.mark.slow
@SCHEMES
@EVERY_SIZE
def test_no_map_that_is_audited_has_a_barrier(
    page: Page, tmp_path: Path, scheme: str, size: ViewportSize
):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)
    stream = np.random.default_rng(0)
    table = pd.DataFrame(stream.normal(size=(60, 4))).add_prefix("gene ")
    table["group"] = np.repeat(["a", "b"], 30)
    table["tsne_1"], table["tsne_2"] = stream.normal(size=(2, 60))
    file = tmp_path / "map.csv"
    table.to_csv(file, index=False)
    studio = StudioPage(page)
    studio.upload(file)
    expect(page.locator("body")).to_have_attribute("data-mode", "compare")
    expect(studio.panels.first).to_have_attribute("data-state", "done")
    of_map = studio.panel(0)
    expect(of_map.part("verdict")).to_contain_text("guessing")
    expect(of_map.part("stop-check")).to_be_hidden()
    found = {"map": barriers(page)}
    found["scores"] = barriers(page)
    assert not only_found(found)


@pytest.mark.slow
@SCHEMES
@pytest.mark.parametrize("tab", ["Features", "Rows", "Trust", "New rows"])
@EVERY_SIZE
def test_no_tab_of_the_inspector_nor_what_it_opens_has_a_barrier(
    page: Page, scheme: str, tab: str, size: ViewportSize
):
    page.emulate_media(color_scheme=scheme)
    studio = StudioPage(page)
    panel = studio.run("LDA")
    panel.expect_end()
    page.set_viewport_size(size)
    shown = panel.inspect(tab)
    found = {tab: barriers(page)}
    for door in shown.locator(".door").filter(visible=True).all_inner_texts():
        expect(panel.open_door(door, tab)).to_be_visible()
        studio.wait_until(lambda: not barriers(page), f"{door} has no barrier")
    assert not only_found(found)


@pytest.mark.slow
@SCHEMES
def test_no_window_of_a_talk_has_a_barrier(
    page: Page, new_context: Callable[..., BrowserContext], scheme: str
):
    page.emulate_media(color_scheme=scheme)
    studio = StudioPage(page)
    studio.run("LDA").expect_end()
    studio.show("Present")
    page.get_by_role("button", name="Share this talk").click()
    found = {"before the talk": barriers(page)}
    page.get_by_role("button", name="Begin", exact=True).click()
    link = page.locator('[data-talk="link"]')
    expect(link).to_have_attribute("href", re.compile("/t/"))
    found["the talk"] = barriers(page)
    page.keyboard.press("Escape")
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    expect(opened.value.get_by_role("img", name="The picture on screen")).to_be_visible()
    found["presenter"] = barriers(opened.value)
    page.keyboard.press("q")
    expect(page.locator(".talk-screen img")).to_be_visible()
    found["code"] = barriers(page)
    phone = new_context(viewport=PHONE, color_scheme=scheme).new_page()
    phone.goto(str(link.get_attribute("href")))
    expect(phone.locator("[data-drawn]")).to_be_visible()
    found["phone"] = barriers(phone)
    phone.goto("/t")
    found["typed code"] = barriers(phone)
    assert not only_found(found)


@SCHEMES
@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.slow), 390])
def test_the_first_screen_has_no_barrier(page: Page, width: int, scheme: str):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    studio = StudioPage(page)
    page.locator("[data-drawn]").wait_for()
    found = {"picture": barriers(page)}
    studio.open_sheet()
    for fold in studio.summary.locator("summary").all():
        fold.click()
    found["data"] = barriers(page)
    assert not only_found(found)


@pytest.mark.slow
@SCHEMES
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_that_opens_before_a_run_has_a_barrier(page: Page, width: int, scheme: str):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    studio, found = StudioPage(page), {}
    studio.open_sheet()
    for menu in ("Samples", "Recent"):
        page.get_by_role("button", name=menu, exact=True).click()
        found[menu] = barriers(page)
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Draw", exact=True).click()
    found["drawing"] = barriers(page)
    page.keyboard.press("Escape")
    studio.close_sheet()
    studio.show_settings()
    found["settings"] = barriers(page)
    page.keyboard.press("Escape")
    studio.open_actions()
    page.get_by_role("button", name="Help", exact=True).click()
    found["help"] = barriers(page)
    assert not only_found(found)


@pytest.mark.slow
@SCHEMES
def test_no_run_at_work_or_stopped_has_a_barrier(page: Page, scheme: str):
    page.emulate_media(color_scheme=scheme)
    studio = StudioPage(page)
    studio.choose_sample("Digits")
    panel = studio.run("MELM", n_init=500)
    panel.expect_a_plane()
    found = {"at work": barriers(page)}
    panel.stop.click()
    panel.expect_state("cancelled")
    found["stopped"] = barriers(page)
    for part in ("layers", "marks"):
        panel.part(part).click()
        found[part] = barriers(page)
        page.keyboard.press("Escape")
    assert not only_found(found)


def barriers_of_two_runs(
    page: Page, studio: StudioPage, size: ViewportSize
) -> dict[str, list[str]]:
    """Those of the page with two runs, and of the sheet of the table."""
    for method in ("LDA", "PCA"):
        studio.run(method).expect_end()
    page.set_viewport_size(size)
    found = {"page": barriers(page)}
    studio.open_sheet()
    found["table"] = barriers(page)
    studio.close_sheet()
    return found


@pytest.mark.slow
@SCHEMES
def test_no_part_of_the_page_on_a_phone_has_a_barrier(page: Page, scheme: str):
    page.emulate_media(color_scheme=scheme)
    studio = StudioPage(page)
    found = barriers_of_two_runs(page, studio, PHONE)
    studio.show("Compare")
    found["tables"] = barriers(page)
    page.locator("details.view summary").click()
    found["view"] = barriers(page)
    assert not only_found(found)


@pytest.mark.slow
@SCHEMES
@EVERY_SIZE
@pytest.mark.parametrize(
    ("question", "answer"), [("Outliers", "limit of T²"), ("Suspect labels", "judged by planes")]
)
def test_no_rows_that_are_found_have_a_barrier(
    page: Page, scheme: str, size: ViewportSize, question: str, answer: str
):
    page.emulate_media(color_scheme=scheme)
    studio = StudioPage(page)
    studio.choose_sample("Wine")
    panel = studio.run("PCA")
    panel.expect_end()
    page.set_viewport_size(size)
    panel.open_door(question, "Rows")
    expect(panel.part("selection")).to_contain_text(answer)
    assert not barriers(page)


@pytest.mark.slow
@EVERY_SIZE
def test_nothing_has_a_barrier_in_forced_colors(page: Page, size: ViewportSize):
    page.emulate_media(forced_colors="active")
    studio = StudioPage(page)
    found = barriers_of_two_runs(page, studio, size)
    studio.show("Compare")
    found["compare"] = barriers(page)
    studio.show("Present")
    found["present"] = barriers(page)
    assert not only_found(found)


@pytest.mark.slow
@SCHEMES
@EVERY_SIZE
@pytest.mark.provokes("404")
def test_no_page_beside_the_studio_has_a_barrier(page: Page, scheme: str, size: ViewportSize):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)
    page.goto("/links-and-tokens")
    found = {"links": barriers(page)}
    page.get_by_role("button", name="Make a link").click()
    link = page.locator("code").inner_text()
    found["a link"] = barriers(page)
    page.goto(link)
    expect(page.get_by_role("button", name="Show them here")).to_be_visible()
    found["recovery"] = barriers(page)
    page.goto("/t/ABCDEF")
    found["a talk that is over"] = barriers(page)
    assert not only_found(found)


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the gallery of the site, with one replay and one picture in all places."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("site")
    sources, site = folder / "sources", folder / "site"
    (sources / "files" / "replays").mkdir(parents=True)
    (sources / "stories").mkdir()
    text = re.sub(r"\(docs/[^)]*\)", "(index.md)", gallery_page())
    (sources / "gallery.md").write_text(text)
    (sources / "index.md").write_text("# Site\n\n```{toctree}\ngallery\n```\n")
    picture = Path("docs/pictures/explore.png").read_bytes()
    for name in re.findall(r"\(stories/([^)]*)\)", text):
        (sources / "stories" / name).write_bytes(picture)
    with opened_studio(folder / "data") as studio:
        visitor = studio.visitor()
        visitor.choose_sample("iris")
        run = visitor.start(method="lda")
        studio.work()
        for name in re.findall(r"replays/([\w-]*)\.html", text):
            replay = visitor.http.get(f"/runs/{run}/replay.html?scheme={name.split('-')[-1]}")
            (sources / "files" / "replays" / f"{name}.html").write_bytes(replay.data)
    assert run_sphinx(sources, site) == 0
    return (site / "gallery.html").as_uri()


@pytest.mark.slow
@SCHEMES
@EVERY_SIZE
@pytest.mark.provokes("file://")  # by the look for styles of other pages
def test_the_gallery_of_the_site_has_no_barrier(
    page: Page, gallery: str, scheme: str, size: ViewportSize
):
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size(size)
    page.goto(gallery)
    expect(page.frame_locator("iframe.replay").first.locator(".plot")).to_be_visible()
    assert not barriers(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def barriers(page: Page) -> list[str]:
    """Every violation with the first elements that it is about."""
    violations = Axe().run(page).response["violations"]
    return [
        f"{violation['id']}: {[node['target'] for node in violation['nodes']][:3]}"
        for violation in violations
    ]


def only_found(found: dict[str, list[str]]) -> dict[str, list[str]]:
    return {state: barriers for state, barriers in found.items() if barriers}

"""Present: the morph, the keys, the story, and the replay that opens by itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, Route, expect

from lab.driver.page import Panel, StudioPage, share_by, wait_until
from melm_studio.layout import ids

# Notes what stands above the picture in front, each time it is something else.
NOTE_VERDICTS = """() => {
  window.verdicts = [""];
  new MutationObserver(() => {
    const { textContent } = document.querySelector('.panel.is-front [data-part="lead"]') ?? {};
    if (textContent && textContent !== window.verdicts.at(-1)) window.verdicts.push(textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


@pytest.fixture
def wines(page: Page) -> StudioPage:
    return StudioPage(page)


@pytest.fixture
def pair(wines: StudioPage) -> tuple[Panel, Panel]:
    """Finished runs of LDA and PCA; PCA stands in front."""
    lda = wines.run("LDA")
    lda.expect_end()
    pca = wines.run("PCA")
    pca.expect_end()
    return lda, pca


def mode(studio: StudioPage, label: str) -> None:
    studio.page.get_by_role("radiogroup", name="Mode").get_by_text(label).click()
    expect(studio.page.locator("body")).to_have_attribute("data-mode", label.lower())


# The picture against the place that the page has for it.
IS_FITTED = """plot => {
  const { width, height } = plot.parentElement.querySelector("canvas.motion");
  return Math.abs(width - plot.clientWidth) <= 1 && Math.abs(height - plot.clientHeight) <= 1;
}"""


def share(studio: StudioPage):
    return studio.page.get_by_label("Share of the way to the other run")


@pytest.mark.slow
def test_a_plane_turns_into_that_of_another_run_and_back(wines: StudioPage):
    lda = wines.run("LDA")
    lda.expect_end()
    wanted = lda.divergence
    pca = wines.run("PCA")
    pca.expect_end()
    begun = pca.divergence
    mode(wines, "Present")
    wines.page.get_by_role("button", name="More", exact=True).click()
    wines.page.get_by_label("Speed").select_option("4×")
    wines.page.keyboard.press("Escape")
    wines.page.get_by_label("Morph to").select_option(index=1)
    expect(wines.page.get_by_role("button", name="Pause the morph")).to_be_visible()
    expect(wines.page.get_by_role("button", name="Play the morph")).to_be_visible()
    expect(share(wines)).to_have_value("100")
    wines.wait_until(lambda: pca.divergence == pytest.approx(wanted), "it ends in the other plane")
    share(wines).focus()
    wines.page.keyboard.press("Home")
    wines.wait_until(lambda: pca.divergence == begun, "the way leads back")


@pytest.mark.slow
def test_on_a_small_screen_the_buttons_of_present_are_in_one_row(wines: StudioPage):
    page = wines.page
    wines.run("LDA").expect_end()
    wines.run("PCA").expect_end()
    page.set_viewport_size({"width": 1280, "height": 720})
    mode(wines, "Present")
    page.get_by_label("Morph to").select_option(index=1)
    expect(share(wines)).to_have_value("100")
    bar = page.locator(".play-bar").bounding_box()
    boxes = [page.locator(f'[data-bar="{name}"]').bounding_box() for name in ("share", "leave")]
    assert boxes[0]["y"] == boxes[1]["y"]
    end = share(wines).bounding_box()
    assert end["width"] > bar["width"] / 3
    assert all(box["x"] + box["width"] <= bar["x"] + bar["width"] for box in (*boxes, end))


@pytest.mark.slow
def test_a_morph_back_that_was_paused_goes_on_back(wines: StudioPage):
    page = wines.page
    wines.run("LDA").expect_end()
    wines.run("PCA").expect_end()
    mode(wines, "Present")
    page.get_by_label("Morph to").select_option(index=1)  # with less motion, it is there at once
    expect(share(wines)).to_have_value("100")
    expect(page.get_by_role("button", name="Play the morph")).to_be_visible()
    page.emulate_media(reduced_motion="no-preference")
    page.keyboard.press("m")
    wines.wait_until(lambda: 10 < float(share(wines).input_value()) < 90, "it is on its way")
    page.keyboard.press("m")
    expect(page.get_by_role("button", name="Play the morph")).to_be_visible()
    assert float(share(wines).input_value()) > 0
    page.keyboard.press("m")
    expect(page.get_by_role("button", name="Play the morph")).to_be_visible()
    expect(share(wines)).to_have_value("0")


@pytest.mark.slow
def test_space_goes_on_with_a_paused_morph_and_a_tab_leaves_it(wines: StudioPage):
    lda, pca = wines.run("LDA"), wines.run("PCA")
    pca.expect_end()
    page = wines.page
    page.emulate_media(reduced_motion="no-preference")
    mode(wines, "Present")
    page.get_by_label("Morph to").select_option(index=1)
    expect(page.get_by_role("button", name="Pause the morph")).to_be_visible()
    wines.wait_until(lambda: 10 < float(share(wines).input_value()) < 90, "it is on its way")
    page.keyboard.press("m")
    expect(page.get_by_role("button", name="Play the morph")).to_be_visible()
    paused = float(share(wines).input_value())
    assert 0 < paused < 100
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause the morph")).to_be_visible()
    expect(share(wines)).to_have_value("100")
    expect(pca.node.get_by_role("button", name="Play", exact=True)).to_be_hidden()
    page.locator(f'[data-tab="{lda.run_id}"]').click()
    expect(lda.node).to_be_visible()
    expect(share(wines)).to_have_value("0")


def test_the_keys_of_present(wines: StudioPage):
    page = wines.page
    melm, pca = wines.run("MELM"), wines.run("PCA")
    pca.expect_end()
    mode(wines, "Present")
    page.keyboard.press("?")
    expect(page.locator(f"#{ids.KEYS}")).to_contain_text("full screen")
    expect(page.locator(f"#{ids.KEYS}")).to_be_visible()
    wines.wait_until(lambda: pca.part("plot").evaluate(IS_FITTED), "the picture fills the stage")
    expect(pca.part("batch-card")).to_be_hidden()
    page.keyboard.press("1")
    expect(melm.node).to_be_visible()
    expect(pca.node).to_be_hidden()
    melm.expect_end()
    last = melm.sequence
    page.keyboard.press("ArrowLeft")
    melm.expect_sequence(last - 1)
    page.keyboard.press("ArrowRight")
    melm.expect_sequence(last)
    page.keyboard.press(" ")
    expect(melm.node.get_by_role("button", name="Pause playing")).to_be_visible()
    page.keyboard.press(" ")
    expect(melm.node.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(wines.run_button).to_be_visible()


@pytest.mark.slow
def test_the_question_of_a_table_stands_over_its_own_pictures_alone(page: Page):
    studio = StudioPage(page)
    studio.choose_sample("Iris")
    studio.run("PCA").expect_end()
    title = page.locator(f"#{ids.TITLE}")
    expect(title).to_contain_text("setosa")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/panels", hold, times=1)
    studio.choose_sample("Wine")
    wait_until(page, lambda: bool(held), "the runs of the table are asked for")
    expect(title).to_contain_text("setosa")
    held.pop().continue_()
    expect(title).to_contain_text("Barolo")


# Drops a table on whatever is in the middle of the stage.
DROP = """(text) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], "brought along.csv", { type: "text/csv" }));
  const middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
  middle.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
}"""


@pytest.mark.slow
def test_a_table_dropped_on_the_stage_is_run_there_and_again_by_a_key(wines: StudioPage):
    page = wines.page
    wines.run("PCA").expect_end()
    mode(wines, "Present")
    rows = "".join(f"{i},{i * i % 7},{i * 5 % 11},{'ab'[i % 2]}\n" for i in range(20))
    page.evaluate(DROP, f"length,width,weight,kind\n{rows}")
    expect(page.locator(f"#{ids.STAGE_FOOT}")).to_have_text("brought along · PCA")
    expect(page.locator(f"#{ids.TITLE}")).to_have_text("Can a and b be told apart?")
    Panel(page.locator(".panel.is-front")).expect_end()
    page.keyboard.press("r")
    expect(page.locator(f"#{ids.STAGE_FOOT}")).to_have_text("brought along · PCA (2)")
    expect(page.locator("body")).to_have_attribute("data-mode", "present")


def told(page: Page, key: str) -> Panel:
    """Open a story that comes with the studio, as Present shows it."""
    StudioPage(page)
    page.locator(f'[data-included-story="{key}"]').evaluate("story => story.click()")
    panel = Panel(page.locator(".panel.is-front"))
    expect(panel.node.locator(".verdict-words")).to_contain_text("guessing")
    panel.expect_a_plane()
    return panel


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (1920, 1080)])
def test_a_hall_reads_the_words_and_sees_the_clouds(page: Page, size: tuple[int, int]):
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    panel = told(page, "batches")
    expect(panel.node.locator(".history")).to_be_hidden()
    for selector, least in {
        f"#{ids.TITLE}": 0.04,
        f"#{ids.CAPTION}": 0.04,
        '.panel.is-front .verdict [data-part="lead"]': 0.03,
    }.items():
        size_of = "node => parseFloat(getComputedStyle(node).fontSize)"
        assert page.locator(selector).evaluate(size_of) >= least * height, selector
    (names,) = [trace for trace in panel.traces if trace["kind"] == "class_names"]
    assert names["textfont"]["size"] >= 0.025 * height
    points = [trace for trace in panel.traces if trace["kind"] in {"train", "held_out"}]
    rows = [y for trace in points for y in trace["y"]]
    box, (low, high) = panel.part("plot").bounding_box(), panel.axes[1]
    assert box
    assert (max(rows) - min(rows)) / (high - low) * box["height"] >= 0.6 * height


@pytest.mark.slow
def test_the_bar_hides_from_the_room_until_the_pointer_moves(page: Page):
    told(page, "batches")
    bar = page.locator(".playback")
    page.mouse.move(300, 300)
    expect(bar).to_have_css("opacity", "0")
    page.mouse.move(310, 310)
    expect(bar).to_have_css("opacity", "1")


@pytest.mark.slow
def test_the_list_of_keys_moves_neither_the_bar_nor_the_picture(page: Page):
    page.set_viewport_size({"width": 1280, "height": 720})
    panel = told(page, "batches")
    bar = page.locator(".play-bar")
    page.mouse.move(300, 300)
    before = bar.bounding_box(), panel.part("plot").bounding_box()
    page.keyboard.press("?")
    expect(page.locator(f"#{ids.KEYS}")).to_be_in_viewport(ratio=1)
    expect(page.locator(".playback")).to_have_css("opacity", "1")
    assert (bar.bounding_box(), panel.part("plot").bounding_box()) == before


@pytest.mark.slow
def test_a_story_shows_the_curve_while_it_plays(page: Page):
    panel = told(page, "batches")
    history = panel.node.locator(".history")
    expect(history).to_be_hidden()
    page.keyboard.press(" ")
    expect(history).to_be_visible()
    page.keyboard.press(" ")
    expect(history).to_be_hidden()


@pytest.mark.slow
def test_the_first_view_of_a_story_is_the_first_that_is_seen(page: Page):
    StudioPage(page)
    page.evaluate(NOTE_VERDICTS)
    page.locator('[data-included-story="kernel-width"]').evaluate("story => story.click()")
    lead = page.locator('.panel.is-front [data-part="lead"]')
    expect(lead).to_contain_text("of held-out rows are told apart")
    assert page.evaluate("window.verdicts") == ["", lead.text_content()]


@pytest.mark.slow
def test_a_story_keeps_its_verdict_until_it_is_revealed(page: Page):
    StudioPage(page)
    page.locator('[data-included-story="noise"]').evaluate("story => story.click()")
    expect(page.locator(f"#{ids.TITLE}")).to_have_text("Would you believe this picture?")
    verdict = page.locator(".panel.is-front .verdict-words")
    expect(verdict).to_contain_text("guessing")
    expect(verdict).to_be_hidden()
    page.keyboard.press("v")
    expect(verdict).to_be_visible()
    page.keyboard.press("PageDown")
    expect(verdict).to_be_hidden()
    page.keyboard.press("PageDown")
    expect(verdict).to_be_visible()


@pytest.mark.slow
def test_whoever_types_presses_no_shortcut(wines: StudioPage, pair: tuple[Panel, Panel]):
    mode(wines, "Present")
    wines.page.get_by_role("button", name="More", exact=True).click()
    wines.page.get_by_label("Speed").focus()
    wines.page.keyboard.press("1")
    expect(pair[1].node).to_be_visible()
    mode_before = wines.page.locator("body").get_attribute("data-mode")
    assert mode_before == "present"


@pytest.mark.slow
def test_the_history_is_marked_where_starts_begin_and_records_fall(wines: StudioPage):
    panel = wines.run("MELM", n_init=3)
    panel.expect_end()
    curve = panel.curve
    best = curve["records"]["y"]
    assert len(curve["starts"]["x"]) >= 1
    assert best
    assert best == sorted(best)
    assert best[-1] == pytest.approx(panel.divergence)


@pytest.mark.slow
def test_a_story_is_made_saved_loaded_and_told(
    wines: StudioPage,
    pair: tuple[Panel, Panel],
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
):
    page = wines.page
    add(pair[1], 1)
    page.locator(f'[data-tab="{pair[0].run_id}"]').click()
    add(pair[0], 2)
    wines.share("Story…")
    page.get_by_label("Caption of view 1").fill("Without the labels.")
    page.get_by_label("Caption of view 2").fill("With them.")
    page.get_by_label("Title and notes of view 2").click()
    page.get_by_label("Notes on view 2").fill("Ask the room first.")
    page.keyboard.press("Tab")
    page.wait_for_function("() => localStorage.getItem('story')?.includes('With them.')")
    page.get_by_role("button", name="Move up, view 2").click()
    expect(page.get_by_label("Caption of view 1")).to_have_value("With them.")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save").click()
    file = tmp_path / "story.json"
    waiting.value.save_as(file)

    other = StudioPage(new_context().new_page())
    other.share("Story…")
    other.page.get_by_label("Load a story").set_input_files(file)
    expect(other.page.locator(f"#{ids.NOTICE}")).to_contain_text("The story has 2 views")
    other.page.get_by_role("button", name="Close the story").click()
    mode(other, "Present")
    caption = other.page.locator(f"#{ids.CAPTION}")
    for key, words, method in (
        ("ArrowRight", "With them.", "LDA"),
        ("PageDown", "Without the labels.", "PCA"),
        ("PageUp", "With them.", "LDA"),
    ):
        other.page.keyboard.press(key)
        expect(caption).to_have_text(words)
        front = other.page.locator("[data-run].is-front")
        expect(front.locator(".panel-title")).to_have_text(re.compile(f"^{method}"))
    expect(other.page.get_by_text("1 of 2")).to_be_visible()

    with other.page.expect_popup() as opened:
        other.page.keyboard.press("n")
    window = opened.value
    expect(window.locator("#notes")).to_have_text("Ask the room first.")
    expect(window.locator("#next-title")).to_contain_text("PCA")
    expect(window.get_by_role("img", name="The plane of the next view")).to_be_visible()
    window.keyboard.press("PageDown")
    expect(caption).to_have_text("Without the labels.")
    expect(window.locator("#next-title")).to_have_text("This is the last view.")


def add(panel: Panel, number: int) -> None:
    share_by(panel.node.page, "Add to story")
    expect(panel.node.page.locator(f"#{ids.NOTICE}")).to_have_text(
        f"Added to the story as view {number}."
    )


# A picture without anything in it, of the size of that of a replay.
EMPTY = """() => {
  const { width, height } = document.querySelector(".plot canvas");
  return Object.assign(document.createElement("canvas"), { width, height }).toDataURL();
}"""


@pytest.mark.slow
def test_the_replay_plays_without_the_studio_and_without_a_network(
    wines: StudioPage, new_context: Callable[..., BrowserContext], tmp_path: Path
):
    panel = wines.run("MELM", n_init=1)
    panel.expect_end()
    file = tmp_path / "replay.html"
    panel.download("Replay").save_as(file)
    alone = new_context()
    alone.set_offline(True)
    page = alone.new_page()
    page.goto(file.as_uri())
    plane = page.locator('[data-part="words"]')
    last = plane.text_content()
    assert last.startswith(f"plane {panel.sequence + 1}, divergence ")
    picture = page.locator(".plot canvas")

    def drawn() -> str:
        return str(picture.evaluate("canvas => canvas.toDataURL()"))

    # Its colors are those of the system, and others can be chosen.
    wait_until(page, lambda: len(drawn()) > len(page.evaluate(EMPTY)), "the plane is drawn")
    shown = drawn()
    page.get_by_role("button", name="Light or dark colors").click()
    wait_until(page, lambda: drawn() != shown, "the picture has other colors")
    expect(page.locator(".is-moving")).to_have_count(0)
    shown = drawn()
    page.get_by_role("button", name="Play").click()
    expect(plane).not_to_have_text(last)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(plane).to_have_text(last)
    wait_until(page, lambda: drawn() == shown, "the last plane stays")

    page.locator(".plot").focus()
    page.keyboard.press("Home")
    expect(plane).to_have_text(re.compile("^plane 1, "))
    page.keyboard.press("ArrowRight")
    expect(plane).to_have_text(re.compile("^plane 2, "))
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert Axe().run(page).violations_count == 0
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert page.get_by_role("slider", name="Plane of the run").bounding_box()["height"] >= 44

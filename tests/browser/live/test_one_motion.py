"""Whatever is shown next, the picture moves to it, and is neither blank nor turned over."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from lab.driver.page import IN_MOTION, LOAD_MODULE, NOTE_TEXTS, StudioPage, names_on
from melm_studio.layout import ids

# Notes after every paint whether the picture in front is blank, and how alike it is to the one
# before: the product of the canonical correlations of their rows, 1 however a picture is turned
# and stretched, and -1 for its mirror image.
RECORD = (
    "async () => {"
    + LOAD_MODULE
    + """
  const { frontPanel } = await load("panel/panels.mjs");
  const small = Object.assign(document.createElement("canvas"), { width: 64, height: 64 });
  const pen = small.getContext("2d", { willReadFrequently: true });
  const isColored = (...color) => Math.max(...color) - Math.min(...color) > 40;
  const hasColor = (canvas) => {
    if (!canvas?.width) return false;
    pen.clearRect(0, 0, 64, 64);
    pen.drawImage(canvas, 0, 0, 64, 64);
    const { data } = pen.getImageData(0, 0, 64, 64);
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 40 && isColored(data[i], data[i + 1], data[i + 2])) return true;
    }
    return false;
  };
  const isDrawn = ({ node, painting: { animation } }) =>
    node.checkVisibility() && hasColor(animation.canvas);
  const middle = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const centered = (values) => values.map((value) => value - middle(values));
  const rowsIn = ({ traces }) => {
    const drawn = traces.filter(({ meta }) => meta.kind === "train");
    return ["x", "y"].map((axis) => centered(drawn.flatMap((trace) => [...trace[axis]])));
  };
  const dot = (one, other) => one.reduce((sum, value, i) => sum + value * other[i], 0);
  const product = ([a, b], [c, d]) => dot(a, c) * dot(b, d) - dot(a, d) * dot(b, c);
  const likeness = (one, other) =>
    product(one, other) / Math.sqrt(product(one, one) * product(other, other));
  // Whether the numbers, the strip and the axis are those of the plane that is shown on a way.
  const plain = (text) => text.replace(/\\s/g, " ");
  const tellsTruth = (panel) => {
    const { node, options, plane } = panel;
    if (!plane || !options.morph) return true;
    const says = (name) => plain(panel.part(name).textContent);
    const divergence = plane.numbers["divergence-training"].toPrecision(3);
    const axis = node.querySelector('[data-axis="x"]').textContent;
    const isOfPlane = says("verdict").includes(plain(plane.strip.lead)) && axis === plane.axes[0];
    return isOfPlane && says("divergence-training") === divergence;
  };
  window.shown = [];
  let last = null;
  const note = () => {
    const panel = frontPanel();
    const { animation } = panel?.painting ?? {};
    const picture = animation?.to ? animation.pictureAt(performance.now()) : null;
    const rows = picture && rowsIn(picture);
    const isSameTable = rows && last?.[0].length === rows[0].length;
    window.shown.push({
      likeness: isSameTable ? likeness(last, rows) : null,
      isBlank: !panel || !isDrawn(panel),
      axes: picture?.axes,
      height: panel?.part("plot").clientHeight,
      isRecap: panel?.painting.recap.isPlaying,
      isTrue: !panel || tellsTruth(panel),
    });
    last = rows;
    requestAnimationFrame(() => setTimeout(note));
  };
  requestAnimationFrame(() => setTimeout(note));
}"""
)
# As RECORD, from the pixels of a phone: rows and contours of a class have its hue. `turn` is how
# far the first three class means are from lying on a line, as a share of their largest distance:
# negative on the other side.
RECORD_PHONE = """() => {
  const canvas = document.querySelector(".plot canvas");
  const swatches = [...document.querySelectorAll(".classes .swatch")].slice(0, 3);
  const colorOf = (node) => getComputedStyle(node).backgroundColor.match(/\\d+/g).map(Number);
  const hues = swatches.map((node) => hueOf(...colorOf(node)));
  const small = Object.assign(document.createElement("canvas"), { width: 96, height: 96 });
  const pen = small.getContext("2d", { willReadFrequently: true });
  function hueOf(red, green, blue) {
    const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
    if (most - least < 40) return null;
    const share = (one, other) => (one - other) / (most - least);
    if (most === red) return (60 * share(green, blue) + 360) % 360;
    return most === green ? 120 + 60 * share(blue, red) : 240 + 60 * share(red, green);
  }
  const apart = (one, other) => Math.min(Math.abs(one - other), 360 - Math.abs(one - other));
  const clouds = () => {
    pen.clearRect(0, 0, 96, 96);
    pen.drawImage(canvas, 0, 0, 96, 96);
    const { data } = pen.getImageData(0, 0, 96, 96);
    const sums = hues.map(() => [0, 0, 0]);
    for (let i = 0; i < data.length; i += 4) {
      const hue = data[i + 3] > 40 ? hueOf(data[i], data[i + 1], data[i + 2]) : null;
      const own = hue === null ? -1 : hues.findIndex((known) => apart(known, hue) < 25);
      if (own < 0) continue;
      const weight = data[i + 3];
      sums[own][0] += weight;
      sums[own][1] += weight * ((i / 4) % 96);
      sums[own][2] -= weight * Math.floor(i / 4 / 96);
    }
    return sums;
  };
  window.shown = [];
  const note = () => {
    const sums = clouds();
    const isBlank = canvas.checkVisibility() === false || sums.some(([weight]) => weight === 0);
    const [a, b, c] = sums.map(([weight, x, y]) => [x / weight, y / weight]);
    const twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    const sides = [[a, b], [a, c], [b, c]].map(([p, q]) => Math.hypot(p[0] - q[0], p[1] - q[1]));
    window.shown.push({ isBlank, turn: isBlank ? null : twice / Math.max(...sides) ** 2 });
    requestAnimationFrame(() => setTimeout(note));
  };
  requestAnimationFrame(() => setTimeout(note));
}"""
PHONE = {"width": 390, "height": 844}
UNLIKE = -0.05  # planes at a right angle to each other may have any sign
FLAT = 0.15  # class means that lie nearly on a line say nothing of the side that is seen


@pytest.fixture
def moving(page: Page) -> StudioPage:
    page.emulate_media(reduced_motion="no-preference")
    page.add_init_script(NOTE_TEXTS)
    studio = StudioPage(page)
    studio.choose_sample("Wine")
    return studio


def recorded(studio: StudioPage) -> list[dict[str, Any]]:
    """What was shown since the last call, once nothing moves any more."""
    expect(studio.page.locator(IN_MOTION)).to_have_count(0)
    return list(studio.page.evaluate("() => window.shown.splice(0)"))


def assert_one_motion(frames: list[dict[str, Any]]) -> None:
    assert frames
    assert not [at for at, frame in enumerate(frames) if frame["isBlank"]]
    sides = [frame["turn"] > 0 for frame in frames if abs(frame.get("turn") or 0.0) > FLAT]
    assert len(set(sides)) <= 1, "the picture is turned over"
    assert min(frame.get("likeness") or 0.0 for frame in frames) > UNLIKE, "it is its mirror image"


@pytest.mark.slow
def test_a_tab_a_new_run_and_few_features_move_the_picture_on(moving: StudioPage):
    page = moving.page
    pca = moving.run("PCA")
    pca.expect_end()
    page.evaluate(RECORD)
    lda = moving.run("LDA")
    lda.expect_end()
    assert_one_motion(recorded(moving))
    page.locator(f'[data-tab="{pca.run_id}"]').click()
    expect(pca.node).to_be_visible()
    assert_one_motion(recorded(moving))
    slider = pca.node.get_by_role("slider", name="Keep top features")
    slider.focus()
    for key in ("ArrowLeft", "ArrowLeft", "Home"):
        page.keyboard.press(key)
    expect(pca.node).to_contain_class("is-changed")
    assert_one_motion(recorded(moving))


@pytest.mark.slow
def test_a_search_with_several_starts_never_turns_over(moving: StudioPage):
    moving.run("PCA").expect_end()
    moving.page.evaluate(RECORD)
    moving.run("MELM", n_init=6).expect_end()
    assert_one_motion(recorded(moving))


@pytest.mark.slow
def test_a_story_that_changes_its_run_is_never_blank_and_never_turns_over(page: Page):
    page.emulate_media(reduced_motion="no-preference")
    studio = StudioPage(page)
    page.locator('[data-included-story="three-ways"]').evaluate("story => story.click()")
    title = page.locator(f"#{ids.TITLE}")
    expect(title).to_have_text("Without the labels: PCA")
    expect(page.locator(".panel.is-front[data-sequence]")).to_be_visible()
    page.evaluate(RECORD)
    for key, words in (
        ("PageDown", "With the labels: LDA"),
        ("PageDown", "With the densities: MELM"),
        ("PageUp", "With the labels: LDA"),
    ):
        page.keyboard.press(key)
        expect(title).to_have_text(words)
        expect(page.locator(".panel.is-front[data-sequence]")).to_be_visible()
    assert_one_motion(recorded(studio))


@pytest.mark.slow
def test_a_morph_between_two_runs_is_never_blank_and_never_turns_over(moving: StudioPage):
    page = moving.page
    moving.run("LDA").expect_end()
    moving.run("PCA").expect_end()
    moving.show("Present")
    page.evaluate(RECORD)
    page.get_by_label("Morph to").select_option(index=1)
    expect(page.get_by_role("button", name="Pause the morph")).to_be_visible()
    expect(page.get_by_role("button", name="Play the morph")).to_be_visible()
    frames = recorded(moving)
    assert_one_motion(frames)
    assert all(frame["isTrue"] for frame in frames)
    assert len({frame["height"] for frame in frames}) == 1, "its curve takes room of the picture"
    front = page.locator(".panel.is-front")
    expect(front).to_have_attribute("data-curve-shown", "morph")
    expect(front.locator('[data-part="changed"]')).to_contain_text("100 % of the way to LDA")


@pytest.mark.slow
def test_a_phone_sees_the_same_arrows_and_moves_as_the_projector_does(
    moving: StudioPage, new_context: Callable[..., BrowserContext]
):
    page = moving.page
    moving.run("LDA").expect_end()
    moving.run("PCA").expect_end()
    moving.show("Present")
    page.get_by_role("button", name="Share this talk").click()
    page.get_by_role("button", name="Begin", exact=True).click()
    link = page.locator('[data-talk="link"]')
    expect(link).to_have_attribute("href", re.compile("/t/"))
    phone = new_context(viewport=PHONE).new_page()
    phone.emulate_media(reduced_motion="no-preference")
    phone.add_init_script(NOTE_TEXTS)
    phone.goto(link.get_attribute("href"))
    page.keyboard.press("Escape")
    expect(phone.locator("[data-drawn]")).to_be_visible()
    phone.evaluate(RECORD_PHONE)
    page.get_by_label("Morph to").select_option(index=1)
    expect(page.get_by_role("button", name="Pause the morph")).to_be_visible()
    expect(page.get_by_role("button", name="Play the morph")).to_be_visible()
    expect(page.locator(IN_MOTION)).to_have_count(0)

    def is_alike() -> bool:
        canvases = ".plot canvas", '.panel.is-front [data-part="motion"]'
        drawn = [names_on(at.locator(one)) for at, one in zip((phone, page), canvases, strict=True)]
        followed, shown = (sorted(name["text"] for name in names) for names in drawn)
        return len(shown) > 3 and followed == shown

    moving.wait_until(is_alike, "the phone names the arrows that the projector names")
    assert_one_motion(phone.evaluate("() => window.shown.splice(0)"))


@pytest.mark.slow
def test_a_search_over_at_once_ends_on_the_axes_that_a_reload_shows(moving: StudioPage):
    page = moving.page
    page.evaluate(RECORD)
    news = re.compile(r"/frames\?")
    # Until it is over, the page asks for news of no run.
    page.route(news, lambda route: route.continue_(url=route.request.url.split("run=")[0]))
    run = moving.run("MELM", n_init=2)

    def is_over() -> bool:
        told = page.request.get(f"/frames?run={run.run_id}:-1").json()
        return bool(told["runs"][run.run_id]["is_final"])

    moving.wait_until(is_over, "the search is over")
    page.unroute(news)
    run.expect_end()
    page.wait_for_function("() => window.shown.some(({ isRecap }) => isRecap)")
    page.wait_for_function("() => !window.shown.at(-1).isRecap")
    frames = [frame for frame in recorded(moving) if frame["axes"]]
    assert_one_motion(frames)
    passed = max(width_of(frame["axes"]) for frame in frames if frame["isRecap"])
    assert passed > width_of(frames[-1]["axes"]), "the planes that passed need no wider axes"
    shown = run.axes
    page.reload()
    moving.panel(0).expect_end()
    assert moving.panel(0).axes == [pytest.approx(axis) for axis in shown]


def width_of(axes: list[list[float]]) -> float:
    return max(high - low for low, high in axes)

"""A plane in a notebook: drawn, in the colors behind it, its rows selected here and there.

A page takes the place of the notebook: it hands the script a model, as anywidget does.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA

import melm_studio
from lab.driver.page import wait_until

X, Y = load_iris(return_X_y=True)
HOST = """async ([state, background]) => {
  document.body.style.background = background;
  const listeners = {};
  const model = {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; listeners[`change:${name}`]?.(); },
    save_changes: () => { window.saved = [...state.selected]; },
    on: (event, call) => { listeners[event] = call; },
    off: (event) => { delete listeners[event]; },
  };
  const style = document.createElement("style");
  style.textContent = state._css;
  const el = document.createElement("div");
  document.body.append(style, el);
  const script = new Blob([state._esm], { type: "text/javascript" });
  const widget = await import(URL.createObjectURL(script));
  window.model = model;
  window.close = widget.default.render({ model, el });
}"""


@pytest.fixture
def shown(context: BrowserContext):
    """Shows a widget on a page with a background."""

    def show(widget, background: str = "white") -> Page:
        page = context.new_page()
        names = ("_esm", "_css", "_scene", "_plane", "_words", "selected", "height")
        page.evaluate(HOST, [{name: widget.get_state()[name] for name in names}, background])
        return page

    return show


def test_rows_are_selected_by_click_and_by_a_line_and_from_the_notebook(shown):
    page = shown(melm_studio.view(PCA(2).fit(X), X, Y))
    plot = page.locator(".plot")
    expect(page.locator(".classes button")).to_have_text(["0", "1", "2"])
    page.wait_for_function("document.querySelector('.plot canvas').width > 300")
    box = plot.bounding_box()
    page.get_by_role("button", name="Select by a line").click()
    corners = [(0.02, 0.02), (0.98, 0.02), (0.98, 0.98), (0.02, 0.98)]
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in [*places[1:], places[0]]:
        page.mouse.move(*place, steps=4)
    page.mouse.up()
    page.wait_for_function("window.saved?.length === 150")
    expect(page.get_by_role("status").filter(has_text="150 rows selected")).to_be_visible()
    page.get_by_role("button", name="Select none").click()
    page.wait_for_function("window.saved.length === 0")
    page.evaluate("model.set('selected', [0, 1])")
    expect(page.get_by_role("status").filter(has_text="2 rows selected")).to_be_visible()


def test_a_click_takes_the_row_that_is_named_there(shown):
    page = shown(melm_studio.view(PCA(2).fit(X), X, Y))
    page.wait_for_function("document.querySelector('.plot canvas').width > 300")
    box = page.locator(".plot").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    name = page.locator(".picture .row")
    for step in range(40):  # from the middle outward, until a row is near
        page.mouse.move(middle[0] + 8 * step, middle[1])
        if name.is_visible():
            break
    number = int(name.text_content().split(":")[0].removeprefix("Row "))
    assert name.text_content().endswith(f": {Y[number]}")
    page.mouse.click(middle[0] + 8 * step, middle[1])
    page.wait_for_function(f"window.saved?.join() === '{number}'")


@pytest.mark.parametrize(("background", "scheme"), [("white", "light"), ("#111418", "dark")])
def test_its_colors_are_those_of_the_notebook(shown, background, scheme):
    page = shown(melm_studio.view(PCA(2).fit(X), X, Y), background)
    expect(page.locator(".melm-plane")).to_have_attribute("data-scheme", scheme)


def test_another_plane_moves_the_picture_and_a_closed_cell_listens_no_more(shown):
    widget = melm_studio.view(PCA(2), X, Y)
    page = shown(widget)
    expect(page.locator(".melm-plane")).to_contain_text("Not fitted yet")
    widget.fit()
    state = widget.get_state()
    for name in ("_scene", "_plane"):
        page.evaluate("([name, value]) => model.set(name, value)", [name, state[name]])
    picture = page.locator(".plot canvas")
    wait_until(page, lambda: picture.evaluate("canvas => canvas.width") > 300, "it is drawn")
    page.evaluate("close()")
    page.evaluate("model.set('height', 200)")
    assert page.locator(".picture").bounding_box()["height"] > 400

"""A figure for print shows what the page shows, at the size and in the type that were asked for."""

from __future__ import annotations

import gc
import io
import re
import struct
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from msgspec import structs
from PIL import Image
from pypdf import PdfReader

from melm_core.base import UserError
from melm_studio.analyses.tree import Height
from melm_studio.planes.coloring import point_colors, point_symbols
from melm_studio.planes.figure import limits
from melm_studio.planes.theme import THEMES, Scheme
from melm_studio.planes.types import ClassView
from melm_studio.publication.printing import (
    ColumnMarks,
    FigurePanel,
    FigureStyle,
    draw_figure,
    print_figure,
    save_figure,
)
from melm_studio.publication.printing.axes import MOST_VECTOR_POINTS, loops
from melm_studio.publication.printing.draw import TreePanel, print_trees
from melm_studio.publication.printing.panel import FAINT_INK, INK
from melm_studio.publication.style import FORMATS, MAX_PIXELS, MM_PER_INCH
from melm_studio.validation import InputError, read
from tests.melm_studio.analyses.test_tree import ARRAYS
from tests.melm_studio.planes.views import view_of

HOSTILE = ("$x^2$ \\frac", "<b>&amp;</b>", "_hidden\nsecond\x00line")
ALL_LAYERS = FigureStyle(width=85, height=60, layers=("contours", "points", "arrows", "names"))
SVG = "{http://www.w3.org/2000/svg}"

each_format = pytest.mark.parametrize("file_format", FORMATS)


def panel_of(n_classes: int = 3, **changes) -> FigurePanel:
    names = tuple(f"class {code}" for code in range(n_classes))
    panel = FigurePanel(view_of(n_classes), names, "MELM", ("Component 1", "Component 2"))
    return replace(panel, **changes)


@cache
def printed(file_format: str) -> bytes:
    """The plain panel in all its layers, printed once for what is read of it."""
    return print_figure([panel_of()], ALL_LAYERS, file_format).content


def collections(figure: Figure, name: str) -> list:
    (axes,) = figure.axes
    return [each for each in axes.collections if each.get_gid() == name]


def test_ellipses_and_means_are_drawn_where_they_are_asked_for():
    more = ("class_ellipses", "mean_ellipses", "centroids")
    plain, full = (
        draw_figure([panel_of(shown_classes=frozenset({0, 2}))], FigureStyle(layers=layers))
        for layers in (("points",), ("points", *more))
    )
    for figure, n_shown in ((plain, 0), (full, 2)):
        (axes,) = figure.axes
        drawn = [each.get_gid() for each in (*axes.lines, *axes.collections)]
        assert [drawn.count(layer) for layer in more] == [n_shown] * 3


def arrows(figure: Figure) -> list[tuple[np.ndarray, np.ndarray]]:
    (axes,) = figure.axes
    notes = [note for note in axes.texts if getattr(note, "arrow_patch", None) is not None]
    return [(np.array(note.xyann), np.array(note.xy)) for note in notes]


def words(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts if text.get_text()]


def text_in(svg: bytes) -> str:
    """The text elements of an SVG."""
    texts = ET.fromstring(svg).iter(f"{SVG}text")  # noqa: S314 - made here
    return "\n".join("".join(text.itertext()) for text in texts)


# ---------------------------------------------------------------------------- what is drawn


def test_points_contours_and_arrows_are_those_of_the_view():
    panel = panel_of()
    figure = draw_figure([panel], FigureStyle())
    view = panel.view
    for name in ("train", "held_out"):
        drawn = collections(figure, name)
        for collection, part in zip(drawn, view.classes, strict=True):
            np.testing.assert_array_equal(collection.get_offsets(), getattr(part, name))
    for collection, part in zip(collections(figure, "contours"), view.classes, strict=True):
        for drawn, line in zip(collection.get_segments(), loops(part.contours), strict=True):
            np.testing.assert_array_equal(drawn, line)
    expected = zip(view.arrows.origins, view.arrows.tips, strict=True)
    for (origin, tip), (from_, to) in zip(arrows(figure), expected, strict=True):
        np.testing.assert_array_equal((origin, tip), (from_, to))


def test_classes_have_the_colors_of_the_light_page():
    figure = draw_figure([panel_of()], FigureStyle())
    colors = [to_hex(each.get_facecolors()[0]) for each in collections(figure, "train")]
    assert colors == list(THEMES[Scheme.LIGHT].class_colors[:3])


@pytest.mark.parametrize("box", [None, [[-1.0, 1.0], [0.0, 0.5]]], ids=["all", "zoomed"])
def test_the_axes_hold_the_limits_and_units_are_equal(box):
    panel = panel_of(limits=None if box is None else np.array(box))
    figure = draw_figure([panel], FigureStyle(width=120, height=60))
    (axes,) = figure.axes
    ranges = np.array([axes.get_xlim(), axes.get_ylim()])
    asked = np.array(limits(panel.view) if box is None else box)
    assert np.all(ranges[:, 0] <= asked[:, 0] + 1e-12)
    assert np.all(ranges[:, 1] >= asked[:, 1] - 1e-12)
    np.testing.assert_allclose(ranges.mean(axis=1), asked.mean(axis=1))
    spans = ranges[:, 1] - ranges[:, 0]
    window = axes.get_window_extent()
    np.testing.assert_allclose(spans[0] / window.width, spans[1] / window.height)
    assert np.isclose(spans, asked[:, 1] - asked[:, 0]).any()


def test_as_many_arrows_are_drawn_as_on_the_page_and_each_has_its_name():
    panel = panel_of(n_arrows=2)
    figure = draw_figure([panel], FigureStyle(background="transparent"))
    assert len(arrows(figure)) == 2
    assert words(figure) == list(panel.view.arrows.names[:2])


def test_arrows_without_a_visible_effect_are_faint_as_on_the_page():
    strong = panel_of()
    features = strong.view.arrows.features.tolist()
    panel = replace(strong, unseen=frozenset(features[1:]))
    (axes,) = draw_figure([panel], FigureStyle()).axes
    lines = [note.arrow_patch for note in axes.texts if getattr(note, "arrow_patch", None)]
    expected = [INK, *[FAINT_INK] * len(features[1:])]
    assert [to_hex(line.get_edgecolor()) for line in lines] == expected
    assert all(line.get_linewidth() < lines[0].get_linewidth() for line in lines[1:])
    colors = {text.get_text(): to_hex(text.get_color()) for text in axes.texts}
    assert [colors[name] for name in strong.view.arrows.names] == expected


@pytest.mark.parametrize("marks_outside", [True, False])
def test_rows_beyond_the_axes_have_a_mark_at_the_edge_unless_the_picture_is_zoomed(marks_outside):
    panel = panel_of(limits=np.array([[-0.5, 0.5], [-0.5, 0.5]]), marks_outside=marks_outside)
    figure = draw_figure([panel], FigureStyle(legend="none"))
    (axes,) = figure.axes
    box = np.array([axes.get_xlim(), axes.get_ylim()])
    rows = np.concatenate(
        [rows for each in panel.view.classes for rows in (each.train, each.held_out)]
    )
    n_beyond = int(np.any((rows < box[:, 0]) | (rows > box[:, 1]), axis=1).sum())
    marks = [each.get_offsets() for each in collections(figure, "outside")]
    assert sum(map(len, marks)) == (n_beyond if marks_outside else 0)
    assert n_beyond > 0
    assert all(np.all((each > box[:, 0]) & (each < box[:, 1])) for each in marks)
    (note,) = print_figure([panel], FigureStyle(legend="none"), "svg").notes or ("",)
    assert note == (f"{n_beyond} rows outside, at the edge." if marks_outside else "")


@pytest.mark.parametrize(
    ("layer", "name"), [("contours", "contours"), ("points", "train"), ("points", "held_out")]
)
def test_a_layer_is_left_out(layer, name):
    others = tuple(other for other in ALL_LAYERS.layers if other != layer)
    with_it = draw_figure([panel_of()], ALL_LAYERS)
    without = draw_figure([panel_of()], FigureStyle(layers=others))
    assert collections(with_it, name)
    assert not collections(without, name)


def test_names_of_classes_are_a_layer():
    plain = FigureStyle(layers=("points",), background="transparent")
    named = FigureStyle(layers=("points", "names"), background="transparent")
    assert words(draw_figure([panel_of()], plain)) == []
    assert words(draw_figure([panel_of()], named)) == ["class 0", "class 1", "class 2"]


def test_classes_and_rows_that_are_not_shown_are_faint():
    view = view_of(2)
    selected = tuple(
        (np.arange(len(part.train)) == 0, np.ones(len(part.held_out), bool))
        for part in view.classes
    )
    panel = panel_of(2, view=view, shown_classes=frozenset({1}), selected=selected)
    figure = draw_figure([panel], FigureStyle())
    first, second = (each.get_facecolors()[:, 3] for each in collections(figure, "train"))
    assert np.all(first < 0.1)
    assert second[0] > 0.7
    assert np.all(second[1:] < 0.1)
    assert len(collections(figure, "contours")) == 1


def test_gray_tells_classes_apart_by_shade_and_shape():
    figure = draw_figure([panel_of(4)], FigureStyle(palette="gray"))
    drawn = collections(figure, "train")
    colors = [to_hex(each.get_facecolors()[0]) for each in drawn]
    assert len(set(colors)) == 4
    assert all(re.fullmatch(r"#(..)\1\1", color) for color in colors)
    assert len({each.get_paths()[0].vertices.tobytes() for each in drawn}) == 4


@pytest.mark.slow
def test_points_are_colored_and_shaped_by_columns_which_the_legend_names():
    view = view_of(2)
    sizes = [len(part.train) for part in view.classes] + [
        len(part.held_out) for part in view.classes
    ]
    traces = [pd.Series(np.arange(n, dtype=float) + 0.5) for n in sizes]
    colors = ColumnMarks("dose $x$", point_colors(traces, Scheme.LIGHT))
    texts = [pd.Series(["a", "b"] * n, dtype=object)[:n] for n in sizes]
    shapes = ColumnMarks("batch", point_symbols(texts))
    panel = panel_of(2, view=view, colors=colors, shapes=shapes)
    figure = draw_figure([panel], FigureStyle())
    drawn = collections(figure, "train")
    assert len(drawn) == 4  # two classes, two shapes
    first = np.concatenate([each.get_facecolors() for each in drawn[:2]])
    assert {to_hex(color) for color in first} == set(colors.of(0)[0])
    svg = print_figure([panel], FigureStyle(), "svg").content
    words = set(text_in(svg).splitlines())
    assert {"Color: dose $x$, shape: batch", "a", "b", "held out"} <= words
    assert "class 0" not in words


def test_several_panels_share_one_legend():
    panels = [panel_of(title=f"run {i}") for i in range(4)]
    style = FigureStyle(width=170, height=120, layers=("points",))
    svg = print_figure(panels, style, "svg").content
    text = text_in(svg).splitlines()
    assert [text.count(f"run {i}") for i in range(4)] == [1, 1, 1, 1]
    assert text.count("class 1") == text.count("held out") == 1


def test_panels_of_a_figure_do_not_overlap():
    panels = [panel_of() for _ in range(5)]
    figure = draw_figure(panels, FigureStyle(width=170, height=110))
    boxes = [axes.get_window_extent() for axes in figure.axes]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


# ---------------------------------------------------------------------------- the file


@pytest.mark.parametrize(("width", "height", "dpi"), [(85, 60, 300), (100, 100, 72)])
def test_a_png_has_the_size_that_was_asked_for(width, height, dpi):
    style = structs.replace(ALL_LAYERS, width=width, height=height, dpi=dpi)
    is_printed = style == ALL_LAYERS
    png = printed("png") if is_printed else print_figure([panel_of()], style, "png").content
    found = struct.unpack(">II", png[16:24])
    expected = np.array([width, height]) * dpi / MM_PER_INCH
    np.testing.assert_allclose(found, expected, atol=1)


@pytest.mark.slow
def test_a_pdf_has_the_size_that_was_asked_for():
    (box,) = re.findall(rb"/MediaBox \[ ?([\d. ]+?) ?\]", printed("pdf"))
    found = np.array(box.split(), dtype=float)[2:]
    np.testing.assert_allclose(found, np.array([85, 60]) * 72 / MM_PER_INCH, rtol=1e-4)


def test_text_in_a_pdf_is_text_in_embedded_truetype_fonts():
    pdf = printed("pdf")
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf
    text = PdfReader(io.BytesIO(pdf)).pages[0].extract_text()
    names = panel_of().view.arrows.names
    assert [
        word for word in ("class 1", "held out", "Component 2", *names) if word not in text
    ] == []


@pytest.mark.parametrize(("side", "is_numbered"), [(85.0, True), (24.0, False)])
def test_axes_are_numbered_where_there_is_room(side, is_numbered):
    style = FigureStyle(width=side, height=side, legend="none")
    (axes,) = draw_figure([panel_of()], style).axes
    for axis, limits_of_axis in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        low, high = limits_of_axis
        numbers = [tick for tick in axis.get_majorticklocs() if low <= tick <= high]
        assert (len(numbers) > 1) is is_numbered
    line = panel_of(has_equal_units=False)  # of one component, below whose density rows lie
    assert all(tick >= 0 for tick in draw_figure([line], style).axes[0].get_yticks())
    plain = structs.replace(style, axis_titles=False)
    assert not len(draw_figure([panel_of()], plain).axes[0].get_xticks())


@pytest.mark.slow
def test_text_in_an_svg_is_text():
    words = set(text_in(printed("svg")).splitlines())
    assert {"class 1", "held out", "Component 2", *panel_of().view.arrows.names} <= words


@pytest.mark.slow
@each_format
def test_equal_figures_are_equal_files(file_format):
    assert print_figure([panel_of()], ALL_LAYERS, file_format).content == printed(file_format)


@each_format
def test_names_that_hold_markup_are_written_as_they_are(file_format):
    panel = panel_of(class_names=HOSTILE, title=HOSTILE[0], axis_titles=HOSTILE[:2])
    figure = print_figure([panel], ALL_LAYERS, file_format)
    assert figure.notes == ()
    if file_format == "svg":
        assert {"$x^2$ \\frac", "<b>&amp;</b>", "_hidden second line"} <= set(
            text_in(figure.content).splitlines()
        )


@pytest.mark.slow
def test_characters_without_a_glyph_are_named_and_an_svg_keeps_them():
    panel = panel_of(2, class_names=("a𓀀b", "plain"))
    for file_format in ("pdf", "png"):
        (note,) = print_figure([panel], FigureStyle(dpi=72), file_format).notes
        assert "𓀀" in note
        assert "SVG" in note
    assert "a𓀀b" in text_in(print_figure([panel], FigureStyle(), "svg").content)


@pytest.mark.slow
def test_a_background_is_white_or_transparent():
    for background, alpha in (("white", 255), ("transparent", 0)):
        style = FigureStyle(background=background, dpi=72)
        png = print_figure([panel_of()], style, "png").content
        assert _first_pixel(png)[3] == alpha


def test_many_points_become_an_image_within_the_vector_graphic():
    rng = np.random.default_rng(0)
    many = ClassView(rng.normal(size=(MOST_VECTOR_POINTS, 2)), np.empty((0, 2)), np.empty((0, 2)))
    view = replace(view_of(2), classes=(many, many))
    svg = print_figure([panel_of(2, view=view)], FigureStyle(dpi=100), "svg").content
    assert b"<image" in svg
    assert len(svg) < 1_000_000


def _first_pixel(png: bytes) -> tuple[int, ...]:
    pixel = Image.open(io.BytesIO(png)).convert("RGBA").getpixel((0, 0))
    return tuple(pixel)


# ---------------------------------------------------------------------------- refusals


def test_a_legend_without_room_is_refused_in_a_sentence():
    panel = panel_of(20, class_names=tuple(f"a long name of class {i}" for i in range(20)))
    with pytest.raises(UserError, match="leave no room for the plot"):
        print_figure([panel], FigureStyle(width=40, height=30))


def test_a_figure_of_too_many_pixels_is_refused():
    with pytest.raises(InputError, match="million pixels"):
        FigureStyle(width=400, height=400, dpi=1200)
    side = MM_PER_INCH * np.sqrt(MAX_PIXELS) / 600
    assert FigureStyle(width=side, height=side * 0.999, dpi=600)


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({"width": 4}, "The width in mm must be a number from 20 to 400; it is 4"),
        ({"font": "huge"}, "The font size in pt"),
        ({"layers": ["grid"]}, "A layer"),
        ({"color": 1}, "has no 'color'"),
    ],
)
def test_a_style_that_breaks_a_rule_names_it(values, rule):
    with pytest.raises(InputError, match=re.escape(rule)):
        read(values, FigureStyle, "The style")


def test_a_file_of_another_format_is_refused(tmp_path):
    with pytest.raises(UserError, match="pdf, svg, png"):
        save_figure(tmp_path / "figure.docx", [panel_of()])


@each_format
def test_a_figure_is_saved_in_the_format_of_its_name(tmp_path, file_format):
    path = tmp_path / f"figure.{file_format.upper()}"
    assert save_figure(path, [panel_of()]) == ()
    starts = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}
    assert path.read_bytes().startswith(starts[file_format])


@pytest.mark.fault
@each_format
def test_a_printed_figure_leaves_no_pixels_in_memory(file_format):
    gc.collect()
    gc.disable()  # so that nothing else frees them
    try:
        print_figure([panel_of()], FigureStyle(), file_format)
        assert [each for each in gc.get_objects() if isinstance(each, RendererAgg)] == []
    finally:
        gc.enable()


@pytest.mark.slow
def test_a_printed_tree_has_its_title_its_letters_and_its_widths():
    panel = TreePanel("wine", ARRAYS, Height.ACCURACY, guessing=0.5)
    svg = print_trees([panel, panel], (120.0, 60.0))
    assert svg == print_trees([panel, panel], (120.0, 60.0))
    text = svg.decode()
    for word in ("wine", ">A<", "held-out accuracy", "kernel width γ"):
        assert text.count(word) >= 2, word


@pytest.mark.fault
def test_a_printed_tree_leaves_no_pixels_in_memory():
    gc.collect()
    gc.disable()  # so that nothing else frees them
    try:
        print_trees([TreePanel("wine", ARRAYS, Height.ACCURACY, guessing=0.5)], (120.0, 60.0))
        assert [each for each in gc.get_objects() if isinstance(each, RendererAgg)] == []
    finally:
        gc.enable()

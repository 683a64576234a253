"""Parts of the page that Dash does not render are the same HTML as if it did."""

from __future__ import annotations

from html.parser import HTMLParser

import dash_mantine_components as dmc
import pytest
from dash import html

from melm_studio.layout.elements import Element, aria, data, markup, plain
from melm_studio.layout.page import static_parts
from tests.melm_studio.layout.trees import parts


def test_attributes_are_spelled_as_in_html():
    label = html.Label("Size", className="wide", htmlFor="size", **data(part="size"))
    assert markup(label) == '<label class="wide" for="size" data-part="size">Size</label>'
    assert markup(html.Div(tabIndex="0", **aria(label="Plot"))) == (
        '<div tabindex="0" aria-label="Plot"></div>'
    )
    assert markup(html.P(style={"display": "none"})) == '<p style="display: none"></p>'


def test_only_what_is_true_is_said():
    option = html.Option("a", selected=True, disabled=False, value="1")
    assert markup(option) == '<option selected value="1">a</option>'


def test_texts_and_attributes_are_no_markup():
    assert markup(html.P('<b> & "c"', title='"d" <e>')) == (
        '<p title="&quot;d&quot; &lt;e&gt;">&lt;b&gt; &amp; "c"</p>'
    )


def test_an_element_without_content_has_no_end():
    assert (
        markup(html.Div([html.Img(alt="Plane"), html.Br()])) == '<div><img alt="Plane"><br></div>'
    )


def test_what_dash_has_no_component_for_is_written_alike():
    box = Element("input", type="checkbox", checked=True, disabled=False, **data(allow="names"))
    assert markup(html.Label([box, "Names"])) == (
        '<label><input type="checkbox" checked data-allow="names">Names</label>'
    )


def test_a_component_that_needs_dash_is_refused():
    with pytest.raises(ValueError, match=r"Modal is none of dash\.html"):
        markup(html.Div(dmc.Modal()))


def test_plain_contents_are_the_same_on_the_page_and_in_a_document():
    note = html.P(["1 < 2 ", html.Em("so far")], id="note", className="dim")
    written = plain(note)
    assert markup(written) == markup(note)
    sent = written.to_plotly_json()["props"]
    assert {name: value for name, value in sent.items() if value is not None} == {
        "id": "note",
        "className": "dim",
        "data-markup": "1 &lt; 2 <em>so far</em>",
    }


def test_plain_contents_are_written_wherever_they_stand():
    listed = html.Ul([html.Li("one"), plain(html.Li(html.B("two")))])
    assert markup(plain(html.Div(listed))) == (
        "<div><ul><li>one</li><li><b>two</b></li></ul></div>"
    )


class Elements(HTMLParser):
    """Counts the elements of a document, whose every end belongs to the last beginning."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count = 0

    def handle_starttag(self, tag, attrs):
        self.count += 1
        if tag not in {"img", "br", "hr", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_parts_of_the_document_hold_every_component():
    document = Elements()
    document.feed(markup(static_parts()))
    assert document.open == []
    assert document.count == len(parts(*static_parts()))

"""Browsers keep static files, which set no cookie."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import plotly.offline
import pytest
from rjsmin import jsmin

from callbacks.routes.static_files import PLOTLY_PATH
from melm_studio.layout.scripts import ASSETS, ENTRIES, PAGE_SCRIPT, page_bundle, plotly_script

# Prints the names of those of the pairs of modules that are not the same to JavaScript.
DIFFERENT = """
import { readFileSync } from "node:fs";
import { tokenize } from "espree";
const options = { ecmaVersion: "latest", sourceType: "module" };
const relevant = ({ type, value }) => [type, value];
const tokens = (text) => JSON.stringify(tokenize(text, options).map(relevant));
const pairs = Object.entries(JSON.parse(readFileSync(0, "utf8")));
const damaged = pairs.filter(([, [one, other]]) => tokens(one) !== tokens(other));
console.log(JSON.stringify(damaged.map(([name]) => name)));
"""

FOREVER = "public, max-age=31536000, immutable"


def addresses(page: str) -> list[str]:
    """What the page loads, apart from its icon and what is requested by Dash."""
    found = re.findall(r'(?:src|href|content)="(/(?!_dash-(?:layout|dep)|_favicon)[^"]+)"', page)
    return [PLOTLY_PATH, *found]


@pytest.fixture
def client(studio):
    return studio.app.server.test_client()


def test_browsers_keep_everything_that_the_page_loads_and_no_cookie_comes_with_it(client):
    loaded = addresses(client.get("/").text)
    assert len(loaded) > 10
    for address in loaded:
        with client.get(address) as answer:
            assert answer.status_code == 200, address
            assert answer.headers["Cache-Control"] == FOREVER, address
            assert "Set-Cookie" not in answer.headers, address
            assert "Cookie" not in answer.headers.get("Vary", ""), address


def test_what_has_no_fingerprint_is_not_kept(client):
    (path,) = re.findall(r'href="(/_dash-comp[^"]+)/react@18\.[^"]+"', client.get("/").text)
    answer = client.get(f"{path}/react@18.3.1.min.js")
    assert answer.status_code == 200
    assert "immutable" not in answer.headers.get("Cache-Control", "")


def test_a_file_that_does_not_exist_is_not_kept(client):
    folder, *_ = re.findall(r'"(/assets/\w+)/', client.get("/").text)
    answer = client.get(f"{folder}/nowhere.mjs")
    assert answer.status_code == 404
    assert "immutable" not in answer.headers.get("Cache-Control", "")


def test_the_page_and_its_data_are_not_kept(client):
    for address in ("/", "/_dash-layout", "/frames"):
        assert "max-age" not in client.get(address).headers.get("Cache-Control", "")


def test_the_page_still_gives_a_visitor_a_cookie(client):
    assert "Set-Cookie" in client.get("/").headers


@pytest.mark.parametrize("encodings", ["br", "gzip", "identity"])
def test_plotly_arrives_whole_in_every_encoding(client, encodings, decoded):
    answer = client.get(PLOTLY_PATH, headers={"Accept-Encoding": encodings})
    assert answer.headers.get("Content-Encoding", "identity") == encodings
    assert answer.mimetype == "text/javascript"
    assert decoded(answer) == plotly_script()


def test_plotly_is_a_third_of_the_full_script():
    assert 3 * len(plotly_script()) < len(plotly.offline.get_plotlyjs())


def test_modules_come_without_their_comments_and_with_everything_else(client):
    (address,) = re.findall(r'"(/assets/[^"]+/main\.bundle\.mjs)"', client.get("/").text)
    with client.get(address) as answer:
        sent = answer.text
    written = page_bundle(PAGE_SCRIPT).script
    assert "// " in written
    assert "// " not in sent
    assert len(sent) < 0.8 * len(written)
    assert "`${weight} ${size}px ${family}`" in sent


def test_what_shortens_modules_leaves_strings_and_expressions_alone():
    for code in ("a=`x  //  ${ b }  /* y */`", 'a="// b"', r"a=/'/g;b=/[/]\\/x/"):
        assert jsmin(code).strip() == code


@pytest.mark.slow
def test_a_module_without_its_comments_is_the_same_to_javascript():
    node = Path(sys.executable).with_name("node")
    modules = {str(file): file.read_text() for file in ASSETS.rglob("*.mjs")}
    modules |= {name: page_bundle(name).script for name in ENTRIES}
    pairs = {name: [text, jsmin(text)] for name, text in modules.items()}
    compared = subprocess.run(
        [node, "--input-type=module", "--eval", DIFFERENT],
        input=json.dumps(pairs),
        cwd=ASSETS.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(compared.stdout) == []


def test_a_module_loaded_later_takes_what_the_page_has(client):
    (script,) = re.findall(r'"(/assets/[^"]+/main\.bundle\.mjs)"', client.get("/").text)
    with client.get(script.replace("main.bundle.mjs", "studio/analyses/tree.mjs")) as answer:
        assert answer.text.startswith('import{modules}from"../../main.bundle.mjs"')
        assert answer.headers["Cache-Control"] == FOREVER

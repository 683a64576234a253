"""The site holds every document once, and everything that the packages export."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import chain
from pkgutil import resolve_name

import pytest

import melm_core
from lab.site.offline import remote_parts
from lab.site.reference import PACKAGES, public_names, reference_pages
from lab.site.replays import REPLAYS, gallery_page
from lab.site.sources import CONTENTS, ROOT, within_site, write_sources
from lab.stories.contents import CONTENTS as SCRIPTS
from melm_studio.workspace.stories import INCLUDED_STORIES

DOCUMENTS = [path for path in ROOT.glob("docs/*") if path.suffix in {".md", ".ipynb"}]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "sources"
    write_sources(folder)
    return folder


def test_every_document_is_in_the_contents_once(sources):
    listed = list(chain(*CONTENTS.values()))
    assert len(listed) == len(set(listed))
    assert {f"docs/{path.stem}" for path in DOCUMENTS} <= set(listed)
    for name in listed:
        assert any((sources / f"{name}{suffix}").is_file() for suffix in (".md", ".ipynb")), name


def test_a_title_that_is_a_question_is_the_name_of_its_file_in_the_side_column(sources):
    listed = (sources / "index.md").read_text().splitlines()
    assert {"Is it real <docs/is-it-real>", "docs/explore"} <= set(listed)
    for name in chain(*CONTENTS.values()):
        page = sources / f"{name}.md"
        is_question = page.is_file() and page.read_text().startswith('# "')
        assert (name in listed) != is_question


def test_links_that_leave_the_site_are_words(tmp_path):
    document = tmp_path / "docs" / "a.md"
    document.parent.mkdir()
    document.write_text(
        "[deploy](../deploy), [start](../README.md#run), [lab](../lab/README.md), [a](a.md), "
        "[b](a.md#b), [c](#c), [out](https://example.org), ![picture](gone.png)"
    )
    assert within_site(document, tmp_path) == (
        "deploy, [start](../index.md#run), lab, [a](a.md), "
        "[b](a.md#b), [c](#c), [out](https://example.org), ![picture](gone.png)"
    )


def test_no_link_of_a_document_leaves_the_site(sources):
    for document in (sources / "CONTRIBUTING.md", *sources.glob("docs/*.md")):
        assert within_site(document, sources) == document.read_text()


def test_the_reference_has_every_public_function_and_class_once():
    described = re.findall(r"\.\. auto\w+:: (\S+)$", "".join(reference_pages().values()), re.M)
    public = [f"melm_core.{name}" for name in melm_core.__all__ if callable(vars(melm_core)[name])]
    of_packages = [
        f"{package}.{name}" for package in PACKAGES for name in public_names(import_module(package))
    ]
    assert sorted(described) == sorted(public + of_packages)
    values = [resolve_name(name) for name in described]
    assert len(set(map(id, values))) == len(values)


def test_the_gallery_shows_every_replay_in_both_themes():
    page = gallery_page()
    for replay in REPLAYS:
        assert f"{replay.name}-light.html" in page
        assert f"{replay.name}-dark.html" in page


def test_the_gallery_tells_every_story():
    page = gallery_page()
    for story in INCLUDED_STORIES.values():
        assert story.title in page
        assert page.count(f"](stories/{story.key}-") == len(SCRIPTS[story.key].scenes)


def test_a_part_of_a_page_that_comes_from_the_network_is_found(tmp_path):
    (tmp_path / "page.html").write_text(
        '<link rel="canonical" href="https://a.org/"><a href="https://b.org">b</a>'
        '<script src="https://c.org/x.js"></script><img src="y.png"><link href="//d.org/z.css">'
    )
    assert remote_parts(tmp_path) == ["page.html: https://c.org/x.js", "page.html: //d.org/z.css"]

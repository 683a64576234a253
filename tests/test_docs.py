"""What the documentation points to is there."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit

from lab.pictures import FOLDER, PICTURES
from lab.plane_trees import PICTURE as TREES
from melm_core.answers import Answer, shuffles_sentence
from melm_studio.layout.header import MODES
from melm_studio.layout.help import PRESENT_KEYS
from melm_studio.scores import Rows, Verdict

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
MOST_BYTES = 3_000_000


def text_of(document: Path) -> str:
    """The page without its blocks of code, in which brackets are no links."""
    return re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)


def anchors(document: Path) -> set[str]:
    """What the headings of a page are found by."""
    headings = re.findall(r"^#+ (.*)$", text_of(document), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def pictures_shown() -> dict[str, str]:
    """What is said of each picture of the page, by the name of its file."""
    return {
        Path(target).name: words
        for document in PAGES
        for words, target in PICTURE.findall(text_of(document))
        if (document.parent / target).parent.resolve() == FOLDER
    }


def leads_somewhere(document: Path, target: str) -> bool:
    """Whether a link of a page leaves the documents, or what it points to is there."""
    link = urlsplit(target)
    if link.scheme:
        return True
    other = document.parent / link.path if link.path else document
    return other.exists() and (not link.fragment or link.fragment in anchors(other))


def test_the_verdict_of_wine_is_quoted_as_it_is_said():
    verdict = Verdict(
        answer=Answer.YES, rows=Rows.FOLDS, share=0.988, n_classes=3, standard_error=0.013
    )
    said = f"{verdict.sentence} {shuffles_sentence(0, 199, 0.005)}"
    for page in ("tutorial.md", "results/agent-transcript.md"):
        assert said in " ".join((ROOT / "docs" / page).read_text().replace("\n> ", " ").split())


def test_every_link_leads_somewhere():
    links = [(page, target) for page in PAGES for target in LINK.findall(text_of(page))]
    assert len(links) > 100
    assert [f"{page.name}: {to}" for page, to in links if not leads_somewhere(page, to)] == []


def test_what_documents_import_can_be_imported():
    blocks = [block for page in PAGES for block in PYTHON.findall(page.read_text())]
    modules = [
        statement
        for block in blocks
        for statement in re.findall(r"^from (?:melm_core|melm_studio)\S* import .*$", block, re.M)
        if "random_plane" not in statement  # the method that docs/adding-a-method.md adds
    ]
    assert len(modules) > 10
    for statement in modules:
        exec(statement, {})  # noqa: S102 -- of our own documents


def test_headings_skip_no_level():
    assert [page.name for page in PAGES if skips_a_level(page)] == []


def skips_a_level(document: Path) -> bool:
    """Whether a heading is more than one level below the one before it, the first below none."""
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text_of(document), re.MULTILINE)]
    return levels[0] != 1 or any(after > before + 1 for before, after in pairwise(levels))


def test_every_picture_can_be_taken_again_is_shown_and_described():
    taken = {*PICTURES.values(), TREES.name}
    assert set(pictures_shown()) == taken
    assert {path.name for path in FOLDER.iterdir()} == taken
    assert all(pictures_shown().values())


def test_the_pictures_stay_small():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST_BYTES


def test_every_mode_has_a_page_that_readme_links():
    readme = (ROOT / "README.md").read_text()
    assert all(f"[{label}](docs/{mode}.md)" in readme for mode, label in MODES.items())


def test_the_page_of_present_names_its_keys_and_no_other():
    rows = re.findall(r"^\| (.+?) \| .+ \|$", (ROOT / "docs/present.md").read_text(), re.MULTILINE)
    assert rows[1:] == [key for key, _ in PRESENT_KEYS]

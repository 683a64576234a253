"""What the site is made of: the documents where they are, and pages that are made from the code."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from lab.site.reference import reference_pages
from lab.site.replays import gallery_page
from melm_studio.layout.help import WORDS

ROOT = Path(__file__).parents[2]

# Every page, under the heading that the side column has for it.
CONTENTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Start": ("docs/install", "docs/tutorial", "gallery"),
        "How to": (
            "docs/for-chemometrics",
            "docs/for-omics",
            "docs/for-machine-learning",
            "docs/for-teaching",
            "docs/draw-a-table",
        ),
        "The page": (
            "docs/explore",
            "docs/compare",
            "docs/present",
            "docs/figures-for-print",
            "docs/report",
        ),
        "From programs": (
            "docs/command-line",
            "docs/notebook",
            "docs/http-api",
            "docs/agents",
            "reference/index",
        ),
        "Methods": (
            "docs/which-method",
            "docs/is-it-real",
            "docs/sets-of-classes",
            "docs/does-it-belong",
            "docs/how-many-more-rows",
            "docs/has-the-lot-changed",
            "docs/verify-a-verdict",
            "docs/before-and-after",
            "docs/finding-the-optimum",
            "docs/plane-trees",
            "docs/resampled-plane",
            "docs/batch-blind-planes",
            "docs/held-out-planes",
            "docs/curved-features",
            "docs/scale",
            "docs/kernel-machines",
            "docs/notation",
            "glossary",
            "docs/results/reproducing-the-tables",
            "docs/results/honesty",
            "docs/benchmarks",
        ),
        "Operation": ("docs/deployment", "docs/reliability", "docs/security"),
        "Development": (
            "docs/architecture",
            "docs/adding-a-method",
            "docs/adding-a-panel-button",
            "docs/adding-an-analysis",
            "docs/adding-a-format",
            "CONTRIBUTING",
            "CHANGELOG",
        ),
    }
)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]*)([^)\s]*)\)")
_TOCTREE = """
```{{toctree}}
:caption: {caption}
:hidden:

{pages}
```
"""


def write_sources(folder: Path) -> None:
    """Collect the sources of the site in a folder."""
    shutil.copytree(ROOT / "docs", folder / "docs")
    pages = {
        "index": _index(),
        "gallery": gallery_page(),
        "glossary": _glossary(),
        "CONTRIBUTING": (ROOT / "CONTRIBUTING.md").read_text(),
        "CHANGELOG": (ROOT / "CHANGELOG.md").read_text(),
        **reference_pages(),
    }
    for name, text in pages.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    for path in (folder / "CONTRIBUTING.md", *folder.glob("docs/*.md")):
        path.write_text(within_site(path, folder))
    listed = {f"{name}.md" for pages in CONTENTS.values() for name in pages}
    for path in folder.glob("docs/results/*.md"):
        if str(path.relative_to(folder)) not in listed:  # linked from a page
            path.write_text(f"---\norphan: true\n---\n\n{path.read_text()}")


def within_site(document: Path, site: Path) -> str:
    """Return the text of a document without its links to files that are not on the site."""

    def led_within(link: re.Match[str]) -> str:
        words, target, anchor = link.groups()
        path = (document.parent / target).resolve()
        if path == site.resolve() / "README.md":
            return f"[{words}]({target.replace('README', 'index')}{anchor})"
        return link[0] if path.is_file() else words

    return _LINK.sub(led_within, document.read_text())


def _index() -> str:
    """The README, whose own list of documents is the side column here."""
    words = (ROOT / "README.md").read_text().partition("\n## More\n")[0]
    trees = [
        _TOCTREE.format(caption=caption, pages="\n".join(map(_entry, pages)))
        for caption, pages in CONTENTS.items()
    ]
    return "\n".join([words, *trees])


def _entry(page: str) -> str:
    """A page in the side column, where a title that is a question would take three lines."""
    path = ROOT / f"{page}.md"
    is_question = path.is_file() and path.read_text().startswith('# "')
    return f"{path.stem.replace('-', ' ').capitalize()} <{page}>" if is_question else page


def _glossary() -> str:
    """The words that Help explains on the page."""
    entries = [f"{word}\n: {meaning}\n" for word, meaning in WORDS.items()]
    return "\n".join(["# Glossary\n", "Symbols are in [Notation](docs/notation.md).\n", *entries])

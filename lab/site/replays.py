"""The gallery: runs that are recorded when the site is built, and played in its pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.site.stories import story_entries
from lab.stories.contents import face
from melm_studio.analyses.tree import TREE
from melm_studio.planes.theme import Scheme
from melm_studio.programs.client import StudioClient
from melm_studio.programs.local_studio import local_studio
from melm_studio.workspace.data_source import Drawing


@dataclass(frozen=True)
class Replay:
    """A run of the gallery.

    Attributes
    ----------
    name : str
        Of its files.
    title, words : str
    table : str or Drawing
        The key of a sample, or what is uploaded.
    method : str
        Its key.
    analysis : str
        Of the run, whose planes are below its own: those of the tree follow a dragged kernel width.
    """

    name: str
    title: str
    words: str
    table: str | Drawing
    method: str
    analysis: str = ""


REPLAYS = (
    Replay(
        "wine-melm",
        "Three cultivars",
        "MELM on 178 wines, described by 13 analyses. The plane turns until the densities of the "
        "three cultivars hardly overlap; at its end, each wine is where a plane that never saw it "
        "puts it. Scroll down in it to drag the kernel width γ, which has a plane of its own at "
        "each place.",
        "wine",
        "melm",
        TREE.name,
    ),
    Replay(
        "breast-cancer-rotations",
        "Benign or malignant",
        "Rotations on 569 tumors, described by 30 features of their cell nuclei.",
        "breast_cancer",
        "rotations",
    ),
    Replay(
        "five-mixtures-melm",
        "Five mixtures",
        "MELM on 1,595 rows in ten dimensions. Each of the five classes has two centers.",
        "five_mixtures",
        "melm",
    ),
    Replay(
        "noise-melm",
        "Pure noise",
        "Sixty rows of fifty random numbers, with meaningless labels. The rows that the plane is "
        "fitted to come apart all the same; where planes that never saw them put them, they do "
        "not. This is why *Is it real?* exists.",
        "pure_noise",
        "melm",
        TREE.name,
    ),
    Replay(
        "drawing-melm",
        "A drawing, hidden and found",
        "Somebody has [painted](docs/draw-a-table.md) in two colors. Each dot became a row, of 22 "
        "features that mix the picture with noise. MELM knows the colors of the rows, and nothing "
        "of the picture.",
        face(600),
        "melm",
    ),
)
_PAGE = """\
# Gallery

Press **Play**, or drag the slider. Each picture is a
[replay](docs/present.md#a-replay-as-a-file) that the studio saved: one file, which needs neither
the studio nor a network.

{replays}

{stories}
"""
_ENTRY = """\
## {title}

{words}

```{{raw}} html
<iframe class="replay" title="{title}" loading="lazy" src="_static/replays/{name}-light.html"
  data-dark="_static/replays/{name}-dark.html"></iframe>
```
"""


def gallery_page() -> str:
    """The page that shows the replays."""
    entries = [
        _ENTRY.format(title=each.title, words=each.words, name=each.name) for each in REPLAYS
    ]
    return _PAGE.format(replays="\n".join(entries), stories=story_entries())


def write_replays(folder: Path) -> None:
    """Run everything of the gallery in a studio, and save its replays."""
    folder.mkdir(parents=True)
    with local_studio() as studio:
        client = StudioClient(studio.url)
        runs = {each.name: _start(client, each) for each in REPLAYS}
        for each in REPLAYS:
            run = runs[each.name]
            client.finished(run)
            if client.result(run).has_refits:
                client.refitted(run)
            if each.analysis:
                client.analyzed(run, each.analysis)
            for scheme in Scheme:
                page = client.download(run, "replay.html", scheme=scheme.value)
                (folder / f"{each.name}-{scheme.value}.html").write_bytes(page)


def _start(client: StudioClient, replay: Replay) -> str:
    table = replay.table
    if isinstance(table, str):
        source = {"kind": "sample", "key": table}
    else:
        source = client.upload(table.csv().encode(), table.file_name)
    return client.start(source, replay.method).id

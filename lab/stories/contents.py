"""What the included stories show and say.

The texts name numbers only in braces: the views give them (`lab.stories.facts`), when the stories
are made and whenever they are tested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from melm_studio.planes.types import Places
from melm_studio.tables import Mark, Use
from melm_studio.workspace.data_source import Drawing
from melm_studio.workspace.view_spec import Switch


@dataclass(frozen=True)
class Fit:
    """A run of a story.

    Attributes
    ----------
    method : str
    parameters : mapping
        Those that differ from the defaults.
    is_checked : bool
        Whether "Is it real?" is asked.
    is_searched : bool
        Whether suspect labels are looked for.
    drawing : Drawing or None
        The table, where it is not the sample of the story.
    """

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    is_checked: bool = False
    is_searched: bool = False
    drawing: Drawing | None = None


@dataclass(frozen=True)
class Scene:
    """A view of a story.

    Attributes
    ----------
    title, caption, notes : str
        With the names of facts in braces.
    fit : int
        Which run of the story.
    plane : str
        The newest plane, the first, or the one with the smallest objective: a poor start.
    gamma : float or None
    n_top_features : int or None
        As in the view options.
    hidden : tuple of str
        The switches that are off.
    color_by : str or None
        The column that colors the rows; None for the class.
    places : Places
        Where the rows are, of a run that was checked with all rows in its plane.
    """

    title: str
    caption: str
    notes: str
    fit: int = 0
    plane: Literal["newest", "first", "poorest"] = "newest"
    gamma: float | None = None
    n_top_features: int | None = None
    hidden: tuple[Switch, ...] = ("arrows",)
    color_by: str | None = None
    places: Places = Places.UNSEEN


@dataclass(frozen=True)
class Contents:
    """A story: its sample, if any, its runs, its views, and what was marked in the sample."""

    sample: str
    fits: tuple[Fit, ...]
    scenes: tuple[Scene, ...]
    marks: tuple[Mark, ...] = ()
    roles: Mapping[str, Use] = field(default_factory=dict)


_MELM = Contents(
    "wine",
    (Fit("melm", {"n_init": 4}),),
    (
        Scene(
            "A plane to start from",
            "Each dot is a wine, described by {features} measurements, and each color is a grape. "
            "This plane is one of those from which the search starts. The grapes overlap.",
            "A plane is a pair of directions among the measurements: what you see is the shadow of "
            "the data on it. Ask the room which plane they would choose.",
            plane="poorest",
        ),
        Scene(
            "The plane that MELM finds",
            "MELM turns the plane until the densities of the grapes overlap as little as possible. "
            "Of the wines that the search never saw, {held_out} are told apart. "
            "Guessing gives {guessing}.",
            "Open circles are the wines that were held out. Press Space to play the search, and "
            "watch the curve below the picture.",
        ),
        Scene(
            "What the directions are made of",
            "The arrows show what each measurement contributes. Arrows that point toward a grape "
            "are measurements that are high in it.",
            "Pick one arrow and read it aloud. Long arrows matter most.",
            hidden=(),
        ),
        Scene(
            "A few measurements are enough",
            "Here the plane uses the {top_features} strongest measurements alone, and still tells "
            "{held_out} of the held-out wines apart.",
            "Exit Present, and move the slider of the features to see where the picture breaks.",
            n_top_features=4,
            hidden=(),
        ),
    ),
)

_VARIANCE = Contents(
    "masked_gaussians",
    (Fit("pca"), Fit("melm", {"n_init": 4})),
    (
        Scene(
            "The plane of the largest variance",
            "These are {rows} rows in {features} dimensions, in {classes} classes. PCA shows as "
            "much of their variance as a plane can. It tells {held_out} of the held-out rows "
            "apart.",
            "PCA never looks at the colors. Guessing gives {guessing}. Ask whether these classes "
            "differ at all.",
        ),
        Scene(
            "The plane of the largest difference",
            "MELM looks for the plane in which the class densities differ most. The same held-out "
            "rows, and {held_out} of them are told apart.",
            "Where the rows vary most is not where the classes differ most. Press the digits to go "
            "back and forth between the two runs.",
            fit=1,
        ),
        Scene(
            "Spread is not difference",
            "The largest variance belongs to whatever varies most, whether or not it tells the "
            "classes apart. To see a difference, look for one.",
            "Play the morph between the two planes: choose PCA, and press M.",
            fit=1,
            hidden=(),
        ),
    ),
)

_KERNEL_WIDTH = Contents(
    "crescents",
    (Fit("pca", {"held_out": 0.0}, is_checked=True),),
    (
        Scene(
            "Too smooth",
            "Every density here is a sum of small hills, one on each row. With wide hills, at γ "
            "{gamma}, the crescents turn into two blurred clouds.",
            "The plane stays the same throughout this story; only the width of the kernel changes.",
            gamma=5.0,
        ),
        Scene(
            "The default",
            "With γ {gamma}, the contours begin to bend.",
            "γ multiplies a rule of thumb for the width: this one is a fair first guess for any "
            "table.",
            gamma=1.0,
        ),
        Scene(
            "The shape of the data",
            "With γ {gamma}, the contours follow both crescents.",
            "This is the width to keep. Ask what a still narrower one would do.",
            gamma=0.5,
        ),
        Scene(
            "Too fine",
            "Narrower still, at γ {gamma}, the contours break up around single rows. They describe "
            "this sample, and no longer where the next row will be.",
            "Rows can be well told apart while the density drawn of them is too fine: here "
            "{held_out} are, by planes that never saw them. Below the picture, By γ finds the best "
            "γ by held-out rows.",
            gamma=0.1,
        ),
    ),
)

_NOISE = Contents(
    "pure_noise",
    (Fit("melm", {"n_init": 1, "held_out": 0.0}, is_checked=True),),
    (
        Scene(
            "Would you believe this picture?",
            "Here are {rows} rows in {classes} classes. After the search, {training} of the rows "
            "that it was fitted to are told apart.",
            "Do not say yet that this is noise: the verdict is hidden until the last view, or "
            "until you press V. Each row is where the plane that was fitted to it puts it.",
            hidden=("arrows", "verdict"),
            places=Places.FITTED,
        ),
        Scene(
            "The same rows, unseen",
            "Now each row goes where a plane that was fitted without it puts it, as it would put a "
            "new row. What do you believe now?",
            "Press U to go back and forth. Real structure hardly moves; try Wine. Here {held_out} "
            "are told apart, and guessing gives {guessing}.",
            hidden=("arrows", "verdict"),
        ),
        Scene(
            "It is pure noise",
            "{check}",
            "Every one of the {features} features is a random number, and the classes are made up: "
            "many features, few rows, and a search that is free to choose. The check repeats the "
            "search with shuffled labels.",
        ),
    ),
)

_THREE_WAYS = Contents(
    "digits",
    (Fit("pca"), Fit("lda"), Fit("melm", {"n_init": 1})),
    (
        Scene(
            "Without the labels: PCA",
            "These are {rows} handwritten digits, described by {features} pixels. PCA shows the "
            "most variance, without the labels. It tells {held_out} of the held-out digits apart.",
            "Guessing gives {guessing}: there are {classes} digits.",
        ),
        Scene(
            "With the labels: LDA",
            "LDA uses the labels. It moves the class means apart, compared with the variance "
            "within the classes, and tells {held_out} of the same digits apart.",
            "LDA assumes classes of one shape. Look for digits that share a place.",
            fit=1,
        ),
        Scene(
            "With the densities: MELM",
            "MELM lets the class densities overlap as little as possible, whatever their shape. It "
            "tells {held_out} of the same digits apart.",
            "Two directions are few for so many classes. With three, the picture can be turned.",
            fit=2,
        ),
    ),
)

_BENT_ARROW = Contents(
    "moderation",
    (
        Fit("lda"),
        Fit("melm"),
        Fit("lda", {"curves": "auto"}, is_checked=True),
    ),
    (
        Scene(
            "No straight direction helps",
            "These are {rows} people, described by {features} measurements. Some are well, some "
            "are not. LDA looks for the direction in which the two differ most, and tells "
            "{held_out} of the held-out people apart.",
            "Guessing gives {guessing}. Ask whether the measurements are useless.",
            hidden=(),
        ),
        Scene(
            "The best straight plane",
            "MELM sees whatever differs in the densities. But too little is as bad as too much "
            "here, in more measurements than a plane has directions: {held_out} are told apart.",
            "Who is well lies in the middle of both directions, and so do people who are unwell "
            "in a direction that is not shown.",
            fit=1,
            hidden=(),
        ),
        Scene(
            "An arrow that bends",
            "Here each measurement may bend before LDA uses it. Now the arrows of sleep, food, "
            "work and exercise turn back on themselves: both their ends lead to the unwell. Of the "
            "same held-out people, {held_out} are told apart.",
            "The marks on a path are the quartiles of the measurement. Play the morph from the "
            "straight plane to this one: choose the first run, and press M.",
            fit=2,
            hidden=(),
        ),
        Scene(
            "Bent, because held-out rows say so",
            "Features at auto bend only where inner folds gain more than their error by it; on "
            "noise they stay straight. {check}",
            "Choose Features under More, beside Components.",
            fit=2,
            hidden=(),
        ),
    ),
)

# The list of the run below, and what the names of the wines say of it.
_SUSPECTS = (17, 19, 45, 52, 60, 69, 72, 74, 79, 107, 142, 174)
_RIGHTLY_LABELED = (69, 74)
_WRONG_LABELS = Contents(
    "mislabeled_wine",
    (Fit("melm", {"n_init": 4}, is_searched=True),),
    (
        Scene(
            "Ten labels are wrong",
            "These are {rows} wines, and before they came here, {wrong} of them were given the "
            "label of another grape. Can you see which?",
            "Let the room point at dots. Some lie in the wrong cloud; but so do a few that are "
            "labeled rightly, at the edges.",
        ),
        Scene(
            "Which labels are suspect?",
            "Each wine is judged by planes that were fitted without it. The studio lists {listed} "
            "suspect labels, and estimates how many of these are right after all: about {right}.",
            "The list is under Rows, Suspect labels. Where classes overlap it is shorter, or "
            "empty, and says so: a wrong label cannot be told from overlap.",
            hidden=("arrows", "names"),
            color_by="list",
        ),
        Scene(
            "What the names say",
            "Here the wines have their names, and these are right. {found} of the {wrong} wrong "
            "labels are in the list, and {falsely} of the {listed} that are listed are labeled "
            "rightly.",
            "In Explore, point at a suspect to read its name. Look before you leave a row out: a "
            "list is where to look, not what to delete.",
            hidden=("arrows", "names"),
            color_by="by name",
        ),
    ),
    (
        Mark("list", "suspect", _SUSPECTS),
        Mark("by name", "wrong label", _SUSPECTS),
        Mark("by name", "right label", _RIGHTLY_LABELED),
    ),
    {"list": Use.INFO, "by name": Use.INFO},
)

_BATCHES = Contents(
    "batches",
    (Fit("melm"), Fit("melm", {"nuisance_weight": 4.0})),
    (
        Scene(
            "Two classes come apart",
            "These are {rows} rows in {features} dimensions. In the plane that MELM finds, "
            "{held_out} of the held-out rows are told apart.",
            "Guessing gives {guessing}. Ask what else could have moved these clouds.",
        ),
        Scene(
            "Is it the batch?",
            "The same picture, colored by the batch in which a row was measured. Within a class, "
            "the batch of {batch_held_out} of the held-out rows can be told from where they lie. "
            "Guessing gives {batch_guessing}.",
            "The batches drift, and the last ones hold more of one class. So a plane that follows "
            "the drift would seem to tell the classes apart.",
            hidden=("arrows", "names"),
            color_by="batch",
        ),
        Scene(
            "A plane that is blind to the batch",
            "Now every difference between the batches of one class counts against a plane. From "
            "where rows lie in this one, the batch of {batch_held_out} of the held-out rows is "
            "told; guessing gives {batch_guessing}.",
            "In Explore, the card Batches has the weight as a slider, and what it costs.",
            fit=1,
            hidden=("arrows", "names"),
            color_by="batch",
        ),
        Scene(
            "What remains is the classes",
            "The same plane, colored by class: {held_out} of the held-out rows are told apart, "
            "now without the help of the batch.",
            "Press the digits to go back and forth between the two runs. Without a column that "
            "names the batch, this question could not be asked.",
            fit=1,
        ),
    ),
)


def face(n_rows: int) -> Drawing:
    """A drawing that is known when it is found: the outline of a face, and its eyes and mouth."""
    turns = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    mouth = np.linspace(-0.8, -0.2, 60) * np.pi
    eye = 0.1 * np.column_stack([np.cos(turns[::8]), np.sin(turns[::8])])
    parts = [
        (0, np.column_stack([np.cos(turns), np.sin(turns)])),
        (1, 0.55 * np.column_stack([np.cos(mouth), np.sin(mouth)])),
        (1, eye + np.array([-0.35, 0.3])),
        (1, eye + np.array([0.35, 0.3])),
    ]
    points = tuple((x, y, code) for code, part in parts for x, y in part.tolist())
    return Drawing(points, n_rows)


_DRAWING = Contents(
    "",
    (
        Fit("pca", {"held_out": 0.0}, is_checked=True, drawing=face(600)),
        Fit("melm", {"n_init": 2, "held_out": 0.0}, is_checked=True, drawing=face(60)),
        Fit("melm", {"n_init": 2, "held_out": 0.0}, is_checked=True, drawing=face(600)),
    ),
    (
        Scene(
            "A drawing is hidden here",
            "Somebody has painted a picture in two colors. Its dots became {rows} rows of a table, "
            "whose {features} features mix the picture with noise. PCA tells {held_out} of the "
            "held-out rows apart. Guessing gives {guessing}.",
            "No direction of this table varies more than another. Ask the room what was painted.",
        ),
        Scene(
            "With few rows",
            "MELM looks for the plane in which the colors differ most, among {rows} rows first. "
            "{check}",
            "Press U: as fitted, even these rows come apart. The drawing is there, and these rows "
            "cannot show it.",
            fit=1,
        ),
        Scene(
            "With more rows",
            "The same drawing, the same noise, and {rows} rows. {check}",
            "Turn it in your mind: a plane has no up. Paint one of your own: press the name of the "
            "table, then Draw.",
            fit=2,
        ),
    ),
)

CONTENTS: Mapping[str, Contents] = MappingProxyType(
    {
        "melm": _MELM,
        "variance": _VARIANCE,
        "kernel-width": _KERNEL_WIDTH,
        "noise": _NOISE,
        "three-ways": _THREE_WAYS,
        "bent-arrow": _BENT_ARROW,
        "wrong-labels": _WRONG_LABELS,
        "batches": _BATCHES,
        "drawing": _DRAWING,
    }
)

"""The stories that come with the studio: projects of samples, each with a story.

`python -m lab.stories` makes them anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from melm_studio.workspace.project import SUFFIX

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class IncludedStory:
    """A story that comes with the studio.

    Attributes
    ----------
    key, title, explanation : str
        The explanation is one short sentence.
    """

    key: str
    title: str
    explanation: str

    @property
    def file(self) -> Path:
        """The project that holds it."""
        return FOLDER / f"{self.key}{SUFFIX}"


INCLUDED_STORIES: Mapping[str, IncludedStory] = MappingProxyType(
    {
        story.key: story
        for story in (
            IncludedStory("melm", "What MELM does", "Wine, from a poor plane to the best one."),
            IncludedStory(
                "variance",
                "When the largest variance misleads",
                "Five Gaussians, by PCA and by MELM.",
            ),
            IncludedStory(
                "kernel-width", "The kernel width", "Crescents, from too smooth to too fine."
            ),
            IncludedStory(
                "noise",
                "Noise that looks like structure",
                "Pure noise, and where planes that never saw it put it.",
            ),
            IncludedStory(
                "three-ways", "One data set, three ways", "Digits, by PCA, LDA and MELM."
            ),
            IncludedStory(
                "bent-arrow",
                "An arrow that bends",
                "People who do too little or too much, by LDA and MELM.",
            ),
            IncludedStory(
                "wrong-labels",
                "Which labels are wrong?",
                "Wine with ten wrong labels, and the list that finds them.",
            ),
            IncludedStory(
                "batches",
                "Is it the batch?",
                "Two classes in three batches, and a plane blind to these.",
            ),
            IncludedStory(
                "drawing",
                "What did they draw?",
                "A drawing hidden in noise, from few rows and from many.",
            ),
        )
    }
)

"""The keys of the page: what is pressed, and what it does."""

from __future__ import annotations

PAGE_KEYS = (
    ("Ctrl Enter", "run"),
    ("Arrow keys, Page Up, Page Down", "move a slider"),
    ("Arrow keys, +, −, 0 in the picture", "move it, zoom in and out, show all of it"),
    ("Alt ↑ or ↓ in the list of classes", "change their order"),
    ("Esc", "close a menu or dialog, leave Present"),
)

PRESENT_KEYS = (
    ("← → or Page Up, Page Down", "previous and next plane, or story view"),
    ("Space", "play"),
    ("1 to 9", "select a run"),
    ("M", "morph"),
    ("T", "tree of planes"),
    ("R, or dropping a table", "run, live"),
    ("S", "resampled plane"),
    ("W", "walk along a branch of the tree"),
    ("V", "hide or reveal the verdict"),
    ("U", "rows as unseen, or as fitted"),
    ("N", "presenter’s window"),
    ("B or .", "blank the screen"),
    ("Q", "the talk’s QR code on the whole screen"),
    ("F", "full screen"),
    ("Esc", "exit"),
    ("?", "list keys"),
)

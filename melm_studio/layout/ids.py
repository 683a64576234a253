"""The identifiers of everything that callbacks and scripts address."""

from __future__ import annotations

# Stores
CHOICE = "choice"  # the requested data: a sample or an upload, its label, standardized or not
FIRST_PAGE = "first-page"
SOURCE = "source"  # the last choice that could be read, which each tab remembers
DATA = "data"  # the prepared data set: its id and name, and the choice it came from
RECENT = "recent"  # the data that were chosen before, which the browser remembers

# Data
TABLE_SHEET = "table-sheet"
DRAWING = "drawing"
DROP_ZONE = "drop-zone"
DATA_ERROR = "data-error"
DATA_NAME = "data-name"
DATA_SIZE = "data-size"
DATA_STATUS = "data-status"  # while a table is on its way
DATA_NOTES = "data-notes"  # how many questions and cautions the table has
DATA_SUMMARY = "data-summary"
SAMPLES = "samples"
SAMPLES_OPEN = "samples-open"
TABLES = "tables"  # those of the operator, in the menu of samples
RECENT_OPEN = "recent-open"
RECENT_LIST = "recent-list"
LABEL = "label"
RECIPE_OPEN = "recipe-open"

# Columns
COLUMNS = "columns"
COLUMNS_OPEN = "columns-open"
COLUMNS_SEARCH = "columns-search"
COLUMNS_ERROR = "columns-error"
COLUMNS_TABLE = "columns-table"
COLUMNS_PAGE = "columns-page"
COLUMNS_RESET = "columns-reset"
GRID = "grid"  # the size of the images whose pixels the features are
GRID_FIELD = "grid-field"
COLUMNS_ALL = "columns-all"  # the role for all columns that the search found
TABLE_TAB = "table-tab"
TABLE_SHOWN = "table-shown"  # the data, as of when the dialog of the table was open
FILE_FORM = "file-form"
DOWNLOADS = "downloads"
FILTERS = "filters"
FILTER_COLUMN = "filter-column"
FILTER_VALUES = "filter-values"
FILTER_KEEP = "filter-keep"
FILTER_DROP = "filter-drop"
RECIPE_FORM = "recipe-form"
RECIPE_RESET = "recipe-reset"
CLASSES_FORM = "classes-form"
CLASSES_APPLY = "classes-apply"
CLASSES_RESET = "classes-reset"

# Controls
METHOD = "method"
METHOD_EXPLANATION = "method-explanation"
GAMMA = "gamma"
GAMMA_CONTROL = "gamma-control"  # hidden for a method that has no kernel width
GAMMA_AUTO = "gamma-auto"  # whether the method chooses the kernel width
GAMMA_CHOICE = "gamma-choice"  # the button for it
GAMMA_SLIDER = "gamma-slider"
MORE_SETTINGS = "more-settings"
N_COMPONENTS = "n-components"
CURVES = "curves"
N_INIT = "n-init"
N_INIT_REASON = "n-init-reason"
SETTINGS = "settings"  # what the chosen method alone can be told
RANDOM_STATE = "random-state"
HELD_OUT = "held-out"
RUN = "run"
RUN_ERROR = "run-error"

SHARE = "share"

# Help
HELP = "help"
HELP_OPEN = "help-open"
TOUR = "tour"
TOUR_NOTE = "tour-note"
TOOLTIP = "tooltip"

# Modes
MODE = "mode"  # explore, compare or present
RUN_TABS = "run-tabs"

# Panels
PANELS = "panels"  # of the document, which a script moves into
PANELS_PLACE = "panels-place"  # this part of Dash's page
PANEL_MODEL = "panel-model"
ANALYSIS_MODEL = "analysis-model"  # what the script makes every panel from
WELCOME_MODEL = "welcome-model"  # and what stands in their place while there are none
CONNECTION = "connection"

# Links and stories
ADDRESS = "address"  # the query of the address that the page was opened with
REQUESTED = "wanted"  # a view to restore
RESTORED = "brought"  # the run that shows it, and its view options
NOTICE = "notice"  # what is said about links and views
CAPTION = "caption"
TITLE = "title"  # of a view of the story, above its caption
KEYS = "keys"
STORY = "story"
STORY_SHOWN = "story-shown"  # changes when the list no longer shows the story
STORY_ADDED = "story-added"  # a view that is to be added, from the page's script
STORY_VIEW = "story-view"
STORY_LIST = "story-list"
STORY_SAVE = "story-save"
STORY_FILE = "story-file"

# Compare
BATCH_METHODS = "several-methods"
BATCH_GAMMAS = "several-gammas"
BATCH_BOTH = "several-both"
RUN_BATCH = "run-several"
BRUSHED = "brushed"  # a script says here which rows are selected,
ISOLATED = "isolated"  # and here which classes alone are shown
COMPARED = "compared"
COMPARED_LIST = "compared-list"  # the runs with their shares
CHANGED_NOTE = "changed-note"  # a script names here the runs whose pictures show changed planes
CHECK_ALL = "check-all"
RANKING = "ranking"
PAIR = "pair"  # what two runs differ in

# Figure for print
FIGURE = "figure"
TALK = "talk"
TALK_SCREEN = "talk-screen"
TALK_ADDRESS = "talk-address"
STAGE_FOOT = "stage-foot"


def role(column: int) -> dict[str, str | int]:
    """The control of what a column is used for, by its place in the table."""
    return {"type": "role", "column": column}


def setting(name: str) -> dict[str, str]:
    """The control of a setting of the chosen method."""
    return {"type": "setting", "name": name}


def story(part: str, index: int) -> dict[str, str | int]:
    """A part of a view in the list of the story: its caption, or a button."""
    return {"type": f"story-{part}", "at": index}


def class_name(index: int) -> dict[str, str | int]:
    """The id of the name for the class of a value of the label."""
    return {"type": "class-name", "at": index}


def class_rule(name: str) -> dict[str, str]:
    """The id of a control of the rules of the classes."""
    return {"type": "class-rule", "name": name}


def order(column: int) -> dict[str, str | int]:
    """The field of the order of a column's categories, by its place in the table."""
    return {"type": "order", "column": column}


def feature(column: int) -> dict[str, str | int]:
    """The button that makes a column a feature or information, by its place among both."""
    return {"type": "feature", "column": column}


def answer(question: int, choice: int) -> dict[str, str | int]:
    """The button of an answer, by the places of the question and of the choice."""
    return {"type": "answer", "question": question, "choice": choice}


def filter_part(name: str) -> dict[str, str]:
    """The id of a control of the values of a filter."""
    return {"type": "filter-part", "name": name}


def filter_removal(part: str) -> dict[str, str]:
    """The id of the button that removes a filter."""
    return {"type": "filter-removal", "part": part}


def recipe(name: str) -> dict[str, str]:
    """The id of a control of the preparation."""
    return {"type": "recipe", "name": name}


def recipe_step(index: int, name: str) -> dict[str, str | int]:
    """The id of a control of one step of the preparation."""
    return {"type": "recipe-step", "at": index, "name": name}


def recipe_button(act: str, index: int) -> dict[str, str | int]:
    """The id of a button that acts on one step of the preparation."""
    return {"type": "recipe-button", "act": act, "at": index}


def read_option(name: str) -> dict[str, str]:
    """The id of a control of how the file is read."""
    return {"type": "read-option", "name": name}

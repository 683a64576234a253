"""How Sphinx makes the site of the sources that `lab.site` collects."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

from lab.site import docstrings

project = "MELM Studio"
html_title = project
project_copyright = "the authors of MELM Studio, BSD-3-Clause"
extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton"]

# Anchors as GitHub makes them, which the links of the documents name.
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_fence_as_directive = ["mermaid"]

nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300

autodoc_typehints = "none"  # docstrings say it, with shapes and units
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

html_theme = "furo"
html_favicon = str(Path(__file__).parents[3] / "assets" / "icons" / "studio.svg")
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_show_sphinx = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


class Diagram(Directive):
    """A diagram, which a script of the site draws; its text is there without it."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        text = html.escape("\n".join(self.content))
        return [nodes.raw("", f'<pre class="mermaid">{text}</pre>', format="html")]


def _add_files(app: Sphinx, _config: Any) -> None:
    app.config.html_static_path.append(str(app.srcdir / "files"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect what is defined here."""
    app.add_directive("mermaid", Diagram)
    app.connect("config-inited", _add_files)
    docstrings.connect(app)
    return {"parallel_read_safe": True}

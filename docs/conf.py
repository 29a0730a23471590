"""How the documentation is built: `sphinx-build -W docs site`.

Everything that a page needs lies beside it, so the site works without a network.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS / "_ext"), str(DOCS.parent / "src")]

project = "dice10k_math"
author = "dice10k_math contributors"
copyright = author  # noqa: A001 - the name that Sphinx reads
version = release = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "public_names"]
exclude_patterns = ["README.md"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"dice10k_math {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(DOCS / "_ext" / "scorer.js")
html_copy_source = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}

default_role = "code"
add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True

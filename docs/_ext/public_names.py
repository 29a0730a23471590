"""The directive `public-names`: the public names of the package, by home module, from their docstrings.

The list is that of the package itself, so a new public name is documented without a change here.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from types import ModuleType

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.parsing import nested_parse_to_nodes

import dice10k_math

HEADINGS = {
    "errors": "Errors",
    "rules": "Rules",
    "scoring": "Keeps",
    "odds": "Odds of one roll",
    "questions.turn": "The best turn",
    "questions.solo": "One player alone",
    "questions.match": "Two players",
    "solve.worth": "Other goals",
    "tables.match": "Tables",
}
"""Module to the heading above its names; a module without one is headed by its own name."""


def homes() -> dict[str, list[str]]:
    """Return the public names by their home modules, in the order of the headings."""
    found: dict[str, list[str]] = {home: [] for home in HEADINGS}
    for name, home in dice10k_math._HOME.items():  # noqa: SLF001 - the list that the package itself goes by
        found.setdefault(home, []).append(name)
    return {home: names for home, names in found.items() if names}


def results(module: ModuleType, names: list[str]) -> list[str]:
    """Return the public classes of a module that are no public names: those of which its answers are made."""
    return [
        name
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
        and name not in names
        and (value.__doc__ or "").strip()
        and not getattr(value, "_is_protocol", False)
    ]


def entry(home: str, name: str) -> list[str]:
    """Return the lines that document one name."""
    value = getattr(import_module(f"dice10k_math.{home}"), name)
    kind = "class" if inspect.isclass(value) else "function"
    if inspect.isclass(value) and issubclass(value, Exception):
        kind = "exception"
    options = ["   :members:"] if kind == "class" else []
    return [f".. auto{kind}:: dice10k_math.{home}.{name}", *options, ""]


def lines() -> list[str]:
    """Return the page in reStructuredText."""
    text: list[str] = []
    for home, names in homes().items():
        module = import_module(f"dice10k_math.{home}")
        heading = HEADINGS.get(home, home)
        text += [heading, "-" * len(heading), ""]
        for name in [*names, *(results(module, names) if home.startswith("questions.") else [])]:
            text += entry(home, name)
    return text


class PublicNames(SphinxDirective):
    """Stands for the documentation of all public names."""

    def run(self) -> list[nodes.Node]:
        """Return the nodes of all entries."""
        content = StringList(lines(), source="public-names")
        return nested_parse_to_nodes(self.state, content, allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("public-names", PublicNames)
    return {"parallel_read_safe": True}

"""The import graph: who may import whom, and which third-party packages are imported where.

Imports are read from the sources, those within functions and under TYPE_CHECKING included.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Literal

import pytest

import dice10k_math

SOURCES = Path(dice10k_math.__file__).parent
NAME = "dice10k_math"
HOME: dict[str, str] = dice10k_math._HOME

# Ground floor first. Those of one floor do not import each other, except within one package.
FLOORS = (
    {"errors"},
    {"dice"},
    {"rules"},
    {"scoring"},
    {"odds", "turn", "match"},
    {"policy", "maxima", "reach", "workers"},
    {"program"},
    {"edges", "classes"},
    {"levels", "legs"},
    {"kernel", "follow", "flows", "slopes"},
    {"backup", "single", "endings", "keeps"},
    {"plans"},
    {"kept"},
    {"plays", "fixed"},
    {"last_turn", "tie_levels"},
    {"extra_rounds", "field_states"},
    {"field_moves"},
    {"race", "field", "solo", "explicit"},
    {"stakes"},
    {"movers", "chain", "pace", "shares"},
    {"bounds", "trio_last", "stakes_movers"},
    {"trio"},
    {"duel", "course", "spread", "field_movers"},
    {"stakes_duel", "stakes_course", "falling_course"},
    {"solve", "certify", "simulation"},
    {"questions"},
    {"tables", "cards", "plots"},
    {"citing"},
    {"cli"},
    {"__main__"},
)
# Independent routes stay independent: not even by way of a third module.
NEVER_REACHES = {
    "certify": {"solve"},
    # It shares no more than the rules with what it is to confirm.
    "simulation": {"program", "kernel", "backup", "single", "race", "field", "solo", "solve", "certify"},
}

NUMERICAL = {
    *(
        "turn",
        "match",
        "policy",
        "maxima",
        "reach",
        "program",
        "edges",
        "kernel",
        "classes",
        "levels",
        "legs",
        "single",
        "backup",
        "last_turn",
        "tie_levels",
        "extra_rounds",
        "race",
        "stakes",
        "field_states",
        "field_moves",
        "field",
        "bounds",
        "solo",
        "follow",
        "keeps",
        "flows",
        "slopes",
        "endings",
        "plans",
        "kept",
        "plays",
        "fixed",
        "movers",
        "stakes_movers",
        "stakes_duel",
        "pace",
        "shares",
        "trio_last",
        "trio",
        "duel",
        "chain",
        "course",
        "falling_course",
        "stakes_course",
        "spread",
        "field_movers",
        "explicit",
    ),
    *("solve", "certify", "simulation", "questions"),
}
# Third-party packages: which parts of the package may import them at all, and which at the top of a module.
USERS = {
    "numpy": NUMERICAL | {"tables", "cards", "plots"},
    "numba": {"kernel", "follow", "keeps", "flows", "slopes", "simulation"},
    "scipy": {"solve"},
    "sympy": {"solve"},
    "polars": {"questions", "tables"},
    "matplotlib": {"plots"},
    "rich": {"cli"},
    "click": {"cli"},
}
AT_THE_TOP = {
    "numpy": USERS["numpy"],
    "click": {"cli"},
    "scipy": {"solve"},  # the one module that needs it is imported by who solves a field
    "numba": USERS["numba"],  # compiled functions are decorated where they stand
}


When = Literal["at the top", "in a function", "for typing"]


@dataclass(frozen=True)
class Import:
    """One imported module, and when the import is run."""

    module: str
    when: When


def module_name(path: Path) -> str:
    """Return the dotted name within the package; the package itself is the empty name."""
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(module: str) -> str:
    return module.split(".", maxsplit=1)[0]


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def import_nodes(node: ast.AST, when: When = "at the top") -> Iterator[tuple[ast.Import | ast.ImportFrom, When]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, when
        elif is_type_checking(child):
            yield from import_nodes(child, "for typing")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield from import_nodes(child, "in a function")
        else:
            yield from import_nodes(child, when)


def imports_in(source: str, modules: set[str]) -> Iterator[Import]:
    """Yield what a source imports: modules of the package by the name within it, others with a leading ``:``."""
    for node, when in import_nodes(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            assert node.level == 0, "imports are written in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            first, _, inner = name.partition(".")
            if first != NAME:
                yield Import(f":{first}", when)
            elif (module := resolve(inner, modules)) is not None:
                yield Import(module, when)


def resolve(name: str, modules: set[str]) -> str | None:
    """Return the module that a dotted name within the package is, or lies in; None: the package itself."""
    name = f"{HOME[name]}.{name}" if name in HOME else name
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


PATHS = {name: path for path in sorted(SOURCES.rglob("*.py")) if (name := module_name(path))}
GRAPH = {name: tuple(imports_in(path.read_text(encoding="utf-8"), set(PATHS))) for name, path in PATHS.items()}


def floor_of(module: str) -> int:
    return next(floor for floor, parts in enumerate(FLOORS) if part_of(module) in parts)


def reached_parts(part: str) -> set[str]:
    found: set[str] = set()
    waiting = [part]
    while waiting:
        here = waiting.pop()
        following = {
            part_of(imported.module)
            for module, imports in GRAPH.items()
            if part_of(module) == here
            for imported in imports
            if not imported.module.startswith(":")
        }
        waiting += following - found
        found |= following
    return found


def test_every_module_has_one_floor() -> None:
    assert GRAPH
    for module in GRAPH:
        floors = [floor for floor, parts in enumerate(FLOORS) if part_of(module) in parts]
        assert len(floors) == 1, f"{module}: give it its floor in FLOORS"


@pytest.mark.parametrize("module", GRAPH)
def test_a_module_imports_from_lower_floors_or_its_own_package(module: str) -> None:
    wrong = [
        imported.module
        for imported in GRAPH[module]
        if not imported.module.startswith(":")
        and part_of(imported.module) != part_of(module)
        and floor_of(imported.module) >= floor_of(module)
    ]
    assert not wrong


def test_no_module_imports_itself_by_way_of_others() -> None:
    # Names that only annotations use may point back, as from the checks of a ruleset to the ruleset.
    graph = {
        module: {imported.module for imported in imports if imported.when != "for typing"}
        for module, imports in GRAPH.items()
    }
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f"cycle: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize("part", NEVER_REACHES)
def test_independent_routes_share_no_code(part: str) -> None:
    assert not reached_parts(part) & NEVER_REACHES[part]


@pytest.mark.parametrize("module", GRAPH)
def test_third_party_packages_are_imported_only_where_allowed(module: str) -> None:
    for imported in GRAPH[module]:
        package = imported.module.removeprefix(":")
        if not imported.module.startswith(":") or package in sys.stdlib_module_names:
            continue
        assert part_of(module) in USERS.get(package, set()), f"{module} may not import {package}"
        if imported.when == "at the top":
            assert part_of(module) in AT_THE_TOP.get(package, set()), f"{module}: import {package} where it is used"


HEAVY = {"numba", "polars", "sympy", "scipy", "matplotlib", "rich"}
LIGHT_WORK = {
    "import the package": ("import dice10k_math", HEAVY | {"numpy", "click"}),
    "list its names": ("import dice10k_math; dir(dice10k_math)", HEAVY | {"numpy", "click"}),
    "odds": (
        "import dice10k_math as d10; rules = d10.load_rules('dice10k'); d10.bust_odds(rules), d10.mean_best_score(rules)",
        HEAVY | {"numpy", "click"},
    ),
    "keeps": (
        "from dice10k_math import legal_keeps, load_rules; legal_keeps(load_rules('dice10k'), (1, 1, 5))",
        HEAVY | {"numpy", "click"},
    ),
    "best turn": ("import dice10k_math as d10; d10.solve_turn(d10.load_rules('farkle'), score=1000)", HEAVY),
}


@pytest.mark.parametrize("work", LIGHT_WORK)
def test_light_work_does_not_load_heavy_packages(work: str) -> None:
    code, unwanted = LIGHT_WORK[work]
    code += "; import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    path = {"PYTHONPATH": str(SOURCES.parent)}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=path)
    assert not unwanted & set(done.stdout.split())


SAMPLE = """
import numba
from dice10k_math import bust_odds, __version__
from dice10k_math.rules.model import Ruleset
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import polars
def late():
    import dice10k_math.solve.exact
    from dice10k_math import errors
"""


def test_imports_are_read_from_a_source() -> None:
    found = set(imports_in(SAMPLE, {"odds", "rules", "rules.model", "solve", "solve.exact", "errors"}))
    assert found == {
        Import(":numba", "at the top"),
        Import("odds", "at the top"),
        Import("rules.model", "at the top"),
        Import(":typing", "at the top"),
        Import(":polars", "for typing"),
        Import("solve.exact", "in a function"),
        Import("errors", "in a function"),
    }

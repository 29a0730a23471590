"""The public names: those that are promised, importable, and documented with an example."""

from __future__ import annotations

import inspect
import pickle
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dice10k_math

# The names that users call by contract; those in LATER are promised and not there yet.
PROMISED = {
    "load_rules",
    "builtin_rulesets",
    "legal_keeps",
    "bust_odds",
    "score_distribution",
    "solve_turn",
    "solve_solo",
    "solve_match",
    "evaluate",
    "best_response",
    "simulate",
}
LATER: set[str] = set()
PUBLIC = [name for name in dice10k_math.__all__ if name != "__version__"]


def test_promised_names_are_exported() -> None:
    assert set(PUBLIC) & PROMISED == PROMISED - LATER, "a promised name is missing, or has come and is still in LATER"


def test_names_are_listed_once_each() -> None:
    assert len(PUBLIC) == len(set(PUBLIC))
    assert set(dir(dice10k_math)) == set(dice10k_math.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_can_be_imported_from_the_package_and_from_its_home(name: str) -> None:
    home = import_module(f"dice10k_math.{dice10k_math._HOME[name]}")
    assert getattr(dice10k_math, name) is getattr(home, name)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_told_to_type_checkers(name: str) -> None:
    source = inspect.getsource(dice10k_math)
    assert re.search(
        rf"^    from dice10k_math\.{dice10k_math._HOME[name]} import {name} as {name}$", source, re.MULTILINE
    )


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_a_docstring(name: str) -> None:
    # A frozen dataclass without a docstring would get its signature as one.
    documented = getattr(dice10k_math, name).__doc__
    assert documented
    assert not documented.startswith(f"{name}(")


@pytest.mark.parametrize("name", [name for name in PUBLIC if inspect.isfunction(getattr(dice10k_math, name))])
def test_every_public_function_has_an_example_and_full_annotations(name: str) -> None:
    function = getattr(dice10k_math, name)
    assert re.search(r"^Examples\n-{8}\n>>> ", inspect.getdoc(function) or "", re.MULTILINE)
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in signature.parameters.values())


@pytest.mark.parametrize("name", [name for name in PUBLIC if name.endswith("Error")])
def test_errors_are_children_of_the_base_error_and_can_be_pickled(name: str) -> None:
    error = getattr(dice10k_math, name)("what, where, what is allowed")
    assert isinstance(error, dice10k_math.Dice10kError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_unknown_names_are_refused_in_the_words_of_python() -> None:
    with pytest.raises(AttributeError, match="module 'dice10k_math' has no attribute 'solve_chess'"):
        dice10k_math.solve_chess  # noqa: B018 - reading it is the test


def test_star_import_brings_all_public_names() -> None:
    code = "from dice10k_math import *; print(*globals())"
    path = {"PYTHONPATH": str(Path(dice10k_math.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=path)
    assert set(PUBLIC) <= set(done.stdout.split())

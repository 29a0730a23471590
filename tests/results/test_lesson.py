"""The lesson runs, its notebook and its page hold what it shows, and the notebook is one."""

from __future__ import annotations

import doctest
import json
from functools import cache
from typing import Any

import pytest
from docs.generator import notebook
from docs.generator.lesson import LESSON, Code, Words


@cache
def executed() -> list[tuple[Words | Code, list[notebook.Step]]]:
    return notebook.executed()


def test_the_notebook_is_the_lesson_with_its_outputs() -> None:
    assert notebook.NOTEBOOK.read_text(encoding="utf-8") == notebook.notebook(executed()), (
        "run: python docs/generate.py"
    )


def test_the_page_is_the_lesson_with_its_outputs() -> None:
    assert notebook.PAGE.read_text(encoding="utf-8") == notebook.dialogue(executed()), "run: python docs/generate.py"


def test_the_notebook_has_the_form_of_notebooks() -> None:
    document: dict[str, Any] = json.loads(notebook.NOTEBOOK.read_text(encoding="utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"]) == len(LESSON)
    for cell in document["cells"]:
        expected = {"cell_type", "id", "metadata", "source"}
        assert set(cell) == expected | ({"execution_count", "outputs"} if cell["cell_type"] == "code" else set())


def test_the_cells_can_be_run_anew() -> None:
    """Run the notebook as it stands in its file, cell by cell, and compare what it prints with what it holds."""
    names: dict[str, Any] = {"__name__": "__main__"}
    document: dict[str, Any] = json.loads(notebook.NOTEBOOK.read_text(encoding="utf-8"))
    for cell in document["cells"][:12]:
        if cell["cell_type"] == "code":
            shown = "".join(output for _, output in notebook.run("".join(cell["source"]), names))
            assert shown == "".join(line for output in cell["outputs"] for line in output["text"])


def test_the_page_is_dialogues_that_doctest_can_read() -> None:
    examples = doctest.DocTestParser().get_examples(notebook.PAGE.read_text(encoding="utf-8").replace("```", ""))
    statements = [source for part, steps in executed() if isinstance(part, Code) for source, _ in steps]
    assert len(examples) == len(statements)


def test_what_is_shown_agrees_on_both_sides() -> None:
    """The lesson's own numbers and the library's stand side by side; both were printed."""
    shown = "".join(output for _, steps in executed() for _, output in steps)
    assert "False" not in shown.replace("True\nFalse\n", "", 1)
    assert shown.count("True") >= 6


def test_only_the_end_of_a_cell_is_an_expression_that_is_shown() -> None:
    import ast

    for part in LESSON:
        if isinstance(part, Code):
            body = ast.parse(part.text.strip("\n")).body
            values = [node for node in body if isinstance(node, ast.Expr) and not _is_print(node.value)]
            assert not values, "a notebook shows the last of them only"


def _is_print(node: Any) -> bool:
    return bool(getattr(getattr(node, "func", None), "id", "") == "print")


@pytest.mark.slow
def test_jupyter_gives_the_same_outputs() -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    kept = nbformat.read(notebook.NOTEBOOK, as_version=4)
    nbformat.validate(kept)
    fresh = nbformat.read(notebook.NOTEBOOK, as_version=4)
    client.NotebookClient(fresh, timeout=600).execute()
    for old, new in zip(kept.cells, fresh.cells, strict=True):
        assert _text(old) == _text(new)


def _text(cell: Any) -> str:
    """Return what a cell prints; a kernel may hand it over in parts."""
    return "".join(output["text"] for output in cell.get("outputs", []))

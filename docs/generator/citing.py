"""The page about citing, with what its commands print."""

from __future__ import annotations

import contextlib
import io
import shlex

from dice10k_math.citing.questions import QUESTIONS
from dice10k_math.cli import main
from docs.generator.text import DOCS, MADE, grid, identifier, page


def console(*commands: str) -> str:
    """Return a console block with commands and what they print, run where the tables are."""
    lines = []
    with contextlib.chdir(DOCS.parent):
        for command in commands:
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                main(shlex.split(command.replace("\\\n> ", ""))[1:])
            lines.append(f"$ {command}\n{out.getvalue()}")
    return "```console\n" + "\n".join(lines) + "```"


def citing_page() -> str:
    """Return the page."""
    cited = identifier("farkle", "match", "score=4200", "opponent=7000").strip("`")
    other = cited.replace(":0.", ":9.", 1)
    return page(
        MADE,
        "# How to cite a number",
        "Every number of this package can be cited by an identifier, and looked up again by it. "
        "The package itself is cited by its `CITATION.cff`.",
        "## Get an identifier",
        console("dice10k-math cite farkle match score=4200 opponent=7000"),
        "The last two lines are made to be copied: the number with the digits that are proved, the version, and the identifier. "
        "The folder `tables` is read if it is there and holds the answer for these very rules; otherwise it is computed. `--tables DIR` names another folder.",
        "An identifier says",
        "\n".join(
            (
                "- the version of the package,",
                "- the ruleset, with the first digits of its fingerprint, the SHA-256 of the canonical rules text (`dice10k-math rules show`),",
                "- the question,",
                "- its arguments; what is left out is at its default.",
            )
        ),
        "So a number cannot be mistaken for that of a house rule, or of a later correction of the rules.",
        "## Look it up",
        "With `--value` the printed number is compared to its last digit; the exit code says whether it agrees.",
        console(f"dice10k-math lookup --value 0.1528 \\\n> {cited}"),
        "Another version of the package gives its own number and says so, and rules with another fingerprint are refused: give the rules file with `--rules FILE`, "
        "or the folder of tables that keeps its rules with `--tables DIR`.",
        console(
            f"dice10k-math lookup \\\n> {other}",
            f"dice10k-math lookup \\\n> {cited.replace(':farkle:e', ':farkle:0')}",
        ),
        "## What can be asked",
        grid(["question", "number", "unit", "arguments"], map(list, _questions()), left=4),
        "`opened` and `second` are `yes` or `no`; `hand` is the spicy faces of the dice, such as `12`, for rulesets with spicy dice, in place of `dice`. "
        "From Python: `cite` and `look_up`.",
        "## Cite a table",
        "Each file of `tables/` has its SHA-256, its ruleset's fingerprint and the package version in `tables/manifest.json`: cite the file's name with its SHA-256. "
        "`dice10k-math tables verify` checks a copy against them.",
    )


def _questions() -> list[tuple[str, str, str, str]]:
    return [
        (f"`{one.name}`", one.meaning, one.unit, ", ".join(f"`{argument.name}`" for argument in one.arguments))
        for one in QUESTIONS.values()
    ]

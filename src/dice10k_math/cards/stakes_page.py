"""What a card says about offers: what banks leave, which to take over, how to reach the target, the last turn."""

from __future__ import annotations

from collections.abc import Iterator

from dice10k_math.cards.blocks import Block, Paragraph, Table
from dice10k_math.cards.search import Cell, Findings
from dice10k_math.policy import NEVER, RollCounts
from dice10k_math.policy.thresholds import ByDice
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.steps import point_step

SCORES = (100, 200, 300, 400, 500, 600, 800, 1000, 1500, 2000, 3000)
"""Turn scores that are listed."""


def each_roll(rules: Ruleset, found: Findings) -> Iterator[Block]:
    """Lay out what rolling on and banking count, where a bank leaves something to the other."""
    yield Paragraph(
        "For each keep, look up your turn score with it and the dice left: first what rolling on counts, then what a "
        "bank counts, as the next player may take over what you leave. Take what counts most; bank if both are equal."
    )
    lefts, taken = range(rules.turn.dice, 0, -1), dict(found.take)
    rows = [
        ("rolling counts", *(_line(found.counts, left) for left in lefts)),
        (f"a bank loses {found.leave}% above", *(f"{taken[left]:,}" for left in lefts)),
    ]
    scores = (score for score in SCORES if score % point_step(rules) == 0)
    rows += [(f"{score:,}", *(_both(found, score, left) for left in lefts)) for score in scores]
    yield Table(("turn score", *map(_dice, lefts)), tuple(rows))


def _line(counts: RollCounts, left: int) -> str:
    return f"{counts.points[left - 1]} + {counts.percent[left - 1]}%"


def _both(found: Findings, score: int, left: int) -> str:
    """Return what rolling on and banking count, rounded to 5 points."""
    rolling = 5 * round(found.counts.hundredfold(score, left) / 500)
    banking = 5 * round((100 * score - found.leave * max(0, score - dict(found.take)[left])) / 500)
    return f"{rolling:,} / {banking:,}"


def _dice(left: int) -> str:
    return f"{left} {'dice' if left > 1 else 'die'}"


def offers(found: Findings) -> Iterator[Block]:
    """Lay out which offers to take over."""
    yield Paragraph("When a turn is offered to you", heading=True)
    first = dict(found.opening_take or found.take)
    yield Paragraph(
        "Take it over from this turn score on. While you have no points the second row counts, also for what a bank "
        "loses."
    )
    usual = (f"{least:,}" if dice > 1 else "see below" for dice, least in found.take)
    rows = ("from", *usual), ("no points yet", *(f"{first[dice]:,}" for dice, _ in found.take))
    yield Table(("dice", *(str(dice) for dice, _ in found.take)), rows)


def changes(found: Findings) -> Iterator[Block]:
    """Lay out what changes by both scores."""
    yield Paragraph("By your score (left) and the other's (top)", heading=True)
    yield Paragraph(
        "Add the first number to what rolling on counts, once you have points. The second is for one die: take over "
        "from there on, and a bank with one die left loses of what is above that (x: never, nothing)."
    )
    rows = zip(found.edges, found.cells(0), strict=True)
    yield Table(
        ("your score from", *(f"{edge:,}" for edge in found.edges)),
        tuple((f"{edge:,}", *map(_cell, row)) for edge, row in rows),
    )


def _cell(cell: Cell) -> str:
    least = "x" if cell.one_die in (None, NEVER) else f"{cell.one_die:,}"
    return f"{cell.bold:+} / {least}" if cell.bold else f"0 / {least}"


def the_end(rules: Ruleset, found: Findings) -> Iterator[Block]:
    """Lay out how to reach the target, and the last turn."""
    target = rules.ending.target
    yield Paragraph("The end", heading=True)
    if not found.last_take:
        yield Paragraph("Bank at once what reaches the target.")
        return
    yield Paragraph(
        f"While the other still has a turn after it, bank what reaches {target:,} only if you then lead by "
        f"{found.lead:,} or more, and only with dice left for which your lead before this turn was at least this, or "
        "you were at least so far behind. Such a bank loses nothing: it counts your whole turn score."
    )
    far = dict(found.far)
    rows = [("lead before", *(_lead(lead, target) for _, lead in found.reach))]
    if far:
        rows.append(("or behind by", *(f"{far[dice]:,}" if dice in far else "" for dice, _ in found.reach)))
    yield Table(("dice left", *(str(dice) for dice, _ in found.reach)), tuple(rows))
    yield Paragraph(
        "In your last turn take over an offer from these turn scores on (x: never), by how far you are behind. Roll on "
        "until you are ahead; bank a tie only with one die left."
    )
    lefts = range(rules.turn.dice, 0, -1)
    yield Table(
        ("behind by, from", *map(_dice, lefts)),
        tuple((f"{behind:,}", *(_least(take, left) for left in lefts)) for behind, take in found.last_take),
    )
    if found.last is not None:
        yield Paragraph("There, take the keep for which turn score plus this is greatest.")
        yield Table(("dice left", *map(str, lefts)), (("add", *(str(found.last.dice_left[n - 1]) for n in lefts)),))


def _lead(lead: int, target: int) -> str:
    return "any" if lead <= -target else f"{lead:,}"


def _least(take: ByDice, left: int) -> str:
    least = dict(take).get(left)
    return "x" if least is None else f"{least:,}"

"""What stands on a card: paragraphs and tables, to be written or drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dice10k_math.cards import stakes_page
from dice10k_math.cards.approach import approach
from dice10k_math.cards.blocks import Block, Paragraph, Table
from dice10k_math.cards.card import Card, has_match
from dice10k_math.cards.search import Cell
from dice10k_math.policy import RollCounts
from dice10k_math.rules.steps import bank_step, point_step
from dice10k_math.scoring import full_hand, keeps_of
from dice10k_math.turn import bank_rule

SCORES = (50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 800, 1000, 1500)
"""Turn scores that are listed."""
FEW_SCORES = (100, 200, 300, 500, 1000)
"""Those that are where there is much else to tell."""
FIRST_ROLLS = ((1, 5), (1, 1), (5, 5), (1, 1, 5), (1, 5, 5), (2, 2, 2), (2, 2, 2, 5), (2, 2, 2, 1), (3, 3, 3, 5))
"""Scoring dice of first rolls for which the card says what to keep."""


@dataclass(frozen=True, slots=True)
class Page:
    """A card, ready to be written."""

    title: str
    blocks: tuple[Block, ...]


def page_of(card: Card) -> Page:
    """Lay out a card."""
    rules = card.rules
    return Page(f"{rules.title} ({rules.name}): a card to play by", tuple(_blocks(card)))


def _blocks(card: Card) -> Iterator[Block]:
    found = card.findings
    yield Paragraph("Each roll", heading=True)
    if found.leave:
        yield from _with_offers(card)
        return
    yield Paragraph(
        "For each keep, look up your turn score with it and the dice left: what rolling on counts. "
        "Of the keeps, take the one that counts most. Bank instead if your turn score then is at least that much."
    )
    yield _counts_table(card, found.counts)
    yield from _special_counts(card)
    yield from _first_rolls(card)
    yield from _changes(card)
    if found.near is None:
        yield from _last_turn(card)
    else:
        yield from approach(found.near, card.rules.ending.target)
    yield from _offers(card)
    yield Paragraph("What it gives away", heading=True)
    yield from _given_away(card)


def _with_offers(card: Card) -> Iterator[Block]:
    """Lay out a card that weighs what a bank leaves to the other."""
    rules, found = card.rules, card.findings
    yield from stakes_page.each_roll(rules, found)
    yield from _special_counts(card)
    yield from _first_rolls(card)
    yield from stakes_page.offers(found)
    yield from stakes_page.changes(found)
    yield from stakes_page.the_end(rules, found)
    yield Paragraph("What it gives away", heading=True)
    yield from _given_away(card)


def count(counts: RollCounts, turn_score: int, dice: int) -> int:
    """Return what rolling on counts, rounded to 5 points.

    Examples
    --------
    >>> count(RollCounts((195, 110), (30, 54)), 300, 2)
    270
    """
    return 5 * round(counts.hundredfold(turn_score, dice) / 500)


def bank_from(counts: RollCounts, dice: int, step: int, most: int = 20_000) -> int | None:
    """Return the least turn score that counts as much as rolling on; None: there is none up to `most`.

    Examples
    --------
    >>> bank_from(RollCounts((195, 110), (30, 54)), 2, 50)
    250
    """
    return next((t for t in range(step, most, step) if 100 * t >= counts.hundredfold(t, dice)), None)


def _counts_table(card: Card, counts: RollCounts) -> Table:
    dice, step = card.rules.turn.dice, point_step(card.rules)
    lefts = range(dice, 0, -1)
    rows = [("rolling counts", *(f"{counts.points[left - 1]} + {counts.percent[left - 1]}%" for left in lefts))]
    limits = {left: bank_from(counts, left, step) for left in lefts}
    rows.append(("bank from", *(_or_never(limits[left]) for left in lefts)))
    for score in SCORES if card.findings.near is None else FEW_SCORES:
        if score % step == 0:
            cells = (count(counts, score, left) for left in lefts)
            banks = ((limits[left] or score + 1) <= score for left in lefts)
            rows.append((f"{score:,}", *("bank" if bank else f"{n:,}" for n, bank in zip(cells, banks, strict=True))))
    return Table(("turn score", *(f"{left} {'dice' if left > 1 else 'die'}" for left in lefts)), tuple(rows))


def _or_never(points: int | None) -> str:
    return "never" if points is None else f"{points:,}"


def _special_counts(card: Card) -> Iterator[Block]:
    found, rows = card.findings, []
    lefts = range(card.rules.turn.dice, 0, -1)
    for name, counts in (("while you have no points", found.opening),):
        if counts is not None:
            rows.append((name, *(f"{counts.points[left - 1]} + {counts.percent[left - 1]}%" for left in lefts)))
    if rows:
        yield Table(("instead, rolling counts", *(str(left) for left in lefts)), tuple(rows))
    offs = found.counts.offs
    if any(offs):
        listed = ", ".join(f"{offs[left - 1]} with {left}" for left in lefts if offs[left - 1])
        taken = f"{offs[0]}" if len(set(offs)) == 1 else f"{listed} dice left"
        yield Paragraph(
            f"Where the turn score is no multiple of {bank_step(card.rules)}, take this off what counts: {taken}."
        )


def _first_rolls(card: Card) -> Iterator[Block]:
    first = _first_keeps(card)
    if first:
        yield Table(
            ("first roll shows", *(_faces(shown) for shown, _ in first)),
            (("keep", *(_faces(keep) for _, keep in first)),),
        )


def _first_keeps(card: Card) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return what to keep of a first roll that shows these scoring dice, by the usual counts."""
    rules = card.rules
    hand = full_hand(rules)
    if rules.variants.spicy_faces is not None:
        return []
    found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    for shown in FIRST_ROLLS:
        roll = _with_blanks(card, shown)
        if roll is not None:
            keep = max(
                keeps_of(rules, hand, roll),
                key=lambda each: card.findings.counts.hundredfold(each.points, each.dice_left or len(hand)),
            )
            found.append((shown, keep.dice))
    return found


def _with_blanks(card: Card, shown: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return a roll that shows these dice and others that add no keep; None: there is none."""
    rules, hand = card.rules, full_hand(card.rules)
    blanks = [face for face in (4, 6, 4, 2, 3) if face not in shown]
    roll = tuple(sorted((*shown, *blanks[: len(hand) - len(shown)])))
    kept = {die for keep in keeps_of(rules, hand, roll) for die in keep.dice}
    return roll if kept == set(shown) else None


def _faces(dice: tuple[int, ...]) -> str:
    return " ".join(map(str, dice))


def _changes(card: Card) -> Iterator[Block]:
    found = card.findings
    tables = [found.cells(phase) for phase in range(len(found.bold))]
    cells = {cell for table in tables for row in table for cell in row}
    if not any(cell.bold or cell.goal for cell in cells):
        return
    yield Paragraph("Near the end, ahead and behind", heading=True)
    text = "Add this to what rolling on counts, by your score (left) and the other's (top)."
    if any(cell.goal for cell in cells):
        text += f" With a star: bank nothing that does not reach {card.rules.ending.target:,}."
    yield Paragraph(text)
    for number, table in enumerate(tables):
        names = ("your score, first in the round", "your score, second in the round")
        name = names[number] if len(found.bold) > 1 else "your score"
        rows = tuple((f"{edge:,}", *map(_cell, row)) for edge, row in zip(found.edges, table, strict=True))
        yield Table((f"{name} from", *(f"{edge:,}" for edge in found.edges)), rows)


def _cell(cell: Cell) -> str:
    return (f"{cell.bold:+}" if cell.bold else "0") + "*" * cell.goal


def _last_turn(card: Card) -> Iterator[Block]:
    last, ending = card.findings.last, card.rules.ending
    yield Paragraph("The end", heading=True)
    if ending.kind == "exact":
        yield Paragraph(_exactly(card))
        return
    if ending.kind == "first_to_target":
        yield Paragraph("Bank at once what reaches the target.")
        return
    if card.findings.lead:
        yield Paragraph(
            f"While the others still have a turn after it, bank nothing that reaches {ending.target:,} "
            f"unless you then lead by {card.findings.lead:,} or more."
        )
    yield Paragraph("In your last turn roll on until you are ahead; bank a tie only with one die left.")
    if last is not None:
        yield Paragraph("There, take the keep for which turn score plus this is greatest.")
        lefts = range(card.rules.turn.dice, 0, -1)
        yield Table(("dice left", *map(str, lefts)), (("add", *(str(last.dice_left[left - 1]) for left in lefts)),))


def _exactly(card: Card) -> str:
    rules = card.rules
    least = bank_rule(rules, rules.ending.target, opened=True).minimum
    text = (
        f"Bank at once what lands on {rules.ending.target:,}. Bank nothing that passes it while you are {least:,} "
        f"or more away, in steps of {bank_step(rules)}: one turn can still hit it."
    )
    if rules.ending.overshoot == "add_or_subtract":
        text += (
            f" Above it, add or subtract so as to land nearest to it, but not nearer than {least:,}, "
            "unless you land on it."
        )
    return text


def _offers(card: Card) -> Iterator[Block]:
    take = card.findings.take
    if take:
        yield Paragraph("When a turn is offered to you", heading=True)
        yield Paragraph("Take it over from this turn score on.")
        yield Table(("dice", *(str(dice) for dice, _ in take)), (("from", *(f"{points:,}" for _, points in take)),))


def _given_away(card: Card) -> Iterator[Block]:
    points, wins = card.points, card.wins
    yield Paragraph(
        f"Points: a turn by the first table brings {points.card:.2f} on average at a score of {points.score:,}; "
        f"the best turn brings {points.best:.2f}, so {points.best - points.card:.2f} are given away."
    )
    if wins is None and (card.findings.leave or card.findings.near):
        yield Paragraph("Wins: to tell what is given away takes the solved match, and minutes.")
        return
    if wins is None:
        yield Paragraph("Wins: not known, as the match of two is not part of this card; it aims for points alone.")
        return
    if not has_match(card.rules) and card.findings.near is None and not card.findings.leave:
        yield Paragraph("This card aims for points alone; what is best near the end of a match is not on it.")
    yield Paragraph(
        "Wins, against an opponent who knows this card and plays best against it: "
        f"{wins.first:.3%} with the first turn (best play {wins.best_first:.3%}), "
        f"{wins.second:.3%} with the second (best play {1 - wins.best_first:.3%}). "
        f"So {wins.given_away:.3%} is given away."
    )

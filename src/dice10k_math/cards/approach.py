"""What a card says about a target that must be hit: places, where rolling leads, and how bold to be far away."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from dice10k_math.cards.blocks import Block, Paragraph, Table
from dice10k_math.cards.near import HOPES, PLACES, Near, Zone
from dice10k_math.policy import Reach
from dice10k_math.policy.keeping import WINS

BLOCKS = 3
"""Parts of a long chart that stand side by side."""


def approach(near: Near, target: int) -> Iterator[Block]:
    """Lay out what counts on the way to a target that must be hit.

    Parameters
    ----------
    near
        What the card says.
    target
        The target.
    """
    landing, *zones = near.zones
    last, step = zones[-1], landing.places[0].step
    yield Paragraph(f"{last.below:,} or more away", heading=True)
    yield Paragraph("Add this to what rolling on counts, by your score (top) and where the other stands (left).")
    yield _far(near, target - last.below, step)
    yield Paragraph(
        f"Bank at once what lands on {target:,}, and nothing that passes it. So far past it, subtract so as to land "
        "nearest to it, but not nearer than the least bank unless you land on it."
    )
    yield Paragraph(f"Less than {last.below:,} away, on either side of {target:,}", heading=True)
    yield Paragraph(
        f"Now count wins of {WINS:,} matches, not points, by where the other stands (A to {_letters(near)[-1]} as "
        "above). A bank is worth the place it leads to. To roll on is worth your present place and more: "
        f"22+65 in the chart says 22% of what your place lacks to {WINS:,}, and 65% of what it lacks to the hope. "
        "Take what is worth most. Between two columns or rows take what lies between; beyond the last, that one."
    )
    yield _places(near, step)
    yield Paragraph("The hope, by chart (1 to 3, see below) and by what is left after the keep:")
    yield _hopes(near, zones, step)
    for number, zone in enumerate(zones):
        start = f"less than {zone.below:,} away" if number == 0 else f"from there to less than {zone.below:,}"
        kind = ", by what is left (minus: past it) and the dice left" if number == 0 else ""
        yield Paragraph(f"Chart {number + 1}, {start}{kind}{_between(zone)}:")
        yield _chart(zone)
    yield Paragraph(
        f"Less than {landing.below:,} away nothing counts but to land, with these chances in percent, and none "
        "elsewhere. Once past the target go by chart 1."
    )
    yield _landing(landing)


def _letters(near: Near) -> list[str]:
    return [chr(ord("A") + number) for number in range(len(near.rivals))]


def _far(near: Near, most: int, step: int) -> Table:
    ends = (f"to {min(edge - step, most):,}" for edge in near.edges)
    rows = tuple(
        (f"{letter}: {rival.name}", *(f"{row[number]:+}" if row[number] else "0" for row in near.bold))
        for number, (letter, rival) in enumerate(zip(_letters(near), near.rivals, strict=True))
    )
    return Table(("the other stands", *ends), rows)


def _places(near: Near, step: int) -> Table:
    told = [place for place in PLACES if 0 < place < len(near.zones[0].places[0].worth)]
    rows = zip(_letters(near), near.zones[0].places, strict=True)
    return Table(
        (f"away, in {step}s", *(str(place) for place in told)),
        tuple((letter, *(str(each.worth[place]) for place in told)) for letter, each in rows),
    )


def _hopes(near: Near, zones: list[Zone], step: int) -> Table:
    """Lay out what good places are worth, chart by chart side by side."""
    heads, columns = ["hope, left"], []
    for number, zone in enumerate(zones, 1):
        known = [{row.left: row.hope for row in places.rows} for places in zone.places]
        told = [hope * step for hope in HOPES if hope * step in known[0]]
        heads += [f"{number}: {told[0]:,}", *(f"{left:,}" for left in told[1:])]
        columns.append([[str(hope[left]) for left in told] for hope in known])
    rows = zip(_letters(near), zip(*columns, strict=True), strict=True)
    return Table(tuple(heads), tuple((letter, *chain.from_iterable(parts)) for letter, parts in rows))


def _between(zone: Zone) -> str:
    """Tell what is taken off where what is left is between two places."""
    between = zone.places[0].between
    if not between:
        return ""
    step, dice = zone.places[0].step, range(len(between), 0, -1)
    listed = ", ".join(f"{between[left - 1]} with {left}" for left in dice if between[left - 1])
    return f"; where what is left is no multiple of {step} and has no row, the second number is less: {listed} dice"


def _chart(zone: Zone) -> Table:
    """Lay out where rolling leads, in parts side by side."""
    rows = zone.places[0].rows
    height = -(-len(rows) // BLOCKS)
    names = tuple(f"{left} {'dice' if left > 1 else 'die'}" for left in range(len(rows[0].land), 0, -1))
    lines = []
    for number in range(height):
        cells = [_cells(rows[place]) for place in range(number, len(rows), height)]
        cells += [("",) * (len(names) + 1)] * (BLOCKS - len(cells))
        lines.append(tuple(cell for part in cells for cell in part))
    return Table(("left", *names) * BLOCKS, tuple(lines))


def _cells(row: Reach) -> tuple[str, ...]:
    pairs = reversed(list(zip(row.land, row.come, strict=True)))
    return (f"{row.left:,}", *(f"{land}+{come}" for land, come in pairs))


def _landing(zone: Zone) -> Table:
    shown = [row for row in zone.places[0].rows if any(row.land) and row.left > 0]
    dice = [left for left in range(len(shown[0].land), 0, -1) if any(row.land[left - 1] for row in shown)]
    rows = tuple(
        (f"{left} {'dice' if left > 1 else 'die'}", *(str(row.land[left - 1]) for row in shown)) for left in dice
    )
    return Table(("left", *(str(row.left) for row in shown)), rows)

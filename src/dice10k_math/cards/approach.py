"""What a card says about a target that must be hit: places, where rolling leads, and how bold to be far away."""

from __future__ import annotations

from collections.abc import Iterator

from dice10k_math.cards.blocks import Block, Paragraph, Table
from dice10k_math.cards.near import Near, Zone
from dice10k_math.policy import Places, Reach
from dice10k_math.policy.model import WINS


def approach(near: Near, target: int, minimum: int) -> Iterator[Block]:
    """Lay out what counts on the way to a target that must be hit.

    Parameters
    ----------
    near
        What the card says.
    target, minimum
        The target, and the least bank.
    """
    first, *others = near.zones
    yield from _far(near, first, others, target)
    last = others[0]
    yield Paragraph(f"Less than {last.below:,} away from {target:,}, on either side", heading=True)
    yield Paragraph(
        f"Count wins of {WINS:,} matches, not points: of all keeps and banks take what is worth most. "
        "A bank is worth the place it leads to. What rolling on is worth, find by the dice and what is left to the "
        "target after the keep (minus: past it). A cell 22+65 says: from what your present place is worth go 22% of "
        f"the way to {WINS:,}, and 65% of the way to the hope. Places and hopes are by where the other stands; "
        "between two rows take what lies between."
    )
    yield _chart(near, last)
    for zone in others[1:]:
        yield Paragraph(f"From there to less than {zone.below:,} away, the same with:")
        yield _chart(near, zone)
    yield Paragraph(f"Less than {first.below:,} away", heading=True)
    yield Paragraph(
        f"The same, and nothing counts but to land: chances in percent. Bank what lands on {target:,}. Past it, bank "
        f"only if that leaves you in a better place (column {near.rivals[-1].name}); a bank is {minimum:,} or more."
    )
    yield _landing(first.places[0])


def _far(near: Near, first: Zone, others: list[Zone], target: int) -> Iterator[Block]:
    below = max(zone.below for zone in (first, *others))
    yield Paragraph(
        f"{below:,} or more away: add to what rolling on counts, by your score and the other's", heading=True
    )
    ends = [min(edge, target - below + 1) for edge in near.edges]
    rows = tuple(
        (f"below {end:,}", *(f"{bold:+}" if bold else "0" for bold in row))
        for end, row in zip(ends, near.bold, strict=True)
    )
    yield Table(("your score", *(rival.name for rival in near.rivals)), rows)


def _chart(near: Near, zone: Zone) -> Table:
    """Lay out places, hopes and where rolling leads."""
    rows = zone.places[0].rows
    dice = len(rows[0].land)
    names = [chr(ord("A") + number) for number in range(len(near.rivals))]
    heads = (
        "left",
        *(f"place {name}" for name in names),
        *(f"hope {name}" for name in names),
        *(f"{left} {'dice' if left > 1 else 'die'}" for left in range(dice, 0, -1)),
    )
    return Table(heads, tuple(_row(zone.places, number, row) for number, row in enumerate(rows)))


def _row(places: tuple[Places, ...], number: int, row: Reach) -> tuple[str, ...]:
    step = places[0].step
    known = row.left >= 0 and row.left % step == 0
    return (
        f"{row.left:,}",
        *(f"{each.standing(row.left) // 100}" if known else "" for each in places),
        *(str(each.rows[number].hope) for each in places),
        *(f"{land}+{come}" for land, come in reversed(list(zip(row.land, row.come, strict=True)))),
    )


def _landing(places: Places) -> Table:
    shown = [row for row in places.rows if any(row.land)]
    dice = len(shown[0].land)
    heads = ("dice \\ left", *(str(row.left) for row in shown))
    return Table(heads, tuple((str(left), *(str(row.land[left - 1]) for row in shown)) for left in range(dice, 0, -1)))

"""What a card says near a target that must be hit, as it stands on the page: that is enough to play by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dice10k_math.cards.near import Near, Zone, between_places, edges_of, hopes_of, knots_of, rivals_of
from dice10k_math.policy import Places, Reach
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.steps import bank_step


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of where rolling leads.

    Attributes
    ----------
    below
        It counts within this distance from the target, in points.
    hopes
        What good places are worth, by kind of rivals, with some of the rows.
    between
        What is taken off the chance to come to a place, where what is left is between two places; see `Places`.
    rows
        A line for each row: what is left, then by 1, 2, ... dice the chances to land and to come.
    """

    below: int
    hopes: tuple[tuple[int, ...], ...]
    between: tuple[int, ...]
    rows: str

    def lines(self) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
        """Return the rows: what is left, the chances to land, and to come.

        Examples
        --------
        >>> Chart(600, (), (), "0 1+2 3+4").lines()
        [(0, (1, 3), (2, 4))]
        """
        found = []
        for line in self.rows.split("\n"):
            left, *pairs = line.split()
            land, come = zip(*(tuple(map(int, pair.split("+"))) for pair in pairs), strict=True)
            found.append((int(left), land, come))
        return found


def near_of(rules: Ruleset, worths: Sequence[str], charts: Sequence[Chart], bold: tuple[tuple[int, ...], ...]) -> Near:
    """Return what a card says near the target.

    Parameters
    ----------
    rules
        The ruleset.
    worths
        For each kind of rivals what the places are worth that a card lists.
    charts
        From the nearest on. The first has the hopes of the second.
    bold
        Farther away: how much more rolling counts, by band of own scores and kind of rivals.
    """
    listed = [tuple(between_places(np.array(each.split(), np.int64)).tolist()) for each in worths]
    zones = []
    for chart, hoped in zip(charts, (charts[1], *charts[1:]), strict=True):
        rows = np.array([left for left, _, _ in hoped.lines()])
        hopes = hopes_of(np.array(hoped.hopes, float), rows, knots_of(rows, bank_step(rules))).tolist()
        zones.append(Zone(chart.below, tuple(_places(rules, chart, *each) for each in zip(listed, hopes, strict=True))))
    return Near(rivals_of(rules), tuple(zones), edges_of(rules), bold)


def _places(rules: Ruleset, chart: Chart, worths: tuple[int, ...], hopes: list[int]) -> Places:
    # The first chart has fewer rows than the second has hopes.
    rows = zip(chart.lines(), hopes, strict=False)
    reach = tuple(Reach(left, hope, land, come) for (left, land, come), hope in rows)
    return Places(bank_step(rules), worths, reach, between=chart.between)

"""The turns of a player who always plays alike at the same standing, and their endings, each followed once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from dice10k_math.endings import TurnEndings, follow_turn
from dice10k_math.plans import follow_plan, follow_worths
from dice10k_math.policy.choices import Standing, subtracts
from dice10k_math.policy.plan import Plan
from dice10k_math.policy.players import Player
from dice10k_math.policy.worths import WorthPlayer
from dice10k_math.program import Floats, Ints
from dice10k_math.turn import BankRule, bank_rule, turn_model


class Plays:
    """The turns of one player.

    Attributes
    ----------
    turns
        What each of the turns that have been asked for is played by: the key of the player, and the bank rule.
    """

    def __init__(self, player: Player) -> None:
        self.player, self.rules = player, player.rules
        self.model = turn_model(self.rules)
        self._endings: list[TurnEndings] = []
        self.turns: list[tuple[Hashable, BankRule]] = []
        # In the order of their numbers.
        self._number: dict[tuple[Hashable, BankRule, bool], int] = {}
        self._rules: dict[tuple[int, bool | None], BankRule] = {}
        self._columns: dict[int, list[tuple[Ints, Floats]]] = {}

    def number(self, standing: Standing) -> int:
        """Return the number of the turn that is played at a standing."""
        key = self.player.key(standing)
        rule = self.rule(standing.score, standing.opened)
        full = key, rule, subtracts(self.rules, standing.score)
        found = self._number.get(full)
        if found is None:
            found = self._number[full] = len(self.turns)
            self.turns.append((key, rule))
        return found

    @property
    def endings(self) -> list[TurnEndings]:
        """How each of the turns ends, followed when that is first asked."""
        if len(self._endings) < len(self.turns):
            self._endings += [self._follow(*full) for full in list(self._number)[len(self._endings) :]]
        return self._endings

    def rule(self, score: int, opened: bool | None) -> BankRule:
        """Return which turn scores the player may bank at a score."""
        found = self._rules.get((score, opened))
        if found is None:
            found = self._rules[score, opened] = bank_rule(self.rules, score, opened)
        return found

    def _follow(self, key: Hashable, rule: BankRule, subtract: bool) -> TurnEndings:
        if isinstance(key, Plan):
            return follow_plan(self.model, rule, key, subtract=subtract)
        if isinstance(self.player, WorthPlayer):
            return follow_worths(self.model, rule, self.player.worths(key), subtract=subtract)
        return follow_turn(self.model, rule, lambda situation: self.player.decide(key, situation), subtract=subtract)

    def numbers(self, standings: Iterable[Standing]) -> Ints:
        """Return the numbers of the turns at many standings."""
        return np.array([self.number(standing) for standing in standings], np.int32)

    def of(self, standing: Standing) -> TurnEndings:
        """Return how the turn at a standing ends."""
        number = self.number(standing)
        return self.endings[number]

    def banked(self, unit: int, most: int) -> tuple[Floats, Floats]:
        """Return the banks of all turns so far that add to the score.

        Parameters
        ----------
        unit
            Points between two columns.
        most
            The last column.

        Returns
        -------
        tuple of ndarrays
            Shape (turns, most + 1): probability of each bank; and shape (turns,): of greater ones.
        """
        chances, beyond = np.zeros((len(self.endings), most + 1)), np.zeros(len(self.endings))
        for number, (columns, parts) in enumerate(self._sparse(unit)):
            inside = columns <= most
            chances[number, columns[inside]] = parts[inside]
            beyond[number] = parts[~inside].sum()
        return chances, beyond

    def _sparse(self, unit: int) -> list[tuple[Ints, Floats]]:
        """Return the banks of each turn: columns and probabilities."""
        found = self._columns.setdefault(unit, [])
        for endings in self.endings[len(found) :]:
            added = [(change // unit, chance) for change, chance in endings.banked.items() if change > 0]
            columns, parts = zip(*added, strict=True) if added else ((), ())
            found.append((np.array(columns, np.int64), np.array(parts, float)))
        return found

    @property
    def ended(self) -> Floats:
        """Shape (turns, 3): probability of a bust, of an instant win, and of what is not known of the turn."""
        found = [(each.busts, each.instant_win, each.open) for each in self.endings]
        return np.array(found, float).reshape(-1, 3)

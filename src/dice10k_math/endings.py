"""How a turn ends when its player always chooses alike: the forward twin of the operator, for a given play.

States are followed in rising order of the turn score, so that each is complete when its turn comes.

*Proof.* Probabilities are whole numbers over 2**160 and every product is rounded down.
So each probability found is a lower bound, and what rounding and cut-offs have left out is known exactly: it is what
is missing to 1.
A caller that wants bounds counts it as the worst or as the best that can happen; nothing is dropped.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from math import ldexp

from dice10k_math.policy.choices import Choice, Situation, situation_of
from dice10k_math.turn import BankRule, TurnModel

BITS = 160
FAINT = 1 << (BITS - 72)
"""Probability, times 2**160, below which a state is not followed any further."""
MOST_FOLLOWED = 1_000_000
"""Turn score, in points, beyond which a turn is not followed any further."""
NOTHING = 2.0**-52

Choose = Callable[[Situation], Choice]
State = tuple[int, int, int]
"""(turn score, hot dice, hand)"""


@dataclass(frozen=True, slots=True)
class TurnEndings:
    """Probabilities of the ways in which a turn ends, each rounded down.

    Attributes
    ----------
    banked
        Change of the score by a bank, in points (below 0 where the turn score is subtracted), to its probability; in
        rising order.
    bust
        Busts with fewer dice than all.
    bust_on_six
        Busts with all dice.
    instant_win
        Six spicy dice.
    open
        At least what the others are short of 1: roundings, and turns that were not followed to their end.
    """

    banked: dict[int, float]
    bust: float
    bust_on_six: float
    instant_win: float
    open: float

    @property
    def busts(self) -> float:
        """Probability of a bust of either kind."""
        return self.bust + self.bust_on_six

    @property
    def mean(self) -> float:
        """Points that the turn banks on average, a bust counting as none."""
        return sum(change * chance for change, chance in self.banked.items())


def follow_turn(model: TurnModel, rule: BankRule, choose: Choose, *, subtract: bool = False) -> TurnEndings:
    """Return how the turn ends.

    Parameters
    ----------
    model
        The turn.
    rule
        Which turn scores may be banked.
    choose
        The play.
    subtract
        Whether a bank may be subtracted.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> from dice10k_math.turn import bank_rule, turn_model
    >>> rules = load_rules("des-10000")
    >>> endings = follow_turn(turn_model(rules), bank_rule(rules), lambda situation: situation.choices[0])
    >>> round(endings.bust_on_six, 9) == round(5 / 216, 9), endings.bust, endings.open < 1e-15
    (True, 0.0, True)
    """
    arriving: dict[State, int] = {(0, 0, model.full): 1 << BITS}
    waiting = [(0, 0, model.full)]
    index = {hand.hand: number for number, hand in enumerate(model.hands)}
    banked: dict[int, int] = defaultdict(int)
    bust = bust_on_six = instant_win = 0
    while waiting:
        state = heappop(waiting)
        mass = arriving.pop(state)
        if mass < FAINT or state[0] > MOST_FOLLOWED:
            continue
        hand = model.hands[state[2]]
        lost = mass * hand.bust // hand.outcomes
        bust, bust_on_six = (bust, bust_on_six + lost) if state[2] == model.full else (bust + lost, bust_on_six)
        instant_win += mass * hand.instant_win // hand.outcomes
        for choice, weight in _chosen(model, rule, state, choose, subtract=subtract).items():
            part = mass * weight // hand.outcomes
            if choice.then != "roll":
                banked[choice.turn_score if choice.then == "bank" else -choice.turn_score] += part
                continue
            hot_dice = choice.hot_dice if model.bonus else 0
            following = choice.turn_score, hot_dice, index[choice.hand]
            if following not in arriving:
                heappush(waiting, following)
                arriving[following] = 0
            arriving[following] += part
    return rounded(banked, bust, bust_on_six, instant_win)


def _chosen(model: TurnModel, rule: BankRule, state: State, choose: Choose, *, subtract: bool) -> dict[Choice, int]:
    """Return what is chosen after rolling, each with the number of outcomes after which it is."""
    hand = model.hands[state[2]]
    found: dict[Choice, int] = defaultdict(int)
    for roll in hand.classes:
        entries = [hand.entries[number] for number in roll.entries]
        situation = situation_of(model, rule, state, entries, subtract=subtract)
        if situation.choices:
            found[choose(situation)] += roll.weight
    return found


def rounded(banked: dict[int, int], *ended: int, bits: int = BITS) -> TurnEndings:
    """Return probabilities that are whole numbers over a power of 2, rounded down; what is missing to 1 rounded up."""
    chances = {change: _down(banked[change], bits) for change in sorted(banked) if banked[change]}
    bust, bust_on_six, instant_win = (_down(mass, bits) for mass in ended)
    found = sum(int(ldexp(chance, BITS)) for chance in (*chances.values(), bust, bust_on_six, instant_win))
    # A float that was cut to a whole number here is short by less than the unit that is added for each.
    left = ldexp(float((1 << BITS) - found), -BITS) + (len(chances) + 3) * ldexp(1.0, -BITS)
    return TurnEndings(chances, bust, bust_on_six, instant_win, left * (1.0 + NOTHING))


def _down(mass: int, bits: int) -> float:
    """Return the greatest float that is at most a whole number over a power of 2."""
    surplus = max(0, mass.bit_length() - 53)
    return ldexp(float(mass >> surplus), surplus - bits)

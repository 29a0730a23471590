"""Two players at a small target: bounds of every win probability in fractions, judged in whole numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from dice10k_math.certify.exact import ExactVerdict
from dice10k_math.errors import InputError, NotConvergedError
from dice10k_math.explicit.claims import Claims
from dice10k_math.explicit.match import ExplicitMatch, Layout, layout_of
from dice10k_math.explicit.stakes import StakesMatch
from dice10k_math.explicit.stakes_claims import StakesClaims
from dice10k_math.odds import hand_of
from dice10k_math.questions.match import check_match
from dice10k_math.questions.stakes import check_offer
from dice10k_math.rules import bank_step, least_reaching
from dice10k_math.rules.model import Ruleset
from dice10k_math.solve.growth import REMEDY, hot_dice_chance
from dice10k_math.stakes import StakesRace, check_solved
from dice10k_math.turn import turn_model
from dice10k_math.workers import Progress, part_of

MOST_WORK = 30_000_000
"""Turn starts times after-states up to which a match is judged in whole numbers."""
MOST_STAKES = 3 * 10**9
"""With High Stakes: turn starts times turn scores times choices after a roll."""
JUDGING = "judging in whole numbers"


@dataclass(frozen=True, slots=True)
class FractionBounds:
    """Win probability of the player to move, in fractions that are proved: `lower` <= true value <= `upper`."""

    lower: Fraction
    upper: Fraction

    @property
    def exact(self) -> Fraction | None:
        """The win probability itself, where the bounds meet; else None."""
        return self.lower if self.lower == self.upper else None


@dataclass(frozen=True, slots=True)
class FractionOffer:
    """Win probabilities of a player who is offered a banked turn, in fractions: starting afresh, and taking it over."""

    fresh: FractionBounds
    take_over: FractionBounds


@dataclass(frozen=True, slots=True)
class ExactMatch:
    """A two-player match whose bounds a judge has accepted that computes in whole numbers only.

    Attributes
    ----------
    rules
        The ruleset.
    match
        The match written out.
    claims
        The bounds, and the policy that guarantees the lower ones.
    """

    rules: Ruleset
    match: ExplicitMatch
    claims: Claims

    def win_probability(
        self,
        score: int = 0,
        opponent: int = 0,
        *,
        second: bool = False,
        opened: tuple[bool | None, bool | None] = (None, None),
        busts: tuple[int, int] = (0, 0),
    ) -> FractionBounds:
        """Return bounds of the win probability of the player to move.

        Parameters
        ----------
        score, opponent
            Banked scores of the player to move and of the other.
        second
            Under equal turns: whether the player to move has the second turn of the round.
        opened
            Whether each of the two has banked before; None: a score other than 0 says so.
        busts
            Busts in a row of each of the two, for rules that count them.

        Raises
        ------
        InputError
            Scores that cannot be, or at which the match is over.

        Examples
        --------
        >>> from dataclasses import replace
        >>> from dice10k_math.rules import Ending, load_rules
        >>> match = certify_match(replace(load_rules("des-10000"), ending=Ending("first_to_target", 200)))
        >>> found = match.win_probability(100, 150)
        >>> found.upper - found.lower < Fraction(1, 10**9)
        True
        """
        place = self._place(score, opponent, second, opened, busts)
        return FractionBounds(self.claims.lower[place], self.claims.upper[place])

    def take_over(
        self, score: int, opponent: int, points: int, dice: int | Iterable[int], *, second: bool = False
    ) -> FractionOffer:
        """Compare taking over what the opponent has just banked with starting afresh (High Stakes).

        Parameters
        ----------
        score, opponent, second
            The turn start, as for `win_probability`. The opponent may also have reached the target, where that leaves
            the player one more turn.
        points
            Turn score that the opponent has just banked.
        dice
            How many dice were not kept when banking, or (spicy dice) which; all of them if none was left.

        Raises
        ------
        InputError
            Rules without High Stakes, or an offer that no bank can have made.

        Examples
        --------
        >>> from dice10k_math.rules import load_rules, with_target
        >>> match = certify_match(with_target(load_rules("farkle-high-stakes"), 600))
        >>> offer = match.take_over(0, 500, points=500, dice=6)
        >>> offer.take_over.lower > offer.fresh.upper
        True
        """
        match, claims = self.match, self.claims
        if not isinstance(match, StakesMatch) or not isinstance(claims, StakesClaims):
            raise InputError(f"offer: {self.rules.name} has no High Stakes, so nothing can be taken over")
        hand = hand_of(self.rules, dice)
        check_offer(self.rules, opponent, points, hand)
        if opponent >= match.target:
            return _last_offer(match, claims, (score, opponent), (points, match.model.index(hand)), second)
        place = self._place(score, opponent, second, (None, None), (0, 0))
        offer = match.offer(points, match.model.index(hand))
        assert offer is not None  # noqa: S101 - such a bank has been found possible
        taken = (
            Fraction(int(side[(*place, offer)]), match.grain) for side in (claims.offers_lower, claims.offers_upper)
        )
        return FractionOffer(
            FractionBounds(claims.lower[place], claims.upper[place]),
            FractionBounds(*taken),
        )

    def _place(
        self, score: int, opponent: int, second: bool, opened: tuple[bool | None, bool | None], busts: tuple[int, int]
    ) -> tuple[int, int, int]:
        if second and self.match.phases == 1:
            raise InputError(f"second: {self.rules.name} has no equal turns, so it does not matter who began")
        return (
            int(second),
            self.match.number(score, opened[0], busts[0]),
            self.match.number(opponent, opened[1], busts[1]),
        )


def _last_offer(
    match: StakesMatch, claims: StakesClaims, scores: tuple[int, int], offer: tuple[int, int], second: bool
) -> FractionOffer:
    """Return the same in a last turn; the offer is its points and the hand."""
    if not match.has_last_turn or second != (match.phases == 2):
        raise InputError(f"opponent: {scores[1]}; the match is over at {match.rules.ending.target}")
    (own, opponent), (points, hand) = scores, offer
    match.number(own)
    behind = (opponent - own) // match.unit
    known = behind <= match.behind
    fresh = claims.last_lower[behind] if known else Fraction(0), claims.last_upper[min(behind, match.behind)]
    lead = max((opponent - points - own) // match.unit, -1) + 1
    taken = (Fraction(int(side[lead, hand]), match.grain) for side in (claims.takes_lower, claims.takes_upper))
    return FractionOffer(FractionBounds(*fresh), FractionBounds(*taken))


def certify_match(rules: Ruleset, progress: Progress | None = None, *, layout: Layout | None = None) -> ExactMatch:
    """Bound every win probability of a small match in fractions, and have the bounds judged in whole numbers.

    The play and its values are found in floats and rounded outward to fractions; nothing rests on how they were found.
    The judge checks that the policy guarantees the lower bounds, that no play does better than the upper ones, and that
    the policy ends the match whatever the other player does.

    Parameters
    ----------
    rules
        The ruleset, with a target of about a thousand points or less.
    progress
        Told how far the work is.
    layout
        How far scores and turn scores are told apart; default: chosen by the rules.

    Raises
    ------
    InputError
        A ruleset that two cannot play, whose variants are not solved, or whose target is too great for this.
    NotConvergedError
        The judge did not accept the bounds.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from dice10k_math.rules import Ending, load_rules
    >>> match = certify_match(replace(load_rules("des-10000"), ending=Ending("first_to_target", 200)))
    >>> round(float(match.win_probability().lower), 6)
    0.942905
    """
    check_match(rules)
    told = progress or (lambda _what, _share: None)
    match, claims, verdict = (_stakes if rules.variants.high_stakes else _plain)(rules, told, layout)
    if not verdict.accepted:
        raise NotConvergedError(f"{rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
    return ExactMatch(rules, match, claims)


def _plain(rules: Ruleset, told: Progress, layout: Layout | None) -> tuple[ExplicitMatch, Claims, ExactVerdict]:
    from dice10k_math.certify.exact import judge_exactly
    from dice10k_math.solve.explicit import propose

    match = ExplicitMatch(rules, layout or layout_of(rules))
    # Counted before the turn is compiled, which takes long itself for a great target.
    turn_scores = match.layout.most // match.model.step
    if match.phases * match.won**2 * turn_scores * len(match.model.hands) > MOST_WORK:
        raise _too_great(rules, "1000")
    claims = propose(match, lambda what: told(what, None))
    return match, claims, judge_exactly(match, claims, part_of(told, JUDGING))


def _stakes(rules: Ruleset, told: Progress, layout: Layout | None) -> tuple[ExplicitMatch, Claims, ExactVerdict]:
    from dice10k_math.certify.exact_stakes import judge_stakes_exactly
    from dice10k_math.solve.exact_stakes import propose_stakes

    check_solved(rules)
    if hot_dice_chance(turn_model(rules)) == 1:
        why = "some play never busts, so a player who is behind need not end a turn"
        raise InputError(f"{rules.name}: high_stakes where {why}; remedy: {REMEDY}")
    # Before the race is laid out, which takes long itself for a great target; then by how far its turns have to go.
    _check_stakes_size(rules, 2 * rules.ending.target)
    race = StakesRace(rules)
    layout = layout or _stakes_layout(race)
    _check_stakes_size(rules, layout.most)
    match = StakesMatch(rules, layout)
    claims = propose_stakes(match, race, told)
    return match, claims, judge_stakes_exactly(match, claims, part_of(told, JUDGING))


def _stakes_layout(race: StakesRace) -> Layout:
    """Return the layout of a match whose turns are followed as far as in a race.

    Where the turn score comes to matter no more, that is no farther than a few turns' worth past the target.
    """
    layout = layout_of(race.rules)
    return replace(layout, most=race.most) if race.stands_still else layout


def _check_stakes_size(rules: Ruleset, most: int) -> None:
    model, phases = turn_model(rules), 2 if rules.ending.kind == "equal_turns" else 1
    starts = phases * (least_reaching(rules) // bank_step(rules)) ** 2
    choices = sum(len(roll.entries) for hand in model.hands for roll in hand.classes)
    if starts * (most // model.step) * choices > MOST_STAKES:
        raise _too_great(rules, "5000, or 1000 with spicy dice")


def _too_great(rules: Ruleset, about: str) -> InputError:
    return InputError(
        f"{rules.name}: target {rules.ending.target} is too great for whole numbers; allowed: a rules file with a "
        f"smaller target, up to about {about}"
    )

"""Two players at a small target: bounds of every win probability in fractions, judged in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dice10k_math.errors import InputError, NotConvergedError
from dice10k_math.explicit.claims import Claims
from dice10k_math.explicit.match import ExplicitMatch, Layout, layout_of
from dice10k_math.questions.match import check_match, refuse_offers
from dice10k_math.rules.model import Ruleset
from dice10k_math.workers import Progress

MOST_WORK = 30_000_000
"""Turn starts times after-states up to which a match is judged in whole numbers."""


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
        if second and self.match.phases == 1:
            raise InputError(f"second: {self.rules.name} has no equal turns, so it does not matter who began")
        place = (
            int(second),
            self.match.number(score, opened[0], busts[0]),
            self.match.number(opponent, opened[1], busts[1]),
        )
        return FractionBounds(self.claims.lower[place], self.claims.upper[place])


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
    from dice10k_math.certify.exact import judge_exactly
    from dice10k_math.solve.explicit import propose

    check_match(rules)
    refuse_offers(rules)
    told = progress or (lambda _what, _share: None)
    match = ExplicitMatch(rules, layout or layout_of(rules))
    _check_size(match)
    claims = propose(match, lambda what: told(what, None))
    verdict = judge_exactly(match, claims, lambda share: told("judging in whole numbers", share))
    if not verdict.accepted:
        raise NotConvergedError(f"{rules.name}: the judge refuses the bounds: {verdict.faults[0]}")
    return ExactMatch(rules, match, claims)


def _check_size(match: ExplicitMatch) -> None:
    rules = match.rules
    # Counted before the turn is compiled, which takes long itself for a great target.
    steps = match.layout.most // match.model.step
    work = match.phases * match.won**2 * steps * len(match.model.hands)
    if work > MOST_WORK:
        raise InputError(
            f"{rules.name}: target {rules.ending.target} is too great for whole numbers; allowed: a rules file with a "
            "smaller target, up to about 1000"
        )

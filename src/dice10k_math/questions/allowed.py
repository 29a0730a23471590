"""Which scores and states within a turn can occur at all: others are refused, not answered."""

from __future__ import annotations

from dice10k_math.dice import Hand
from dice10k_math.errors import InputError, check_whole
from dice10k_math.rules.model import Ruleset
from dice10k_math.rules.steps import penalties, score_step
from dice10k_math.turn import TurnModel, turn_model

MOST_SCORE = 1_000_000_000
MOST_CHECKED = 10_000
"""Points kept, bonuses apart, up to which the turn scores that can occur are listed."""
SHOWN = 4


def check_score(rules: Ruleset, score: int, opened: bool | None = None, name: str = "score") -> None:
    """Refuse a score that no player who is to move can have.

    Raises
    ------
    InputError
        The score is none in which banks and penalties add up, or is beyond the end of the game, or is above 0 for a
        player who has not banked.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> check_score(load_rules("farkle"), 50)
    """
    ending = rules.ending
    check_step(rules, score, name)
    if score < 0 and not penalties(rules) and ending.overshoot != "add_or_subtract":
        raise InputError(f"{name}: {score} cannot be in {rules.name}, where no score falls; allowed: 0 or more")
    plays_past = ending.overshoot == "add_or_subtract" or (
        ending.kind == "equal_turns" and ending.tie == "extra_rounds"
    )
    if score >= ending.target and not plays_past:
        raise InputError(f"{name}: {score}; allowed: below the target {ending.target}")
    if opened is False and score > 0:
        raise InputError(f"{name}: {score} of a player who has not banked (not opened); allowed: 0, or opened")


def check_step(rules: Ruleset, score: int, name: str = "score") -> None:
    """Refuse a score in which banks and penalties never add up.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> check_step(load_rules("farkle"), 12_350)
    """
    check_whole(name, score)
    step = score_step(rules)
    if abs(score) > MOST_SCORE:
        raise InputError(f"{name}: {score}; allowed: -{MOST_SCORE} to {MOST_SCORE}")
    if score % step:
        raise InputError(f"{name}: {score} cannot be in {rules.name}; allowed: multiples of {step}")


def is_closing(rules: Ruleset, score: int, opponent: int, *, second: bool = False) -> bool:
    """Tell whether the player to move has a turn left although the target has been reached.

    That is one turn to answer the opponent's, or a turn of an extra round. Told of games in which no score ever falls.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> is_closing(load_rules("farkle"), 8000, 10_200)
    True
    """
    from dice10k_math.race import is_race

    ending, target = rules.ending, rules.ending.target
    if not is_race(rules) or opponent < target:
        return False
    if ending.kind == "final_round":
        return score < target
    if ending.kind != "equal_turns":
        return False
    if score < target:
        return second
    return ending.tie == "extra_rounds" and (score <= opponent if second else score == opponent)


def check_state(rules: Ruleset, turn_score: int, hot_dice: int, hand: Hand, *, exactly: bool = False) -> None:
    """Refuse a turn score with which these dice cannot come to be rolled.

    Between turn scores that can be, a few are none that keeps add up to (350 in Dice 10k with three dice left).
    A turn has a value there too, so they are refused only if asked `exactly`.

    Raises
    ------
    InputError
        The message names turn scores that can be.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> check_state(load_rules("dice10k"), 350, 0, (0, 0, 0))
    """
    check_whole("turn_score", turn_score)
    check_whole("hot_dice", hot_dice)
    model = turn_model(rules)
    if turn_score < 0 or turn_score % model.step:
        raise InputError(f"turn_score: {turn_score}; {rules.name} scores in steps of {model.step} from 0")
    least = model.bonus_after(hot_dice) - model.bonus if hot_dice >= 0 else 0
    if hot_dice < 0 or turn_score < least:
        raise InputError(f"hot_dice: {hot_dice} with a turn score of {turn_score}; that many bring {least} at least")
    kept = (turn_score - least) // model.step
    if kept * model.step > MOST_CHECKED:
        return
    index = model.index(hand)
    possible = _turn_scores(model, hot_dice, index)
    if possible >> kept & 1 or (not exactly and index != model.full and _is_between(model, kept, possible)):
        return
    shown = [least + n * model.step for n in range(possible.bit_length()) if possible >> n & 1][: SHOWN + 1]
    words = [*map(str, shown[:SHOWN]), *(["..."] if len(shown) > SHOWN else [])]
    dice = "die" if len(hand) == 1 else "dice"
    with_hot_dice = f" and {hot_dice} hot dice in the turn" if model.bonus else ""
    raise InputError(
        f"turn_score: {turn_score} cannot be with {len(hand)} {dice} to roll{with_hot_dice}; "
        f"allowed: {', '.join(words) or 'none'}"
    )


def _is_between(model: TurnModel, kept: int, possible: int) -> bool:
    """Tell whether a number of steps lies between those that can be; without a bonus they have no end."""
    least = (possible & -possible).bit_length() - 1
    return bool(possible) and kept >= least and (not model.bonus or kept < possible.bit_length())


def _turn_scores(model: TurnModel, hot_dice: int, hand: int) -> int:
    """Return the points kept, in steps, with which a hand can come to be rolled: bit n stands for n steps."""
    start = 1
    if model.bonus:
        for _ in range(hot_dice):
            start = _one_round(model, start)[model.full + 1]
        return _one_round(model, start)[hand]
    while True:
        masks = _one_round(model, start)
        if not masks[model.full + 1] & ~start:
            return masks[hand]
        start |= masks[model.full + 1]


def _one_round(model: TurnModel, start: int) -> list[int]:
    """Return the points kept by hand, from those with which the full hand comes; last those after hot dice."""
    limit = (1 << (MOST_CHECKED // model.step + 1)) - 1
    masks = [0] * len(model.hands) + [0]
    masks[model.full] = start
    for index in range(model.full, -1, -1):
        for entry in model.hands[index].entries if masks[index] else ():
            if entry.may_roll:
                masks[model.full + 1 if entry.hot else entry.hand] |= masks[index] << entry.points // model.step & limit
    return masks

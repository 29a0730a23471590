"""One turn in one situation: the plain evaluation, the compiled one and the operator check each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dice10k_math as d10
from dice10k_math import kernel, legs, single
from dice10k_math.backup import Contexts, back_up, bank_decisions, blocks_of
from dice10k_math.last_turn import compiled, compiled_split
from dice10k_math.program import NEVER, Program
from dice10k_math.rules.model import Variants
from dice10k_math.single import Situation
from tests.oracles.games import DICE10K, FARKLE, FARKLE_HIGH_STAKES
from tests.oracles.variations import scored, turned

GAMES = ("farkle", "dix-mille", "des-10000", "dice10k")
WITH_BONUS = {
    rules.name: rules
    for rules in (
        turned(FARKLE, "bank-takes-all", hot_dice_bonus=250),
        turned(DICE10K, "banks-hot-dice", hot_dice="may_bank"),
        turned(DICE10K, "multiples-of-300", bank_multiple=300, hot_dice_bonus=50),
        scored(DICE10K, "one-die-never-scores", singles=(0, 0, 0, 0, 0, 0)),
        turned(FARKLE_HIGH_STAKES, "leaves-dice", hot_dice_bonus=350),
        replace(turned(FARKLE, "spicy", hot_dice_bonus=100), variants=Variants((1, 1, 1, 5, 5, 5))),
    )
}
LIMIT, MOST = 1_500, 4_000


def program_of(game: str) -> Program:
    rules = WITH_BONUS.get(game) or d10.load_rules(game)
    if rules.variants.high_stakes:
        return compiled_split(rules, MOST, bank_leaves_hand=True)
    return compiled(rules, MOST, 2)


def situation(game: str, seed: int) -> tuple[single.TurnWorths, single.TurnWorths, Situation]:
    """Evaluate a turn whose endings are worth anything, in both ways."""
    program = program_of(game)
    generator = np.random.default_rng(seed)
    bank = generator.random(len(program.bank_scores))
    bank[generator.random(len(bank)) < 0.3] = NEVER
    bust, on_six, top = generator.random(3)
    survival = generator.random(int(program.edge_kind.max()) + 1)
    given = Situation(bank, float(bust), float(on_six), float(top), LIMIT, survival)
    plain = single._evaluate_plainly(program, given)
    roll, best = kernel.back_up_single(*single._arguments(program, given))
    return plain, single.TurnWorths(program, roll, best, bank), given


def within(worths: single.TurnWorths) -> np.ndarray:
    program = worths.program
    return (program.turn_score <= LIMIT) & ~program.hot_edge


@pytest.mark.parametrize("game", [*GAMES, *WITH_BONUS])
@pytest.mark.parametrize("seed", range(2))
def test_the_plain_and_the_compiled_evaluation_agree(game: str, seed: int) -> None:
    plain, fast, _ = situation(game, seed)
    here = within(plain)
    assert here.sum() > 20
    assert np.abs(plain.roll - fast.roll)[here].max() < 1e-14
    assert np.abs(plain.best - fast.best)[here].max() < 1e-14


@pytest.mark.parametrize("game", [*GAMES, *WITH_BONUS])
@pytest.mark.parametrize("since", [50, 400, 1_450, 2_300])
def test_only_turn_scores_that_are_asked_about_are_evaluated(game: str, since: int) -> None:
    plain, _, given = situation(game, 3)
    program = plain.program
    found = single._evaluate_plainly(program, given, since)
    asked = program.turn_score >= since
    assert 0 < asked.sum() < len(asked)
    assert np.abs(found.roll - plain.roll)[asked].max() < 1e-14
    assert np.abs(found.best - plain.best)[asked].max() < 1e-14
    assert np.isnan(found.roll[~asked]).all()
    assert np.isnan(found.best[~asked]).all()


@pytest.mark.parametrize("game", WITH_BONUS)
def test_turn_scores_are_taken_in_parts_where_there_is_much_to_read(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, whole, given = program_of(game), *situation(game, 5)[::2]
    monkeypatch.setattr(legs, "AT_ONCE", 200)
    parts = legs.Legs(program)
    assert min(hand.at_once for hand in parts._rolls) < 10
    monkeypatch.setattr(single, "legs_of", lambda _: parts)
    found = single._evaluate_plainly(program, given)
    assert np.abs(found.roll - whole.roll).max() < 1e-14
    assert np.abs(found.best - whole.best).max() < 1e-14


@pytest.mark.parametrize("game", GAMES)
def test_the_operator_agrees(game: str) -> None:
    plain, _, given = situation(game, 7)
    program = plain.program
    rows = np.where(given.bank > NEVER, np.arange(len(given.bank)), -1).astype(np.int32)
    one = np.ones((1, 1))
    contexts = Contexts(given.bank[:, None], rows[None, :], one * given.bust, one * given.bust_on_six, one * given.top)
    blocks = blocks_of(1, 1, LIMIT)
    assert abs(back_up(program, contexts, given.survival, blocks=blocks)[0, 0] - plain.start) < 1e-14
    banks = bank_decisions(program, contexts, given.survival, blocks=blocks, tolerance=0.0)[:, 0]
    compared = 0
    for state in np.flatnonzero(within(plain)):
        worth = plain.banked(int(program.turn_score[state]))
        forced = program.forced and program.hand[state] == program.model.full
        right = worth is not None and not forced and worth >= plain.roll[state]
        # Rounding may tip a choice between equals, which random worths do not have.
        assert bool(banks[state]) == right
        compared += right
    assert compared >= 10


def test_what_may_not_be_banked_is_worth_nothing() -> None:
    plain, _, given = situation("farkle", 1)
    scores = plain.program.bank_scores
    assert [plain.banked(int(score)) for score in scores[given.bank == NEVER]] == [None] * int(
        (given.bank == NEVER).sum()
    )
    assert plain.banked(int(scores[-1]) + 50) is None
    assert plain.banked(25) is None

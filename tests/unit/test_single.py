"""One turn in one situation: the plain evaluation, the compiled one and the operator check each other."""

from __future__ import annotations

import numpy as np
import pytest

import dice10k_math as d10
from dice10k_math import kernel, single
from dice10k_math.backup import Contexts, back_up, bank_decisions, blocks_of
from dice10k_math.last_turn import compiled
from dice10k_math.program import NEVER
from dice10k_math.single import Situation

GAMES = ("farkle", "dix-mille", "des-10000", "dice10k")
LIMIT, MOST = 1_500, 4_000


def situation(game: str, seed: int) -> tuple[single.TurnWorths, single.TurnWorths, Situation]:
    """Evaluate a turn whose endings are worth anything, in both ways."""
    program = compiled(d10.load_rules(game), MOST, 2)
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


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(2))
def test_the_plain_and_the_compiled_evaluation_agree(game: str, seed: int) -> None:
    plain, fast, _ = situation(game, seed)
    here = within(plain)
    assert here.sum() > 100
    assert np.abs(plain.roll - fast.roll)[here].max() < 1e-14
    assert np.abs(plain.best - fast.best)[here].max() < 1e-14


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

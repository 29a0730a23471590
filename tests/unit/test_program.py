"""The compiled turn, against a plain search of all that play can come to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pytest

import dice10k_math as d10
from dice10k_math.program import ANY_HAND, Program, compile_turn
from dice10k_math.turn import Entry, TurnModel, split_model, turn_model
from tests.oracles.games import DICE10K, FARKLE
from tests.oracles.variations import scored, turned

RULES = {
    rules.name: rules
    for rules in (
        *map(d10.load_rules, ("dice10k", "farkle", "dix-mille", "farkle-spicy")),
        turned(FARKLE, "with-bonus", hot_dice_bonus=150),
        turned(DICE10K, "banks-hot-dice", hot_dice="may_bank"),
        scored(DICE10K, "no-singles", singles=(0, 0, 0, 0, 0, 0)),
    )
}
MOST = 1_030
"""No multiple of the step."""
State = tuple[int, int, int]
"""(turn score, hot dice, hand)"""


@dataclass(frozen=True)
class Plain:
    """After-states one by one."""

    model: TurnModel
    most_hot_dice: int

    def after(self, state: State, entry: Entry) -> State:
        score, hot, _ = state
        if not entry.hot:
            return score + entry.points, hot, entry.hand
        return score + entry.points + self.model.bonus * 2**hot, hot + (self.model.bonus > 0), entry.hand

    def is_edge(self, state: State) -> bool:
        return state[0] > MOST or (self.model.bonus > 0 and state[1] > self.most_hot_dice)

    @cached_property
    def states(self) -> set[State]:
        found: set[State] = set()
        waiting = [(0, 0, self.model.full)]
        while waiting:
            state = waiting.pop()
            if state in found:
                continue
            found.add(state)
            if not self.is_edge(state):
                entries = self.model.hands[state[2]].entries
                waiting += [self.after(state, entry) for entry in entries if entry.may_roll]
        return found

    @cached_property
    def banks(self) -> set[tuple[int, int]]:
        found = {(score, hand) for score, _, hand in self.states if score}
        for state in self.states:
            ends = [entry for entry in self.model.hands[state[2]].entries if entry.may_bank and not entry.may_roll]
            found |= {self.after(state, entry)[::2] for entry in ends}
        return found


def states_of(program: Program) -> list[State]:
    parts = program.turn_score, program.hot_dice, program.hand
    return list(zip(*(part.tolist() for part in parts), strict=True))


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("most_hot_dice", [0, 2])
@pytest.mark.parametrize("split", [False, True])
def test_a_program_has_what_play_can_come_to(name: str, most_hot_dice: int, split: bool) -> None:
    rules = RULES[name]
    model = split_model(rules) if split else turn_model(rules)
    may_bank = rules.turn.hot_dice == "may_bank"
    program = compile_turn(
        model,
        MOST,
        hot_may_bank=may_bank,
        most_hot_dice=most_hot_dice,
        multiple=3 * model.step,
        bank_leaves_hand=split,
    )
    plain = Plain(model, most_hot_dice)
    states = states_of(program)
    assert states == sorted(plain.states, reverse=True)
    banks = list(zip(program.bank_scores.tolist(), program.bank_hands.tolist(), strict=True))
    assert banks == sorted(plain.banks if split else {(score, ANY_HAND) for score, _ in plain.banks})

    row_of = {state: len(banks) + number for number, state in enumerate(states)}
    bank_of = {bank: number for number, bank in enumerate(banks)}
    starts, targets = program.target_starts.tolist(), program.targets.tolist()
    followed = stays = 0
    for number, state in enumerate(states):
        entries = () if plain.is_edge(state) else model.hands[state[2]].entries
        ends = [(entry, plain.after(state, entry)) for entry in entries]
        right = [
            row_of[after] if entry.may_roll else bank_of[after[0], after[2] if split else ANY_HAND]
            for entry, after in ends
        ]
        assert targets[starts[number] : starts[number + 1]] == right
        followed += len(right)
        may_stay = not split and any(
            entry.may_roll and entry.may_bank for hand in model.hands for entry in hand.entries
        )
        may_stay = may_stay and state[0] > 0 and (may_bank or state[2] != model.full)
        assert program.bank_row[number] == (bank_of[state[0], ANY_HAND] if may_stay else -1)
        stays += may_stay
    assert followed == len(targets) > 50
    assert stays > 10 or split or rules.turn.bank_takes == "all_scoring"
    assert (program.hot_edge == ((program.hot_dice > most_hot_dice) & (model.bonus > 0))).all()
    assert (program.edge_kind == 3 * program.hand + program.turn_score // model.step % 3).all()
    furthest = max((entry.points for hand in model.hands for entry in hand.entries), default=0)
    assert program.widest == furthest + model.bonus * 2**most_hot_dice

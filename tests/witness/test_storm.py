"""Storm, a model checker, on small games written down state by state: the same values, in exact rationals."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from dice10k_math.questions.exact_match import certify_match
from dice10k_math.questions.match import solve_match
from dice10k_math.rules.model import Ending, Ruleset, with_target
from dice10k_math.solve.race import propose_bounds
from tests.agreement.test_endings import IN_A_ROW, THREE_DICE
from tests.agreement.test_match import DES_10000, EARLY, FIVE_DICE, PLAIN, _name, ended, solved
from tests.oracles.match import Start
from tests.oracles.variations import turned
from tests.witness.explicit import WON, Branches, ExplicitGame

stormpy = pytest.importorskip("stormpy", reason="the extra `witness` is not installed: no stormpy")

FIRST = 2
NARROW = 1e-8
GAMES = (
    with_target(PLAIN, 200),
    ended(turned(DES_10000, "opening-200", opening_minimum=200), "first_to_target", 300),
    ended(EARLY, "first_to_target", 250),
    ended(EARLY, "exact", 250, overshoot="not_allowed"),
    ended(turned(FIVE_DICE, "five-dice-must-roll", hot_dice="must_roll"), "exact", 300, overshoot="not_allowed"),
)
pytestmark = pytest.mark.slow


@cache
def game_of(rules: Ruleset) -> ExplicitGame:
    return ExplicitGame(rules)


@cache
def policy_of(rules: Ruleset) -> list[int]:
    """The choices of both seats that the library's values tell to make."""
    race, values = solved(rules)

    def value_of(start: Start) -> float:
        own, other = start.own // race.unit, start.other // race.unit
        return float(values.move[0, own + other, other])

    return game_of(rules).best_choices(value_of)


def parts_of(choices: list[list[Branches]], number: Any) -> Any:
    """The matrix and labels of a model in Storm."""
    from stormpy import datastructures, models

    rows: list[int] = []
    columns: list[int] = []
    values: list[Any] = []
    groups: list[int] = []
    row = 0
    for offered in choices:
        groups.append(row)
        for branches in offered:
            rows += [row] * len(branches)
            columns += [state for state, _ in branches]
            values += [number(chance) for _, chance in branches]
            row += 1
    builder = datastructures.SparseMatrixBuilder[number](
        rows=row, columns=len(choices), entries=len(rows), has_custom_row_grouping=True, row_groups=len(choices)
    )
    builder.add_next_values(rows, columns, values, groups)
    labels = models.StateLabeling(len(choices))
    for label, state in (("won", WON), ("init", FIRST)):
        labels.add_label(label)
        labels.add_label_to_state(label, state)
    return models.SparseModelComponents[number](builder.build(), labels)


def best_response(rules: Ruleset, fixed: int) -> Fraction:
    """The win probability of seat 0 when one seat plays as the library says and the other in Storm's best way."""
    return best_reply(game_of(rules).with_fixed(fixed, policy_of(rules)), fixed)


def best_reply(choices: list[list[Branches]], fixed: int) -> Fraction:
    """The win probability of seat 0 in a model in which only the seat that is not fixed has choices."""
    from stormpy import models

    model = models.SparseMdp[stormpy.Rational](parts_of(choices, stormpy.Rational))
    wanted = stormpy.parse_properties(f'P{"min" if fixed == 0 else "max"}=? [F "won"]')[0]
    found = stormpy.model_checking(model, wanted, only_initial_states=True).get_value(FIRST)
    return Fraction(f"{found.numerator}/{found.denominator}")


@pytest.mark.parametrize("rules", GAMES, ids=_name)
def test_no_reply_beats_the_best_play(rules: Ruleset) -> None:
    guaranteed, at_most = best_response(rules, fixed=0), best_response(rules, fixed=1)
    assert guaranteed == at_most
    race, values = solved(rules)
    assert float(guaranteed) == pytest.approx(float(values.move[0, 0, 0]), abs=1e-12, rel=0)
    bounds = propose_bounds(race, values)
    assert Fraction(float(bounds.move[0, 0, 0])) <= guaranteed <= 1 - Fraction(float(bounds.wait[0, 0, 0]))
    in_fractions = certify_match(rules).win_probability()
    assert in_fractions.lower <= guaranteed <= in_fractions.upper


FLOOR = -400
"""Falling below it from 0 takes fifteen busts without a bank between them; what that matters is measured by the test."""


def test_scores_that_fall() -> None:
    """Busts in a row that cost points: who falls below a floor has lost, or counts as standing on it."""
    scoring = replace(THREE_DICE.scoring, singles=(100, 0, 0, 0, 100, 0))
    rules = replace(THREE_DICE, scoring=scoring, bust=IN_A_ROW, ending=Ending("first_to_target", 200))
    match = solve_match(rules)

    def value_of(start: Start) -> float:
        busts = start.busts, start.other_busts
        return match.win_probability(start.own, start.other, busts=busts).value

    found = []
    for fixed in (0, 1):
        game = ExplicitGame(rules, FLOOR, (fixed == 0, fixed == 1))
        found.append(best_reply(game.with_fixed(fixed, game.best_choices(value_of)), fixed))
    guaranteed, at_most = found
    bounds = match.win_probability()
    assert 0 < at_most - guaranteed < NARROW
    assert Fraction(bounds.lower) <= at_most
    assert guaranteed <= Fraction(bounds.upper)
    assert float(guaranteed) == pytest.approx(bounds.value, abs=NARROW, rel=0)


@pytest.mark.parametrize("rules", GAMES[:2], ids=_name)
def test_storm_solves_the_game_of_two(rules: Ruleset) -> None:
    synthesis = pytest.importorskip("payntbind", reason="the extra `witness` is not installed: no paynt").synthesis
    from stormpy import models

    game = game_of(rules)
    parts = parts_of(game.choices, float)
    # Storm wants an owner for every state; chance has no choice.
    parts.state_player_indications = [owner or 0 for owner in game.owners]
    model = models.SparseSmg[float](parts)
    wanted = stormpy.parse_properties('<<0>> Pmax=? [F "won"]')[0].get_raw_formula()
    found = synthesis.model_check_smg(model, wanted, only_initial_states=False, env=stormpy.Environment())
    # The solver of games stops at a change of 1e-6 and cannot be told otherwise.
    assert found.get_value(FIRST) == pytest.approx(float(solved(rules)[1].move[0, 0, 0]), abs=3e-6, rel=0)


@pytest.mark.parametrize("rules", GAMES[:2], ids=_name)
def test_the_game_survives_being_written_as_umb(rules: Ruleset, tmp_path: Path) -> None:
    ats = pytest.importorskip("umbi", reason="the extra `witness` is not installed: no umbi").ats
    game = game_of(rules)
    written = ats.ExplicitAts()
    written.num_players = 3
    for offered in game.choices:
        state = written.add_state()
        for branches in offered:
            choice = written.add_state_choice(state)
            for following, chance in branches:
                choice.add_branch(following, chance)
    # The third player is chance.
    written.player_to_name = ["first", "second", "chance"]
    written.state_to_player = [2 if owner is None else owner for owner in game.owners]
    written.set_initial_states([FIRST])
    written.add_ap_annotation("won").set_state_values([state == WON for state in range(len(game.nodes))])
    ats.write(written, tmp_path / "game.umb")
    found = ats.read(tmp_path / "game.umb")
    assert [
        [[(branch.target, branch.prob) for branch in choice.branches] for choice in found.get_state_choices(state)]
        for state in found.states
    ] == game.choices
    assert found.state_to_player == written.state_to_player
    assert found.initial_states == [FIRST]
    assert [state for state, won in enumerate(found.get_ap_annotation("won").state_values) if won] == [WON]


@pytest.mark.parametrize("rules", GAMES[:2], ids=_name)
def test_storm_reads_a_best_reply_from_umb(rules: Ruleset, tmp_path: Path) -> None:
    ats = pytest.importorskip("umbi", reason="the extra `witness` is not installed: no umbi").ats
    written = ats.ExplicitAts()
    written.num_players = 1
    for offered in game_of(rules).with_fixed(0, policy_of(rules)):
        state = written.add_state()
        for branches in offered:
            choice = written.add_state_choice(state)
            for following, chance in branches:
                choice.add_branch(following, chance)
    written.set_initial_states([FIRST])
    written.add_ap_annotation("won").set_state_values([state == WON for state in written.states])
    ats.write(written, tmp_path / "reply.umb")
    model = stormpy.build_model_from_umb(str(tmp_path / "reply.umb"))
    wanted = stormpy.parse_properties('Pmin=? [F "won"]')[0]
    found = stormpy.model_checking(model, wanted, only_initial_states=True).get_value(model.initial_states[0])
    assert float(found) == pytest.approx(float(best_response(rules, fixed=0)), abs=1e-6)

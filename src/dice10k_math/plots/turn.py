"""Pictures of one turn: how it ends, and what the dice left are worth."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from dice10k_math.plots.style import BANK, BUST, COLOURS, LINES, drawing, new_figure, thousands
from dice10k_math.questions.turn import TurnSolution, TurnState
from dice10k_math.rules import Ruleset, bank_step
from dice10k_math.solve.endings import Endings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 0.99
"""How much of the probability of the banks the picture of the turn score shows one by one."""
FEW = 5
"""Lines of fewer points have them marked, as one of a single point could not be seen."""
MOST = 2_500
"""Greatest turn score of the picture of the dice left, in points."""


def turn_score(turn: TurnSolution) -> Figure:
    """Draw how a turn ends: the chance of a bust and of each turn score banked.

    Parameters
    ----------
    turn
        A solved turn.

    Examples
    --------
    >>> from dice10k_math.questions.turn import solve_turn
    >>> from dice10k_math.rules import load_rules
    >>> turn_score(solve_turn(load_rules("farkle"), 1000, exact=False)).axes[0].get_ylabel()
    'probability (%)'
    """
    ends = turn.endings
    banked, beyond = _split(ends.banked)
    with drawing():
        bars = _other_endings(turn.rules, ends)
        figure, (left, axes) = new_figure(8.4, 4.2, 1, 2, width_ratios=[0.6 + len(bars), 8])
        names, chances = zip(*bars, strict=True)
        heights = [100 * chance for chance in chances]
        shown = left.bar(range(len(bars)), heights, color=BUST, hatch="//", edgecolor="white")
        left.bar_label(shown, [f"{height:.3g} %" for height in heights], padding=2, fontsize=9)
        left.set_xticks(range(len(bars)), names)
        left.set(ylabel="probability (%)", xlim=(-0.7, len(bars) - 0.3))
        left.margins(y=0.12)
        step = turn.problem.model.step
        axes.bar(list(banked), [100 * chance for chance in banked.values()], width=0.8 * step, color=BANK)
        axes.set(xlabel="turn score banked (points)", ylabel="probability (%)")
        axes.set_title(_title(turn), loc="right")
        axes.text(0.99, 0.95, _notes(turn, beyond), transform=axes.transAxes, ha="right", va="top", fontsize=9)
        thousands(axes)
    return figure


def _other_endings(rules: Ruleset, ends: Endings) -> list[tuple[str, float]]:
    """Return the endings that are no bank."""
    bars = [("bust", ends.bust + ends.bust_on_six)]
    if rules.bust.on_six:
        bars = [("bust", ends.bust), ("bust\non six", ends.bust_on_six)]
    if rules.variants.spicy_faces is not None:
        bars.append(("instant\nwin", ends.instant_win))
    return bars


def _split(banked: dict[int, float]) -> tuple[dict[int, float], tuple[int, float]]:
    """Return the banks to show one by one, and from which turn score on the others add up to what."""
    total, seen = sum(banked.values()), 0.0
    shown: dict[int, float] = {}
    for score, chance in banked.items():
        if seen >= SHOWN * total:
            return shown, (score, total - seen)
        shown[score] = chance
        seen += chance
    return shown, (0, 0.0)


def _title(turn: TurnSolution) -> str:
    return f"{turn.rules.title}: the turn with the most expected points, from score {turn.score:,}"


def _notes(turn: TurnSolution, beyond: tuple[int, float]) -> str:
    lines = [f"{turn.expected_points:,.2f} points expected"]
    if beyond[1]:
        lines.append(f"not shown: {100 * beyond[1]:.2g} % bank {beyond[0]:,} or more")
    return "\n".join(lines)


def dice_left(turn: TurnSolution, most: int = MOST) -> Figure:
    """Draw what rolling the dice left adds to banking, over the turn score.

    Where a line is above 0, rolling is better. Only turn scores in the step of a bank are shown, and with a hot-dice
    bonus only turns without hot dice so far, for all dice those after one.
    Spicy dice of the same number are averaged, and their range is shaded.

    Parameters
    ----------
    turn
        A solved turn.
    most
        Greatest turn score shown, in points.

    Examples
    --------
    >>> from dice10k_math.questions.turn import solve_turn
    >>> from dice10k_math.rules import load_rules
    >>> len(dice_left(solve_turn(load_rules("farkle"), 1000, exact=False)).axes[0].get_lines())
    7
    """
    gains = _gains(turn, most)
    with drawing():
        figure, axes = new_figure(7.2, 4.6)
        axes.axhline(0, color="#666666", linewidth=0.8)
        for dice, points in sorted(gains.items()):
            scores = sorted(points)
            means = [sum(points[score]) / len(points[score]) for score in scores]
            colour = COLOURS[dice - 1]
            style = {"linestyle": LINES[dice - 1], "marker": "o" if len(scores) < FEW else "", "markersize": 4}
            axes.plot(scores, means, color=colour, linewidth=1.8, label=_name(turn, dice), **style)
            if turn.rules.variants.spicy_faces is not None:
                low, high = ([side(points[score]) for score in scores] for side in (min, max))
                axes.fill_between(scores, low, high, color=colour, alpha=0.15, linewidth=0)
        axes.set(xlabel="turn score at risk (points)", ylabel="gain from rolling on (points)")
        axes.set_title(f"{turn.rules.title}: what the dice left are worth, from score {turn.score:,}")
        axes.legend(title="dice left", ncols=2, alignment="left")
        thousands(axes, y=True)
    return figure


def _gains(turn: TurnSolution, most: int) -> dict[int, dict[int, list[float]]]:
    """Return by number of dice and turn score what rolling adds, for each hand of that number."""
    found: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    step = bank_step(turn.rules)
    for state in turn.states(most):
        if state.hot_dice == _first_level(turn, state) and state.turn_score % step == 0:
            found[state.dice][state.turn_score].append(state.roll - state.turn_score)
    return found


def _first_level(turn: TurnSolution, state: TurnState) -> int:
    """Return the number of hot dice of the turns shown: none, or one where all dice are rolled again."""
    return int(bool(turn.problem.model.bonus) and state.dice == turn.rules.turn.dice)


def _name(turn: TurnSolution, dice: int) -> str:
    return f"{dice} (hot dice)" if dice == turn.rules.turn.dice else str(dice)

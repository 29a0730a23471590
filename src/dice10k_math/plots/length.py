"""The picture of how long a match lasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dice10k_math.plots.style import BANK, BUST, drawing, new_figure
from dice10k_math.questions.length import MatchLength
from dice10k_math.rules.model import Ruleset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 0.999
"""How much of the matches the picture shows."""


def match_length(rules: Ruleset, length: MatchLength) -> Figure:
    """Draw how many turns a match lasts.

    Parameters
    ----------
    rules
        The ruleset.
    length
        The length of its matches.

    Examples
    --------
    >>> from dice10k_math.rules import load_rules
    >>> match_length(load_rules("farkle"), MatchLength((0.0, 0.25, 0.75), 0.5, 0.0)).axes[0].get_xlabel()
    'turns of the match, both players together'
    """
    chances = np.array(length.chances)
    done = np.cumsum(chances)
    last = int(np.searchsorted(done, SHOWN)) + 1
    turns = np.arange(min(last, len(chances) - 1) + 1)
    with drawing():
        figure, axes = new_figure(7.2, 4.4)
        axes.bar(turns, 100 * chances[turns], width=0.8, color=BANK, label="over after exactly so many turns")
        axes.set(xlabel="turns of the match, both players together", ylabel="probability (%)")
        axes.set_title(f"{rules.title}: how long a match lasts, both playing to win", pad=24)
        other = axes.twinx()
        other.plot(turns, 100 * done[turns], color=BUST, linestyle="--", label="over by then (right)")
        other.set(ylabel="over by then (%)", ylim=(0, 101))
        other.spines["right"].set_visible(True)
        axes.axvline(length.mean, color="#444444", linewidth=1, linestyle=":", label=f"mean: {length.mean:.2f} turns")
        handles = [*axes.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
        axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, fontsize=8.5, borderpad=0)
        axes.set_xlim(left=0)
    return figure

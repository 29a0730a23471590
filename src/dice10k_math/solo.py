"""One player alone: the turn starts, what the endings of a turn lead to, and what proves bounds of the number of
turns.

A turn start is a score, whether the first bank has been made (where that matters) and the busts in a row (where
they count).
All turn starts of a game are backed up together, one in each column.

The player is done with a bank that reaches the target, or under an exact target lands on it; six spicy dice in one
roll end the game too.
That others might still have a turn does not matter here.

*Worth.* With E expected turns, the worth is -E / scale, so that more is better and no worth is beyond 1 in absolute
value;
for the chance to be done in time it is that probability.

*Far scores.* Where scores can fall or pass the target they have no end. From `SoloGame.low` to `SoloGame.high` each
has its turn start;
farther ones are bounded by a formula, whose terms are proved here, in `SoloGame.climb`, or given by the caller.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from dice10k_math.backup import Contexts, Forward, back_up, back_up_forward
from dice10k_math.errors import NotConvergedError
from dice10k_math.last_turn import DOWN, Mask, Side, allowed, compiled, hot_dice_within, is_bank_shut
from dice10k_math.program import BLOCK, FORCED, NEVER, Floats, Program, survival
from dice10k_math.rules import Ruleset, score_step
from dice10k_math.rules.steps import penalties
from dice10k_math.turn import BankRule, TurnModel, bank_rule, six_dice_penalty, turn_model
from dice10k_math.workers import Share, counted, map_all, run_all

Indices = NDArray[np.int64]
DEPTH = 16_000
"""How far below 0 scores are resolved where they can get there, in points."""
HEIGHT = 24_000
"""How far above an exact target that can be passed."""
MOST = 40_000
"""Greatest turn score that is backed up under such a target."""
CREDIT = 2_000
"""The most that one bank counts for in the proof that far scores are climbed out of."""
TINY = 2.0**-51
"""More than the rounding of adding the cost of a turn."""


@dataclass(frozen=True, slots=True)
class Mode:
    """What a turn start says besides the score: whether the first bank has been made, and busts in a row."""

    opened: bool
    busts: int


@dataclass(frozen=True, slots=True)
class Climb:
    """A play that climbs from far below: every turn it gains at least `gain` points on average, offsets included.

    Attributes
    ----------
    gain
        Points a turn, proved.
    offsets
        Points that each mode is ahead of the first.
    """

    gain: float
    offsets: Floats


@dataclass(frozen=True, slots=True)
class Worths:
    """What a turn can lead to is worth.

    Attributes
    ----------
    values
        Shape (starts,): the turn starts.
    done
        Being done.
    far
        Shape (modes, scores of the line): far scores, after a bust.
    far_banked
        Shape (scores of the line,): far scores, after a bank; `NEVER` for a bound that does without.
    avoided
        Turn starts that are never banked into.
    """

    values: Floats
    done: float
    far: Floats
    far_banked: Floats
    avoided: Mask


@dataclass(frozen=True, slots=True)
class Part:
    """The turns of a few turn starts, as the operator takes them.

    Attributes
    ----------
    columns
        The turn starts.
    contexts
        What their turns can lead to.
    survival, limit, lowest, nudge
        As in `dice10k_math.backup.back_up`.
    """

    columns: Indices
    contexts: Contexts
    survival: Floats
    limit: int
    lowest: bool
    nudge: float


class SoloGame:
    """The turn starts of one player alone.

    Attributes
    ----------
    unit
        Points in one step of the score.
    low, high
        Least and greatest score with a turn start.
    modes
        What a turn start says besides the score; the first one is that after a bank.
    scores, mode
        Shape (starts,): score and number of the mode of each turn start.
    line
        All scores that a turn can lead to, in points.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.model: TurnModel = turn_model(rules)
        self.unit = score_step(rules)
        self.target = rules.ending.target
        self.exact = rules.ending.kind == "exact"
        self.passes = rules.ending.overshoot == "add_or_subtract"
        self.fines = penalties(rules)
        last = -(-self.target // self.unit) * self.unit - self.unit
        self.low = -(DEPTH // self.unit + 1) * self.unit if self.fines or self.passes else 0
        self.high = last + self.unit + HEIGHT // self.unit * self.unit if self.passes else last
        first_bank = bank_rule(rules, self.target, opened=True)
        self.opened = BankRule(first_bank.minimum, first_bank.multiple)
        # Where banking is not always open, whoever has what is missing is not home yet.
        self.past = FORCED if is_bank_shut(self.model, self.opened) and not self.exact else 0
        forced = FORCED if rules.turn.hot_dice == "must_roll" and not self.exact else self.past
        self.most = MOST if self.passes else self.target - self.low + forced
        self.program: Program = compiled(rules, self.most, hot_dice_within(rules, self.most))
        self.unopened = BankRule(bank_rule(rules, 0, opened=False).minimum, first_bank.multiple)
        self.remembers = rules.turn.opening_applies == "until_first_bank" and self.opened != self.unopened
        self.modes = self._modes()
        self._lay_out()
        if self.exact and self._never_busting:
            raise NotConvergedError(f"{rules.name}: an exact target with dice that need not bust is not solved")

    def _modes(self) -> tuple[Mode, ...]:
        in_a_row = self.rules.bust.in_a_row
        counts = range(in_a_row.busts if in_a_row else 1)
        return tuple(
            Mode(opened, busts) for opened in ((True, False) if self.remembers else (True,)) for busts in counts
        )

    def _lay_out(self) -> None:
        scores = np.arange(self.low, self.high + 1, self.unit)
        parts = [scores if mode.opened else scores[scores <= 0] for mode in self.modes]
        self.scores: Indices = np.concatenate(parts)
        self.mode: Indices = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        reach = -(-(max(int(self.program.bank_scores[-1]), self.most) + sum(self.fines)) // self.unit) * self.unit
        self.line: Indices = np.arange(self.low - reach, self.high + reach + 1, self.unit)
        self._place = self.mode * len(self.line) + self._on_line(self.scores)
        self._start_at = np.full(len(self.modes) * len(self.line), -1)
        self._start_at[self._place] = np.arange(len(self.scores))

    def _on_line(self, scores: Indices) -> Indices:
        return np.asarray((scores - self.line[0]) // self.unit, np.int64)

    @property
    def starts(self) -> int:
        """Number of turn starts."""
        return len(self.scores)

    def start(self, score: int, opened: bool, busts: int) -> int | None:
        """Return the number of a turn start; None: there is none."""
        mode = Mode(opened or not self.remembers, busts)
        if mode not in self.modes or not self.low <= score <= self.high or score % self.unit:
            return None
        found = int(self._start_at[self.modes.index(mode) * len(self.line) + int(self._on_line(np.array(score)))])
        return None if found < 0 else found

    @cached_property
    def may_bank(self) -> Mask:
        """Shape (bank rows, starts): whether the turn score may be banked, where the bank leads to set aside."""
        banks = self.program.bank_scores
        opened, unopened = allowed(self.opened, banks), allowed(self.unopened, banks)
        needs_opening = np.array([not mode.opened for mode in self.modes])[self.mode]
        if self.rules.turn.opening_applies == "at_score_zero":
            needs_opening = self.scores == 0
        return np.where(needs_opening[None, :], unopened[:, None], opened[:, None])

    @cached_property
    def added(self) -> Indices:
        """Shape (bank rows, starts): where on the line a bank leads that adds."""
        return self._on_line(self.scores[None, :] + self.program.bank_scores[:, None].astype(np.int64))

    @cached_property
    def subtracted(self) -> Indices:
        """The same for a bank that subtracts."""
        return self._on_line(self.scores[None, :] - self.program.bank_scores[:, None].astype(np.int64))

    @cached_property
    def above(self) -> Mask:
        """Shape (starts,): whether a bank may subtract."""
        return (self.scores > self.target) & self.passes

    @cached_property
    def busts(self) -> tuple[Indices, Indices]:
        """Shape (starts,) each: where in the flattened lines of all modes a bust leads, and a bust on six."""
        plain, on_six = np.empty(self.starts, np.int64), np.empty(self.starts, np.int64)
        for start in range(self.starts):
            score, mode = int(self.scores[start]), self.modes[self.mode[start]]
            fine, after = self._after_bust(mode)
            first = self.modes.index(after) * len(self.line)
            plain[start] = first + (score - fine - self.line[0]) // self.unit
            on_six[start] = first + (score - fine - six_dice_penalty(self.rules, score) - self.line[0]) // self.unit
        return plain, on_six

    def _after_bust(self, mode: Mode) -> tuple[int, Mode]:
        """Return what the count of busts costs, and the mode after it."""
        in_a_row = self.rules.bust.in_a_row
        if in_a_row is None:
            return 0, mode
        if mode.busts + 1 == in_a_row.busts:
            return in_a_row.penalty, Mode(mode.opened, 0)
        return 0, Mode(mode.opened, mode.busts + 1)

    def _bank_line(self, worths: Worths) -> Floats:
        """Return the worth of each score of the line right after a bank."""
        line = worths.far_banked.copy()
        first = self.mode == 0
        line[self._place[first]] = np.where(worths.avoided, NEVER, worths.values)[first]
        if self.exact:
            line[self.line == self.target] = worths.done
            if not self.passes:
                line[self.line > self.target] = NEVER
        else:
            line[self.line >= self.target] = worths.done
        return line

    def _survival(self, side: Side) -> Floats:
        """Return the survival beyond the greatest turn score."""
        low, high = survival(self.model, self.opened.multiple)
        if not self.exact:
            return low if side.lowest else high
        # For a lower bound of the worth a player may roll on until the bust, which is as good as certain to come.
        return high if not side.lowest and (self.passes or self.wins_at_once) else np.zeros_like(low)

    def _top(self, falls: Floats, worths: Worths, side: Side) -> Floats:
        """Return what survival beyond the greatest turn score counts for."""
        if not self.exact or self.wins_at_once:
            return np.full(self.starts, worths.done)
        if side.lowest or not self.passes:
            return np.zeros(self.starts)
        # Where banking so much is worse than a bust, a player may roll on until the bust.
        return np.maximum(self._banked_beyond(worths), falls)

    def _banked_beyond(self, worths: Worths) -> Floats:
        """Return an upper bound of what banking more than the greatest turn score is worth, for an upper
        bound of all.
        """
        line = self._bank_line(worths)
        from_here = np.maximum.accumulate(line[::-1])[::-1]
        up_to_here = np.maximum.accumulate(line)
        best = from_here[self._on_line(self.scores + self.most)]
        down = up_to_here[self._on_line(self.scores - self.most)]
        return np.where(self.above, np.maximum(best, down), best)

    def contexts(self, worths: Worths, side: Side) -> Contexts:
        """Return the turns of all turn starts, one to a column."""
        line = self._bank_line(worths)
        table = line[self.added]
        if self.passes:
            table = np.where(self.above, np.maximum(table, line[self.subtracted]), table)
        table[~self.may_bank] = NEVER
        lines = worths.far.reshape(-1).copy()
        lines[self._place] = worths.values
        plain, on_six = self.busts
        rows = np.arange(len(table), dtype=np.int32)
        bust, bust_on_six = lines[plain], lines[on_six]
        top = self._top(np.maximum(bust, bust_on_six), worths, side)
        return Contexts(table, rows[None, :], bust[None], bust_on_six[None], top[None], worths.done)

    def _parts(self, worths: Worths, side: Side) -> list[Part]:
        """Return the turns in parts of a few columns each, with what they have in common."""
        contexts = self.contexts(worths, side)
        bust, on_six, top = contexts.bust[0], contexts.bust_on_six[0], contexts.top[0]
        # Where banking beyond the greatest turn score is no use, a player rolls on for the better kind of bust.
        known = np.zeros(self.starts, bool)
        if self.passes and not self.wins_at_once:
            known = np.full(self.starts, side.lowest) | (self._banked_beyond(worths) <= np.minimum(bust, on_six))
        seeking = on_six > bust
        # Next to the target a bank may need more than what is missing.
        minimum = max(self.opened.minimum, self.unopened.minimum)
        needed = np.full(self.starts, self.most) if self.passes else np.maximum(self.target - self.scores, minimum)
        remainders = len(self._survival(side)) // len(self.model.hands)
        on_six_at_last, bust_at_last = (
            np.repeat(bounds[0 if side.lowest else 1], remainders) for bounds in self.bust_chances
        )
        parts = []
        for kind, chance, worth, lowest in (
            (~known, self._survival(side), top, side.lowest),
            (known & seeking, on_six_at_last, on_six, True),
            (known & ~seeking, bust_at_last, bust, True),
        ):
            columns = np.flatnonzero(kind)
            for some in (columns[start : start + BLOCK] for start in range(0, len(columns), BLOCK)):
                table, few = np.ascontiguousarray(contexts.table[:, some]), (bust[some], on_six[some], worth[some])
                lost, lost_on_six, beyond = (row[None] for row in few)
                part = Contexts(table, contexts.bank_rows, lost, lost_on_six, beyond, contexts.instant_win)
                limit = min(int(needed[some].max()) + self.past, self.most)
                parts.append(Part(some, part, chance, limit, lowest, side.nudge(self.program)))
        return parts

    @cached_property
    def bust_chances(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Bounds of the best chance of a bust on six when never banking, and of a bust that is none: shape
        (hands,) each.

        Counting the ways that end so within 200 rolls gives the lower one, not counting those that end
        otherwise the upper one.
        """
        return self._bust_chance(on_six=True), self._bust_chance(on_six=False)

    def _bust_chance(self, *, on_six: bool) -> tuple[Floats, Floats]:
        chances = []
        for start in (0.0, 1.0):
            chance = np.full(len(self.model.hands), start)
            for _ in range(200):
                chance = np.array([self._one_roll(number, chance, on_six=on_six) for number in range(len(chance))])
            chances.append(chance)
        return np.maximum(chances[0] - 1e-13, 0.0), np.minimum(chances[1] + 1e-13, 1.0)

    @property
    def _never_busting(self) -> bool:
        """Whether rolling on need not end in a bust; then what lies beyond the greatest turn score is not
        bounded by one.
        """
        chance = np.zeros(len(self.model.hands))
        for _ in range(200):
            chance = np.array([self._one_roll(number, chance, on_six=None) for number in range(len(chance))])
        return bool(chance.min() < 1.0 - 1e-9)

    def _one_roll(self, number: int, chance: Floats, *, on_six: bool | None) -> float:
        hand = self.model.hands[number]
        after = [float(chance[entry.hand]) if entry.may_roll else 0.0 for entry in hand.entries]
        alive = sum(roll.weight * max(after[entry] for entry in roll.entries) for roll in hand.classes)
        if on_six is None:
            return (alive + hand.bust + hand.instant_win) / hand.outcomes
        return (alive + (hand.bust if (number == self.model.full) == on_six else 0)) / hand.outcomes

    @cached_property
    def wins_at_once(self) -> bool:
        """Whether a roll can end the game."""
        return any(hand.instant_win for hand in self.model.hands)

    def turn(self, worths: Worths, side: Side) -> Floats:
        """Back up the turn of every turn start."""
        out = np.empty(self.starts)

        def work(part: Part) -> None:
            out[part.columns] = back_up(
                self.program,
                part.contexts,
                part.survival,
                blocks=np.array([(0, 0, len(part.columns), part.limit)], np.int64),
                lowest=part.lowest,
                nudge=part.nudge,
                workers=1,
            )[0]

        run_all([partial(work, part) for part in self._parts(worths, side)])
        return out

    def turn_forward(
        self, worths: Worths, side: Side, progress: Share | None = None
    ) -> tuple[Floats, Indices, Indices, Floats]:
        """Back up every turn and follow the best play.

        Returns
        -------
        tuple
            The worth of every turn, and the probabilities to get from a turn start to another: from, to, probability.
        """
        parts = self._parts(worths, side)

        def follow(part: Part) -> Forward:
            return back_up_forward(
                self.program, part.contexts, part.survival, limit=part.limit, lowest=part.lowest, nudge=part.nudge
            )

        line = self._bank_line(worths)
        values = np.empty(self.starts)
        found = []
        forwards = counted(map_all(follow, parts), len(parts), progress)
        for part, forward in zip(parts, forwards, strict=True):
            values[part.columns] = forward.value
            found.append(self._moves(part, forward, line))
        origin, target, weight = (np.concatenate(items) for items in zip(*found, strict=True))
        return values, origin, target, weight

    def _moves(self, part: Part, forward: Forward, line: Floats) -> tuple[Indices, Indices, Floats]:
        """Return from where to where a turn leads, with probabilities, leaving out what is no turn start."""
        columns, ends = part.columns, part.contexts
        worse = np.minimum if part.lowest else np.maximum
        # Turns beyond the limit that bust begin again where others do.
        _, fallen = forward.beyond(ends.top[0], worse(ends.bust[0], ends.bust_on_six[0]))
        bank, column = np.nonzero(forward.banked)
        start = columns[column]
        to = self.added[bank, start]
        if self.passes:
            down = self.subtracted[bank, start]
            to = np.where(self.above[start] & (line[down] > line[to]), down, to)
        done = self.line[to] == self.target if self.exact else self.line[to] >= self.target
        origin = np.concatenate([start, columns, columns])
        target = np.concatenate(
            [np.where(done, -1, self._start_at[to]), *(self._start_at[place[columns]] for place in self.busts)]
        )
        weight = np.concatenate([forward.banked[bank, column], forward.bust + fallen, forward.bust_on_six])
        inside = target >= 0
        return origin[inside], target[inside], weight[inside]

    @cached_property
    def endless(self) -> Mask:
        """Shape (starts,): from where no play is certain to be done at last.

        Under an exact target that may not be passed, a bank minimum can leave a player short of it for ever.
        """
        if not self.exact:
            return np.zeros(self.starts, bool)
        safe = np.ones(self.starts, bool)
        while True:
            reaching = self._reaching(safe)
            if (reaching == safe).all():
                return ~safe
            safe = reaching

    def _reaching(self, safe: Mask) -> Mask:
        """Tell from which turn starts a play that stays in `safe` can come to be done."""
        program = self.program
        bankable = np.zeros(len(program.bank_scores), bool)
        bankable[program.bank_row[program.bank_row >= 0]] = True
        bankable[program.targets[program.targets < len(bankable)]] = True
        may_bank = self.may_bank & bankable[:, None]
        stays = np.ones(self.starts, bool)
        for place in self.busts:
            stays &= (self._start_at[place] < 0) | safe[self._start_at[place]]
        reaching = np.zeros(self.starts, bool)
        if self.wins_at_once:
            reaching |= stays & safe
        while True:
            line = np.zeros(len(self.line), bool)
            first = self.mode == 0
            line[self._place[first]] = reaching[first]
            line = np.where(self.line == self.target, True, line & (self.passes | (self.line < self.target)))
            better = line[self.added]
            if self.passes:
                better |= self.above & line[self.subtracted]
            found = (better & may_bank).any(axis=0)
            for place in self.busts:
                found |= (self._start_at[place] >= 0) & reaching[self._start_at[place]]
            found = (found & stays & safe) | reaching
            if (found == reaching).all():
                return reaching
            reaching = found

    @cached_property
    def climb(self) -> Climb:
        """A play that climbs from far below, and what it gains.

        Banks count for at most `CREDIT` (or twice the minimum) and lead at most `DEPTH` upward; a turn
        score beyond is played on until the bust.
        So from a score s below `low` the score `low` is reached after at most (low + credit - s + what the
        modes differ) / gain turns on average.
        """
        cap = self.climb_reach
        banks = self.program.bank_scores
        scale = 2.0 ** np.ceil(np.log2(2.0 * max(self.credit, sum(self.fines), cap / 4) + 1.0))
        offsets = np.zeros(len(self.modes))
        score = self.low - self.unit
        opened = np.array([mode.opened for mode in self.modes])
        rule = np.where(opened, allowed(self.opened, banks)[:, None], allowed(self.unopened, banks)[:, None])
        rule &= (banks <= cap)[:, None]
        credit = np.minimum(banks, self.credit) / scale
        rows = np.arange(len(banks), dtype=np.int32)[None, :]
        fine, after = zip(*(self._after_bust(mode) for mode in self.modes), strict=True)
        follow = np.array([self.modes.index(mode) for mode in after])
        gain = -np.inf
        for _ in range(1 if len(self.modes) == 1 else 60):
            table = np.where(rule, credit[:, None] + offsets[0], NEVER)
            bust = offsets[follow] - np.array(fine) / scale
            on_six = bust - six_dice_penalty(self.rules, score) / scale
            contexts = Contexts(table, rows, bust[None], on_six[None], np.zeros((1, len(self.modes))), 0.0)
            blocks = np.array([(0, 0, len(self.modes), min(cap, self.most))], np.int64)
            zeros = np.zeros(int(self.program.edge_kind.max()) + 1)
            worth = back_up(self.program, contexts, zeros, blocks=blocks, nudge=DOWN.nudge(self.program))[0]
            if (found := float(np.min(worth - offsets))) > gain:
                gain, best = found, offsets
            offsets = worth - worth[0]
        if gain <= TINY:
            raise NotConvergedError(
                f"{self.rules.name}: below {self.low} points no turn was found that gains on average"
            )
        return Climb((gain - TINY) * scale, best * scale)

    @property
    def climb_reach(self) -> int:
        """The most that a bank from below `low` is followed upward."""
        return DEPTH if self.low else int(self.program.bank_scores[-1])

    @property
    def credit(self) -> int:
        """The most that one bank counts for in a climb."""
        return max(CREDIT, 2 * self.unopened.minimum)

    def turns_from_below(self, landing: float) -> Floats:
        """Return upper bounds of the expected turns from scores below `low`: shape (modes, scores of the line).

        Parameters
        ----------
        landing
            An upper bound of the expected turns from every score of every mode between `low` and `low`
            + `climb_reach`.
        """
        climb = self.climb
        behind = np.maximum(self.low - self.line, 0) + self.credit
        ahead = climb.offsets.max() - climb.offsets
        return np.asarray(landing + (behind[None, :] + ahead[:, None]) / climb.gain * (1.0 + 1e-12))

    def landing(self, turns: Floats) -> float:
        """Return the most expected turns after a climb."""
        return float(np.max(turns[(self.scores <= self.low + self.climb_reach) & (self.scores < self.target)]))

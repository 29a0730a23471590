"""What plans keep on a compiled turn if they roll on, worked out once for all that have a way of keeping in common."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from dice10k_math.plans import flat_model, plan_numbers, worths_of
from dice10k_math.policy.keeping import Keeping
from dice10k_math.policy.plan import Plan
from dice10k_math.program import Ints, Program
from dice10k_math.turn import TurnModel

Kept = tuple[Ints, NDArray[np.int64]]
"""The entry that is kept after each class of rolls of each after-state, and a hundred times what rolling on counts."""
MOST_BYTES = 2**28
"""Memory for ways of keeping that are remembered."""


class Keeps:
    """What is kept on a program without a hot-dice bonus.

    Parameters
    ----------
    program
        The compiled turn.
    model
        The turn model that plans are followed in.
    """

    def __init__(self, program: Program, model: TurnModel) -> None:
        self.program, self.model, self.flat = program, model, flat_model(model)
        self._lock = Lock()
        self._known: OrderedDict[tuple[Keeping, int, int], Kept] = OrderedDict()

    @cached_property
    def firsts(self) -> Ints:
        """Where the classes of each after-state start; one that is not followed has none."""
        program, classes = self.program, np.array([len(hand.classes) for hand in self.model.hands])
        followed = program.turn_score <= program.most
        return np.append(0, np.cumsum(np.where(followed, classes[program.hand], 0))).astype(np.int32)

    @cached_property
    def banks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Entries of each class of rolls that may be banked."""
        from dice10k_math.keeps import banks_of

        starts, entries = banks_of(self.flat.classes, self.flat.entries)
        return starts, entries

    def of(self, plan: Plan) -> Kept:
        """Return what a plan keeps."""
        # Nothing else of a plan is asked in `Plan._keep_rank`.
        key = plan.keep, plan.most, plan.multiple
        with self._lock:
            found = self._known.pop(key, None)
        found = found or self._worked_out(plan)
        with self._lock:
            self._known[key] = found
            most = MOST_BYTES // sum(part.nbytes for part in found)
            while len(self._known) > max(most, 1):
                self._known.popitem(last=False)
        return found

    def _worked_out(self, plan: Plan) -> Kept:
        from dice10k_math.keeps import keep_by_plan

        flat, program, count = self.flat, self.program, int(self.firsts[-1])
        kept, hundredfold = np.empty(count, np.int32), np.empty(count, np.int64)
        states, worths = (program.hand, program.turn_score, self.firsts), np.array(worths_of(plan), np.int64)
        keep_by_plan(plan_numbers(plan), worths, flat.classes, flat.entries, *states, kept, hundredfold)
        return kept, hundredfold

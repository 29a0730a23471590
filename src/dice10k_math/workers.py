"""Threads for compiled work: the compiled loops let go of the interpreter, so threads run them at the same time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[str, float | None], None]
"""Told what is being done, and the share that is done where that is known."""
Share = Callable[[float], None]
"""Told the share of the work that is done."""
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(CORES, thread_name_prefix="dice10k")


def run_all(jobs: Sequence[Callable[[], Any]]) -> None:
    """Run jobs side by side and wait for all of them."""
    if len(jobs) == 1:
        jobs[0]()
        return
    for _ in _pool().map(_call, jobs):
        pass


def counted(items: Iterable[Item], total: int, told: Share | None) -> Iterator[Item]:
    """Pass items on, telling what share of them has been asked for."""
    for number, item in enumerate(items):
        if told is not None:
            told(number / total)
        yield item


def nth_part(told: Share | None, number: int, parts: int) -> Share | None:
    """Return who is told the share of one of several equal parts, counted from 0; None: nobody."""
    return None if told is None else lambda share: told((number + share) / parts)


def part_of(progress: Progress | None, what: str) -> Share | None:
    """Return who is told the share of one piece of work; None: nobody."""
    return None if progress is None else lambda share: progress(what, share)


def within(progress: Progress | None, name: str) -> Progress | None:
    """Return who is told about a piece of work, its name before what is being done in it; None: nobody."""
    return None if progress is None else lambda what, share: progress(f"{name}: {what}", share)


def _call(job: Callable[[], Any]) -> None:
    job()


def map_all(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterable[Result]:
    """Apply a function to items side by side; results come in the order of the items.

    The function must not hand out work itself: that would wait for the same threads.
    """
    return _pool().map(function, items)

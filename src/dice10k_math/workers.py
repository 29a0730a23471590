"""Threads for compiled work: the compiled loops let go of the interpreter, so threads run them at the same time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
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


def _call(job: Callable[[], Any]) -> None:
    job()


def map_all(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterable[Result]:
    """Apply a function to items side by side; results come in the order of the items.

    The function must not hand out work itself: that would wait for the same threads.
    """
    return _pool().map(function, items)

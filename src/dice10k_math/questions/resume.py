"""A journal on disk: long solving goes on where it was interrupted."""

from __future__ import annotations

import io
import os
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dice10k_math.errors import InputError
from dice10k_math.race import Race
from dice10k_math.rules.write import fingerprint
from dice10k_math.solve.journal import Journal

SECONDS = 60.0
"""Time between two times of writing."""
ARRAYS = ("move", "slope", "lower", "wait")
FORMAT = 1
PART = ".part"


@dataclass(slots=True)
class Diary:
    """Writes a journal to a file now and then.

    Attributes
    ----------
    path
        The file.
    race
        The match.
    seconds
        Time between two times of writing.
    """

    path: Path
    race: Race
    seconds: float = SECONDS
    written: float = 0.0

    def open(self) -> Journal:
        """Return the journal of the file, or a blank one if there is no file.

        Raises
        ------
        InputError
            A file that is no journal of this match.
        """
        journal = self._read() if self.path.exists() else Journal.blank(self.race)
        journal.keep = self.keep
        self.written = time.monotonic()
        return journal

    def keep(self, journal: Journal) -> None:
        """Write the journal if it is time to, or if it is whole."""
        whole = 2 * self.race.scores - 1
        due = time.monotonic() - self.written >= self.seconds
        if due or journal.solved == whole > journal.bounded == 0 or journal.bounded == whole:
            self.write(journal)

    def write(self, journal: Journal) -> None:
        """Write the journal: whole, or not at all."""
        buffer = io.BytesIO()
        rows = {"solved": np.array(journal.solved), "bounded": np.array(journal.bounded)}
        arrays = {name: getattr(journal, name) for name in ARRAYS}
        np.savez(buffer, **rows, **arrays, rules=np.array(self._title))  # type: ignore[arg-type]
        part = self.path.with_name(f".{self.path.name}{PART}")
        with part.open("wb") as file:
            file.write(buffer.getvalue())
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.path)
        self.written = time.monotonic()

    @property
    def _title(self) -> str:
        return f"dice10k_math journal {FORMAT} {fingerprint(self.race.rules)}"

    def _read(self) -> Journal:
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as found:
                if str(found["rules"]) != self._title:
                    raise InputError(f"{self.path}: a journal of other rules or of another version")
                move, slope, lower, wait = (np.array(found[name], np.float64) for name in ARRAYS)
                journal = Journal(move, slope, lower, wait, int(found["solved"]), int(found["bounded"]))
        except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{self.path}: no journal of a match; allowed: one that --resume wrote") from None
        shape = (self.race.phases, self.race.rows, self.race.scores)
        if any(getattr(journal, name).shape != shape for name in ARRAYS):
            raise InputError(f"{self.path}: a journal of another size than {shape}")
        return journal

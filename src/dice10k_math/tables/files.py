"""Files that are written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from pathlib import Path

from dice10k_math.errors import TableError

PART = ".part"
"""Ending of a file that is still being written."""

_CHUNK = 1 << 20

_unfinished: set[Path] = set()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that under its name there is never a part of it.

    The bytes go to a file beside it, reach the disk, and only then take the name.
    What is no ordinary file (a terminal, a pipe) is written to directly.

    Raises
    ------
    OSError
        If the folder does not exist or cannot be written to; the file is then as it was.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "odds.csv", b"dice")
    ...     (Path(folder) / "odds.csv").read_bytes()
    b'dice'
    """
    # A link stays a link: what it points to is written.
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    # The name of the part is short, so that any name the folder can hold can be written.
    part = path.parent / f".{secrets.token_hex(8)}{PART}"
    _unfinished.add(part)
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    finally:
        _unfinished.discard(part)


def remove_parts() -> None:
    """Remove what is being written, for a process that is about to end."""
    for part in tuple(_unfinished):
        part.unlink(missing_ok=True)


def regular_file(folder: Path, file: str) -> Path:
    """Return the path of a file below a folder, having seen that it is an ordinary one.

    Reading from a device or a pipe might never end, and a link might lead anywhere.

    Raises
    ------
    FileNotFoundError
        There is none.
    TableError
        It is something else, or a link that leads out of the folder.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "odds.csv").write_bytes(b"dice")
    ...     regular_file(Path(folder), "odds.csv").name
    'odds.csv'
    """
    path = Path(os.path.realpath(folder / file))
    if not path.is_relative_to(os.path.realpath(folder)):
        raise TableError(f"{file}: a link out of the folder; allowed: an ordinary file below it")
    if not stat.S_ISREG(path.stat().st_mode):
        raise TableError(f"{file}: not an ordinary file; allowed: an ordinary file below the folder")
    return path


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "empty").write_bytes(b"")
    ...     sha256_of(Path(folder) / "empty")[:8]
    'e3b0c442'
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()

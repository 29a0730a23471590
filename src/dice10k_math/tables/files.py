"""Files that are written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from pathlib import Path

PART = ".part"
"""Ending of a file that is still being written."""

_CHUNK = 1 << 20


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

"""The process behind the command line: ``dice10k-math``, or ``python -m dice10k_math``.

Ctrl-C ends it at once, with code 130, from the first moment on and whatever it is doing.
A KeyboardInterrupt would not do: it can be lost in a callback, come out of a half-loaded extension as another error,
and it waits for compiled loops to end.
Nothing needs to be unwound: files take their names only when they are whole.
"""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> int:
    """Run the command line and return its exit code."""
    try:
        _heed_ctrl_c()
        from dice10k_math.cli import main as run
    except KeyboardInterrupt:
        _leave()
    return run()


def _heed_ctrl_c() -> None:
    """Have Ctrl-C end the process, unless whoever started it wants that ignored."""
    import signal

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    signal.signal(signal.SIGINT, _leave)
    if os.name == "posix":
        # The handler has to wait while the main thread is in a compiled loop; a thread that reads of it has not.
        from _thread import start_new_thread

        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        start_new_thread(_leave_when_told, (reader,))


def _leave_when_told(reader: int) -> None:
    os.read(reader, 1)
    _leave()


def _leave(*_: object) -> NoReturn:
    files = sys.modules.get("dice10k_math.tables.files")
    if files is not None:
        files.remove_parts()
    if os.isatty(2):
        # A progress bar has hidden the cursor.
        os.write(2, b"\r\x1b[2K\x1b[?25h" if "rich.progress" in sys.modules else b"\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())

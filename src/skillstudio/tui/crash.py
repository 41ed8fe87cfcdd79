"""What is left for the user when the workbench itself fails: one line and a report in a file."""

from __future__ import annotations

import os
import platform
import time
import traceback

from skillstudio import __version__
from skillstudio.text.safe import safe_text


def told(error: BaseException, folder: str) -> str:
    """Write a report of a failure into a folder; the line that tells the user of it."""
    what = safe_text(f"{type(error).__name__}: {error}")[:200]
    try:
        where = f"The report is in {_write(error, folder)}"
    except OSError as trouble:
        where = f"No report could be written to {folder}: {trouble.strerror or trouble}"
    return (
        f"skillstudio failed and had to stop ({what}). "
        f"Unsaved text is kept and offered on the next start. {where}"
    )


def _write(error: BaseException, folder: str) -> str:
    """The path of a new report: where in the program it was, no values but the error's."""
    import textual

    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, f"{time.strftime('%Y-%m-%d-%H%M%S')}-{os.getpid()}.txt")
    lines = [
        f"skillstudio {__version__}, textual {textual.__version__}",
        f"Python {platform.python_version()} on {platform.platform()}",
        f"TERM={os.environ.get('TERM', '')} COLORTERM={os.environ.get('COLORTERM', '')}",
        "",
        *traceback.format_exception(error),
    ]
    with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write("\n".join(line.rstrip("\n") for line in lines) + "\n")
    return path

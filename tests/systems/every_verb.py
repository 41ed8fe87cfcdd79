"""Run steps in one process as on another system: `every_verb.py SYSTEM FOLDER`, steps on standard
input as JSON, results on standard output."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pkgutil
import sys
import traceback
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


ONLY_LINUX = ("skillstudio.dryrun.isolation.launcher", "skillstudio.dryrun.isolation.tracer")
"""Programs that Linux starts beside a run. No module imports them."""


def main(system: str, folder: str) -> None:
    """Run the steps; a step is a command line or one of `SPECIAL`."""
    sys.path[:0] = [str(ROOT)]
    from tests.systems.removal import remove_linux

    steps = json.load(sys.stdin)
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if system != "linux":
        remove_linux(system)
    # With -X warn_default_encoding: other systems have other encodings by default.
    warnings.filterwarnings("error", category=EncodingWarning, module="skillstudio")
    os.chdir(folder)
    results = [SPECIAL[step]() if step in SPECIAL else _command(step.split()) for step in steps]
    with os.fdopen(out, "w") as stream:
        json.dump(results, stream)


def _command(words: list[str]) -> dict[str, Any]:
    from skillstudio.cli.main import main as run

    texts = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    begin = os.times()
    status: int | None
    try:
        with contextlib.redirect_stdout(texts[0]), contextlib.redirect_stderr(texts[1]):
            status = run(words)
    except BaseException:
        status = None
        texts[1].write(traceback.format_exc())
    end = os.times()
    out, err = (text.buffer.getvalue().decode() for text in texts)  # type: ignore[attr-defined]
    return {"status": status, "out": out, "err": err, "seconds": sum(end[:4]) - sum(begin[:4])}


def _import_all() -> dict[str, Any]:
    """Import every module; the error output names those that fail."""
    import skillstudio

    failures = []
    for module in pkgutil.walk_packages(skillstudio.__path__, "skillstudio."):
        if module.name.endswith("__main__"):
            continue
        try:
            import_module(module.name)
            if module.name in ONLY_LINUX:
                failures.append(f"{module.name}: works here, so it is not for Linux only")
        except BaseException as error:
            if module.name not in ONLY_LINUX or sys.exc_info()[0] is SyntaxError:
                failures.append(f"{module.name}: {error!r}")
    return {"status": bool(failures), "out": "", "err": "\n".join(failures), "seconds": 0}


def _open_workbench() -> dict[str, Any]:
    """Open the skills of the folder, move in the list, and leave."""
    import asyncio

    from skillstudio.tui.app import Studio

    async def session() -> str:
        app = Studio(".")
        async with app.run_test(size=(120, 36)) as pilot:
            for key in ("j", "enter", "escape"):
                await pilot.pause()
                await pilot.press(key)
            await pilot.pause()
            return type(app.screen).__name__

    try:
        screen = asyncio.run(session())
    except BaseException:
        return {"status": 1, "out": "", "err": traceback.format_exc(), "seconds": 0}
    return {"status": int(screen != "Workbench"), "out": screen, "err": "", "seconds": 0}


SPECIAL = {"(import every module)": _import_all, "(open the workbench)": _open_workbench}


if __name__ == "__main__":
    main(*sys.argv[1:])

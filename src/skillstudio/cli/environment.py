"""The environment variables that commands read, and the one that `--config` sets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from skillstudio.cli.output import UsageError
from skillstudio.files.state import CACHE_DIR
from skillstudio.settings.settings import CONFIG

VARIABLES = {
    CONFIG: "the settings file to read instead of the nearest one, as --config",
    "SKILLSTUDIO_TARGETS": "targets for check and fix, separated by commas; --target replaces them",
    "SKILLSTUDIO_NO_CACHE": "1: check unchanged skills again and keep no results, as --no-cache",
    CACHE_DIR: "the folder for the caches (default: ~/.cache, or that of the system)",
    "NO_COLOR": "if it is not empty: use no colours; takes precedence over the next two",
    "FORCE_COLOR": "if it is neither empty nor 0: use colours without a terminal, too; also "
    "CLICOLOR_FORCE",
    "CLICOLOR": "0: use no colours",
    "PAGER": "the program that shows long results on a terminal",
    "VISUAL": "the editor that the workbench starts; else EDITOR",
}
"""Every variable with its meaning. Formats and exit statuses have none: a script that parses an
output must not depend on who runs it."""


def environment_lines(width: int) -> Iterator[str]:
    """The variables as a page of help."""
    from textwrap import wrap

    names = max(map(len, VARIABLES))
    yield "Environment variables. Options on the command line take precedence."
    yield ""
    for name, about in VARIABLES.items():
        first, *rest = wrap(about, width - names - 4)
        yield f"  {name:<{names}}  {first}"
        yield from (f"  {'':<{names}}  {line}" for line in rest)


@contextmanager
def settings_from(file: str | None) -> Iterator[None]:
    """Use a settings file within, also in programs of ours that are started, as git passes on
    `--git-dir`. Raises UsageError if there is no such file."""
    before = os.environ.get(CONFIG)
    if not file or file == before:
        yield
        return
    # The null device has no settings; other devices and pipes can be read only once.
    if not os.path.isfile(file) and file != os.devnull:
        what = "is not a regular file" if os.path.exists(file) else "does not exist"
        what = "is a folder" if os.path.isdir(file) else what
        raise UsageError(f"--config {file}: the file {what}")
    os.environ[CONFIG] = os.path.abspath(file)
    try:
        yield
    finally:
        if before is None:
            del os.environ[CONFIG]
        else:
            os.environ[CONFIG] = before

"""`skillstudio mcp`: the Model Context Protocol server on standard input and output."""

from __future__ import annotations

import gc
import os
import sys
from importlib.util import find_spec

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.config import OUTPUTS
from skillstudio.cli.output import PackageMissing, UsageError


def run(options: CommandOptions) -> int:
    """Serve one client until it ends. Raises CommandRefused, UsageError."""
    if find_spec("mcp") is None:
        raise PackageMissing("mcp is not installed: `pip install 'skillstudio[mcp]'`")
    for root in options.root:
        if not os.path.isdir(root):
            raise UsageError(f"--root {root}: no such folder")
    if sys.stdin.isatty():
        raise UsageError("an agent starts this command; docs/agents.md has its configuration")
    from skillstudio.mcp.serve import serve
    from skillstudio.mcp.server import ServerOptions

    # A command runs without collecting garbage; a server runs for days.
    gc.enable()
    # -P: commands run in the client's folders, which must not be searched for modules.
    command = (sys.executable, "-P", "-m", "skillstudio")
    roots = tuple(map(os.path.abspath, options.root))
    return serve(ServerOptions(command, OUTPUTS, roots, options.allow_run))

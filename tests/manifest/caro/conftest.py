"""A small skill for caro, and what checking it finds."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.check import check
from skillstudio.manifest.locate import locate
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Source

HEAD = """\
[skill]
id = "cloud.aws"
name = "AWS"
version = "0.3.0"
description = "AWS workflows"
api_version = "1.0"

"""
MANIFEST = f"""\
{HEAD}[provides]
knowledge = true
recipes = true

[capabilities.terminal_exec]
commands = ["aws", "kubectl"]
blocked = ["rm"]
"""
RECIPE = """\
id: list
name: List
description: List the buckets
parameters:
  - name: region
steps:
  - command: "aws s3 ls --region {{region}}"
"""
Files = dict[str, str | bytes]


class Found:
    """The diagnostics of a skill, and where each stands."""

    def __init__(self, files: Files, name: str = "aws") -> None:
        data = {
            path: text.encode() if isinstance(text, str) else text for path, text in files.items()
        }
        located = locate(MemoryTree(data, name))
        self.sources = {
            path: Source(text.decode("utf-8", "replace")) for path, text in data.items()
        }
        self.diagnostics = check(located.skill, located.diagnostics)

    def one(self, rule: str) -> Diagnostic:
        found = [each for each in self.diagnostics if each.rule == rule]
        assert len(found) == 1, self.lines
        return found[0]

    @property
    def lines(self) -> list[str]:
        """`path:line:column rule text`, a finding a line."""
        lines = []
        for each in self.diagnostics:
            source = self.sources[each.path]
            start, end = each.span or (0, 0)
            line, column = source.position(start)
            lines.append(
                f"{each.path}:{line}:{column} {each.rule} {source.text[start:end]}".strip()
            )
        return lines

    @property
    def rules(self) -> list[str]:
        return [each.rule for each in self.diagnostics]


@pytest.fixture
def found() -> Callable[..., Found]:
    """Check the small skill with its skill.toml, or other files, changed."""

    def run(manifest: str = MANIFEST, name: str = "aws", **other: str | bytes) -> Found:
        if "terminal_exec" not in manifest:
            manifest = f"{manifest.rstrip()}\n\n[capabilities.terminal_exec]\n"
        files: Files = {
            "skill.toml": manifest,
            "knowledge/overview.md": "# AWS\n",
            "recipes/list.yaml": RECIPE,
        }
        files.update({path.replace("__", "/"): text for path, text in other.items()})
        return Found(files, name)

    return run

"""Ask for the facts that scripts do not state, like the questions of a template."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import MemoryTree
from skillstudio.scaffold.new.copier_file import CopierFile
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.rendering import Rendered
from skillstudio.scaffold.new.scripts.drafting import draft_skill, drafted_dialect
from skillstudio.scaffold.new.scripts.gathering import NoScripts, gather
from skillstudio.scaffold.new.template import Question, Template

_QUESTIONS = (
    Question("name", "str", "Name of the skill and its folder"),
    Question(
        "description",
        "str",
        "What it does and when to use it; agents select skills by this text alone",
        default="",
        placeholder="if empty, a TODO that the check reports",
    ),
)


class ScriptInterview(Interview):
    """The questions for a skill drafted from a folder of scripts."""

    def __init__(self, scripts: str, folder: str) -> None:
        """Read the scripts; `folder` is the name of the new folder. Raises NoScripts."""
        shown = scripts.rstrip("/" + os.sep) or scripts
        if not os.path.isdir(scripts):
            there = os.path.lexists(scripts)
            raise NoScripts(f"{scripts} is a file; choose its folder" if there
                            else f"{scripts}: no such folder")  # fmt: skip
        self.gathered = gather(DiskTree(scripts), shown)
        # Many such folders are called scripts or bin, so show the parent's name.
        name = "/".join(os.path.abspath(scripts).split(os.sep)[-2:])
        template = Template(
            name=f"from {name}",
            tree=MemoryTree({}, name),
            origin="scripts",
            shown=shown,
            config=CopierFile(shown, {}, {}),
            questions=_QUESTIONS,
            dialect=drafted_dialect().id,
        )
        super().__init__(template, folder)

    def drafted(self, answers: Mapping[str, Any]) -> Rendered:
        """Draft the skill from the scripts and answers."""
        return draft_skill(self.gathered, answers["name"], answers["description"].strip())

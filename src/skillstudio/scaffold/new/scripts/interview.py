"""What scripts leave open, asked as the questions of a template are."""

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
    Question("name", "str", "The skill's name, which is that of its folder too"),
    Question(
        "description",
        "str",
        "What it does and when to use it; agents choose a skill by nothing else",
        default="",
        placeholder="left empty, it is a TODO that the check reports",
    ),
)


class ScriptInterview(Interview):
    """The questions for a skill of a folder of scripts; no process is needed for them."""

    def __init__(self, scripts: str, folder: str) -> None:
        """Read the scripts in `scripts`; `folder` is the name that the new folder will have.

        Raises NoScripts.
        """
        shown = scripts.rstrip("/" + os.sep) or scripts
        if not os.path.isdir(scripts):
            there = os.path.lexists(scripts)
            raise NoScripts(f"{scripts} is a file; name its folder" if there
                            else f"{scripts}: no such folder")  # fmt: skip
        self.gathered = gather(DiskTree(scripts), shown)
        # Many such folders are called scripts or bin: the one above tells them apart.
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
        """The skill that the scripts and the answers make."""
        return draft_skill(self.gathered, answers["name"], answers["description"].strip())

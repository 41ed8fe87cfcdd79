"""What the lens of the required bump says where there is nothing to compare with."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.repositories import Repo, needs_git, plain

from skillstudio.session.workspace import Workspace


@pytest.mark.slow  # It imports the language server and runs git.
@needs_git
def test_a_skill_that_head_does_not_have_cannot_be_compared(tmp_path: Path) -> None:
    pytest.importorskip("pygls")
    from skillstudio.lsp.lenses import bump_title

    repo = Repo(tmp_path / "repo")
    repo.commit({"other.txt": "x"})
    repo.write({"plain/SKILL.md": plain()})
    folder = str(repo.root / "plain")
    place: Any = SimpleNamespace(
        check=SimpleNamespace(folder=folder), documents=SimpleNamespace(below=lambda _: {})
    )
    skills: Any = SimpleNamespace(workspace=Workspace)
    assert bump_title(place, skills) == "cannot be compared: HEAD does not have this skill"

"""What the lens of the required bump says where there is nothing to compare with."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.repositories import Repo, needs_git, plain


@pytest.mark.slow  # It imports the language server and runs git.
@needs_git
def test_a_skill_that_head_does_not_have_cannot_be_compared(tmp_path: Path) -> None:
    pytest.importorskip("pygls")
    from skillstudio.lsp.changes import bump_title
    from skillstudio.lsp.skills import Documents, Skills

    repo = Repo(tmp_path / "repo")
    repo.commit({"other.txt": "x"})
    repo.write({"plain/SKILL.md": plain()})
    result = Skills().compare(str(repo.root / "plain"), Documents({}))
    assert bump_title(result) == "cannot be compared: HEAD does not have this skill"

"""What a description takes."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.present.description import description_size
from skillstudio.skill.analysis import analyse


@pytest.mark.parametrize(
    ("head", "targets", "size"),
    [
        ("name: tea\ndescription: Makes tea.\n", (), (37, "≈4 tokens  10/1,024")),
        (
            "name: tea\ndescription: 'a b'\n",
            ("claude-code",),
            (32, "≈2 tokens  3/1,536"),
        ),
        ("name: tea\n", (), None),
        ("name: tea\ndescription: [a]\n", (), None),
        (
            "name: tea\ndescription: Makes: tea\n",
            ("claude-upload",),
            (37, "≈4 tokens  10/1,024"),
        ),
    ],
)
def test_the_size_of_a_description_is_that_at_the_selected_targets(
    head: str, targets: tuple[str, ...], size: tuple[int, str] | None
) -> None:
    tree = MemoryTree({"SKILL.md": f"---\n{head}---\nx\n".encode()}, "tea")
    assert description_size(analyse(tree, targets=targets).skill, "tea") == size

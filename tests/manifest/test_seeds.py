"""The complete examples of the dialects' own texts check clean."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import Analysis, analyse

MUTATIONS = Path(__file__).parent / "mutations"


def noticed(analysis: Analysis) -> list[tuple[str, str]]:
    return [(e.rule, e.message) for e in analysis.diagnostics if e.severity != "info"]


def test_the_worklog_with_its_interface() -> None:
    table = yaml.safe_load((MUTATIONS / "frontmatter.yaml").read_text(encoding="utf-8"))
    interface = (
        "interface:\n  inputs:\n    - session_date\n    - topic\n  outputs:\n"
        '    - pattern: "{{output_dir}}/*.org"\n  env:\n    - PROJECT\n'
    )
    text = table["base"].replace("\nsensitive: false\n", f"\nsensitive: false\n{interface}")
    files = {path: content.encode() for path, content in table["files"].items()}
    assert noticed(analyse(MemoryTree({**files, "SKILL.md": text.encode()}, "worklog"))) == []


def test_the_memory_skill_of_the_v2_text(data: Path) -> None:
    text = next((data / "seeds").glob("001*")).read_text(encoding="utf-8")
    example = re.search(r"## Example: Memory Skill\n\n```json\n(.*?)```", text, re.DOTALL)
    assert example
    body = f"```skill-manifest\n{example.group(1)}```\n"
    front = "---\nname: skill-system-memory\ndescription: Remembers things.\n---\n"
    files = {"scripts/router_mem.sh": b"\n", "scripts/router_mem.ps1": b"\n"}
    for text in (front + body, "# Memory\n\n" + body):
        tree = MemoryTree({**files, "SKILL.md": text.encode()}, "skill-system-memory")
        assert noticed(analyse(tree)) == []


def test_the_full_example_of_caro(data: Path) -> None:
    text = next((data / "seeds").glob("004*")).read_text(encoding="utf-8")
    example = re.search(r"## Complete Example\n\n```toml\n(.*?)```", text, re.DOTALL)
    assert example
    recipe = (
        b"id: list\nname: List\ndescription: Lists buckets.\n"
        b"steps:\n  - id: list\n    name: List\n    command: aws s3 ls\n"
    )
    files = {
        "skill.toml": example.group(1).encode(),
        "recipes/list.yaml": recipe,
        "knowledge/overview.md": b"# AWS\n",
    }
    assert noticed(analyse(MemoryTree(files, "aws"))) == []

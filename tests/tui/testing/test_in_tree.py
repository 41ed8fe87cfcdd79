"""The states of tests beside the samples in the tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dryrun.skills import block_skill, offered
from textual.pilot import Pilot

from ..conftest import GOOD, Open, bench, seen, settled, shown

PASSES = "inputs: {}\nexpect:\n  stdout: |\n    tea\n"
SAMPLES = {
    "samples/go/a.yaml": PASSES,
    "samples/go/b.yaml": PASSES.replace("tea", "milk"),
    "samples/go/c.net.json": "[]\n",
    "samples/go/d.txt": "no sample\n",
}


@pytest.fixture
def skills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the skill `say`, of whose samples one fails, and the skill `other`."""
    offered("copy")
    folder = tmp_path / "skills"
    block_skill(folder / "say", "echo tea\n")
    for path, text in SAMPLES.items():
        (folder / "say" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "say" / path).write_text(text)
    (folder / "other").mkdir()
    (folder / "other" / "SKILL.md").write_text(GOOD.format(name="other"))
    monkeypatch.chdir(folder)
    return folder


def signs(pilot: Pilot[int]) -> dict[str, str]:
    """What is behind each file of samples/go in the tree."""
    tree = bench(pilot).skills_pane.skill_tree
    lines = {row.file: tree._line(at).plain.split() for at, row in enumerate(tree.rows)}
    return {path[11:]: " ".join(lines[path][1:]) for path in SAMPLES}


async def rested(pilot: Pilot[int]) -> None:
    """Wait until no test is running, and the state of all is known."""
    view = bench(pilot).views._mounted_tests
    assert view is not None
    await settled(pilot)
    while not view.is_settled:
        await settled(pilot)
    await pilot.pause()


@pytest.mark.slow
async def test_the_tree_follows_runs_and_changed_files(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        workbench = bench(pilot)
        await workbench.open_file("say")
        workbench.skills_pane.skill_tree.select("say", "samples/go/a.yaml")
        plain = {"c.net.json": "", "d.txt": ""}
        assert signs(pilot) == {"a.yaml": "○", "b.yaml": "○", **plain}
        await pilot.press("6")
        assert workbench.views.runner is not None
        workbench.views.runner.isolation = "copy"
        await rested(pilot)
        await pilot.press("f5")
        await seen(pilot, "✗ 1 failed   ✓ 1 passed")
        await rested(pilot)
        assert signs(pilot) == {"a.yaml": "✓", "b.yaml": "✗", **plain}
        assert "a.yaml" in shown(pilot)

        await pilot.press("1")
        sample = skills / "say/samples/go/a.yaml"
        sample.write_text(PASSES + "# changed\n")
        workbench.look_at_disk(frozenset({str(sample)}))
        await rested(pilot)
        assert signs(pilot) == {"a.yaml": "!", "b.yaml": "✗", **plain}

        await workbench.open_file("other")
        script = skills / "say/go.script"
        script.write_text("echo milk\n")
        workbench.look_at_disk(frozenset({str(script)}))
        await rested(pilot)
        assert signs(pilot) == {"a.yaml": "!", "b.yaml": "!", **plain}, "while another is open"

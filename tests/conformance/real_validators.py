"""The programs whose verdicts three targets foretell, where they are at hand.

`agentskills` of skills-ref is named by SKILLSTUDIO_SKILLS_REF or stands among the benchmarks'
peers; `quick_validate.py` of Anthropic's skill-creator is named by SKILLSTUDIO_QUICK_VALIDATE, and
the folder of the npm package `@google/gemini-cli-core` by SKILLSTUDIO_GEMINI_CORE.
Each is asked about many folders in one process of its own, for it starts slowly.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import judge

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("SKILLSTUDIO_DATA") or ROOT.parent / "shared")
PEER = ROOT / "benchmarks" / ".peers" / "checkers" / "bin" / "agentskills"

_SKILLS_REF = """
import json, sys
from click.testing import CliRunner
from skills_ref.cli import main
folders = json.load(sys.stdin)
print(json.dumps([CliRunner().invoke(main, ["validate", each]).exit_code == 0 for each in folders]))
"""
_QUICK_VALIDATE = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("quick_validate", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
def accepts(folder):
    try:
        return module.validate_skill(folder)[0]
    except Exception:
        return False
print(json.dumps([accepts(each) for each in json.load(sys.stdin)]))
"""
_GEMINI = """
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
const module = path.join(process.argv[1], "dist/src/skills/skillLoader.js");
const { loadSkillFromFile } = await import(pathToFileURL(module).href);
const found = [];
for (const folder of JSON.parse(fs.readFileSync(0, "utf8")))
  found.push((await loadSkillFromFile(path.join(folder, "SKILL.md"))) !== null);
fs.writeSync(1, "\\n" + JSON.stringify(found));
process.exit(0);
"""


class Disagreement(NamedTuple):
    """A folder on which a target and its program differ."""

    folder: Path
    program_accepts: bool
    reason: str
    """Why the target refuses; empty where it accepts."""


def program(target: str) -> Path | None:
    """The real program behind a target, or None where it is not at hand."""
    named = {
        "skills-ref": os.environ.get("SKILLSTUDIO_SKILLS_REF"),
        "claude-upload": os.environ.get("SKILLSTUDIO_QUICK_VALIDATE"),
        "gemini-cli": os.environ.get("SKILLSTUDIO_GEMINI_CORE"),
    }[target]
    if named:
        return Path(named)
    return PEER if target == "skills-ref" and PEER.exists() else None


def verdicts(target: str, at: Path, folders: Sequence[Path]) -> list[bool]:
    """What the real program says of each folder."""
    if target == "skills-ref":
        interpreter = at.read_text(encoding="utf-8").partition("\n")[0].removeprefix("#!").strip()
        command = [interpreter, "-c", _SKILLS_REF]
    elif target == "gemini-cli":
        command = ["node", "--input-type=module", "-e", _GEMINI, "--", str(at)]
    else:
        command = [sys.executable, "-c", _QUICK_VALIDATE, str(at)]
    done = subprocess.run(
        command,
        input=json.dumps([str(folder) for folder in folders]),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    said: list[bool] = json.loads(done.stdout.strip().rpartition("\n")[2])
    return said


def disagreements(target: str, at: Path, folders: Sequence[Path]) -> list[Disagreement]:
    """The folders on which a target and the real program differ."""
    found = []
    for folder, accepts in zip(folders, verdicts(target, at, folders), strict=True):
        verdict = judge(locate(DiskTree(folder)).skill)[target]
        if verdict.is_accepted != accepts:
            reason = "; ".join(each.text for each in verdict.refusals)
            found.append(Disagreement(folder, accepts, reason))
    return found


def corpus() -> list[Path]:
    """The folders of the public agent skills."""
    return sorted(path.parent for path in (DATA / "corpus" / "agent-skills").rglob("SKILL.md"))

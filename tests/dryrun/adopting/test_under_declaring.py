"""Scripts that do more than they declare: what is adopted, and that the next run has no fault.

One program in the clothes of each dialect that can run one. A program under WASI is the
exception: it reaches only the folders that its manifest asks for, so nothing that it does is
undeclared, and what can be adopted of a run is that something was not used.
"""

from __future__ import annotations

import difflib
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.commands import Run
from tests.dryrun.adopting.skills import CARO, HEAD, ROUTER, two

from skillstudio.dryrun.isolation.levels import probe_isolation

PROGRAM = """\
import json, os, socket, subprocess, sys
date = os.environ.get("SKILL_INPUT_DATE") or sys.argv[1]
os.makedirs("docs/logs", exist_ok=True)
for name in (f"{date}-notes.md", "part-1.txt", "part-2.txt"):
    with open(f"docs/logs/{name}", "w") as file:
        file.write("made")
open("/etc/hostname").read()
try:
    socket.getaddrinfo("api.example.test", 443)
except OSError:
    pass
subprocess.run(["perl", "-e", "1"])
print(json.dumps({"status": "ok", "count": 3, "names": ["a", "b"]}))
"""
EXAMPLES = Path(__file__).parents[3] / "examples"
DATE = "{name: date, type: string, required: true, description: The day}"
RECIPE = f"""\
id: do
name: Do it
description: Does it
parameters:
  - {DATE}
steps:
  - {{id: do, name: Do, command: "python3 do.py {{{{date}}}}", confirmation: auto}}
"""
EXEC = '\n[capabilities.terminal_exec]\nallowed = true\ncommands = ["python3"]\n'
FRONTMATTER = f"""\
---
manifest_version: "1.0"
{HEAD}version: 1.0.0
inputs:
  required:
    - {{name: date, description: The day, schema: {{type: string}}}}
# What is left behind
outputs:
  files:
    - pattern: "docs/*.md"   # none of these
---

`do.py` does it.
"""
TWO = (
    two()
    .replace('"input": {}', '"input": {"date": {"type": "string", "required": true}}')
    .replace('"do.py"', '"do.py", "{date}"')
    .replace('"effects": []', '"effects": []   ')
)


class Show(NamedTuple):
    """A skill that under-declares, and what of its manifest is another text afterwards."""

    operation: str
    files: dict[str, str]
    manifest: str
    changed: dict[str, str]
    """Lines that go to the lines that stand in their place; "" is where lines come in."""


def lines(*texts: str) -> str:
    return "".join(f"{text}\n" for text in texts)


SHOWS = {
    "skill-manifest-2.0": Show(
        "do",
        {"SKILL.md": TWO},
        "SKILL.md",
        {
            '  "effects": []   ,\n': lines(
                '  "effects": [',
                '    "fs.read",',
                '    "fs.write",',
                '    "proc.exec",',
                '    "net.fetch"',
                "  ]   ,",
            ),
            '          "status": "string"\n': lines(
                '          "status": "string",',
                '          "count": "integer",',
                '          "names": "array of string"',
            ),
        },
    ),
    "router-manifest-1": Show(
        "do",
        {"SKILL.md": ROUTER.replace('"do.py"', '"do.py", "{date}"').replace(
            '  "id"', '  "effects": [],\n  "id"')},
        "SKILL.md",
        {
            '  "effects": [],\n': lines(
                '  "effects": ["fs.read", "fs.write", "proc.exec", "net.fetch"],'
            )
        },
    ),
    "frontmatter-1.0": Show(
        "do.py",
        {"SKILL.md": FRONTMATTER},
        "SKILL.md",
        {
            "": lines(
                "    - pattern: docs/logs/{{date}}-notes.md",
                "    - pattern: docs/logs/part-*.txt",
                "preconditions:",
                "  commands:",
                "    - cmd: perl",
                "      min_version: PERL",
                "execution:",
                "  network: true",
            )
        },
    ),
    "caro-1.0": Show(
        "do",
        {"skill.toml": CARO + '\n[capabilities]\nnetwork = ["old.test"]   # hosts\n' + EXEC,
         "recipes/do.yaml": RECIPE},
        "skill.toml",
        {
            'network = ["old.test"]   # hosts\n': lines(
                'network = ["old.test", "api.example.test"]   # hosts',
                'filesystem_read = ["./do.py", "/etc/hostname"]',
                'filesystem_write = ["./docs/logs"]',
            ),
            'commands = ["python3"]\n': lines('commands = ["python3", "perl"]'),
        },
    ),
}  # fmt: skip


@pytest.fixture(params=["isolated", "confined"])
def isolation(request: pytest.FixtureRequest) -> str:
    found = probe_isolation().level(request.param)
    if not found.available:
        pytest.skip(f"{request.param}: {found.reason}")
    if not found.traced:
        pytest.skip("this system does not let programs be observed")
    return found.id


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for program in ("python3", "perl"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not on the PATH")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "do.py").write_text(PROGRAM)
    return tmp_path


def made(work: Path, files: dict[str, str]) -> Path:
    skill = work / "doer"
    for path, text in {"do.py": PROGRAM, **files}.items():
        (skill / path).parent.mkdir(parents=True, exist_ok=True)
        (skill / path).write_bytes(text.encode())
    return skill


def changes(old: str, new: str) -> list[tuple[str, str]]:
    """The lines that are others, each group with what stands in its place."""
    before, after = old.splitlines(True), new.splitlines(True)
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [
        ("".join(before[a:b]), "".join(after[c:d])) for tag, a, b, c, d in blocks if tag != "equal"
    ]


def worse_than_info(found: Any) -> list[Any]:
    return [each for skill in found["skills"] for each in skill["diagnostics"]
            if each["severity"] != "info"]  # fmt: skip


def faults(report: dict[str, Any]) -> list[Any]:
    parts: Sequence[Any] = (*report["effects"], *report["outputs"])
    return [each for each in parts if each["error"] and each["verdict"] != "missing"]


@pytest.mark.slow
@pytest.mark.parametrize("dialect", SHOWS)
def test_the_run_after_adopting_has_nothing_undeclared(
    dialect: str, work: Path, isolation: str, run: Run
) -> None:
    show = SHOWS[dialect]
    skill = made(work, show.files)
    once = ("run", "doer", show.operation, "--isolation", isolation, "--format", "json", "-i")
    before = run(*once, "date=2025-12-30")
    assert before.status == 1, before.out + before.err
    assert {each["verdict"] for each in faults(before.json)} >= {"undeclared"}

    shown = run("adopt", "last")
    assert shown.status == 1
    assert (skill / show.manifest).read_text() == show.files[show.manifest]

    wrote = run("adopt", "last", "--write", "--format", "json")
    assert (wrote.status, wrote.json["written"]) == (0, True), wrote.err
    new = (skill / show.manifest).read_bytes().decode()
    versions = [each["edits"][0]["value"]["min_version"] for each in wrote.json["findings"]
                if each["id"] == "command:perl" and dialect == "frontmatter-1.0"]  # fmt: skip
    wanted = sorted((old, text.replace("PERL", versions[0] if versions else ""))
                    for old, text in show.changed.items())  # fmt: skip
    assert sorted(changes(show.files[show.manifest], new)) == wanted
    assert {path: (skill / path).read_text() for path in show.files if path != show.manifest} == {
        path: text for path, text in show.files.items() if path != show.manifest
    }

    checked = run("check", "doer", "--format", "json")
    assert worse_than_info(checked.json) == []
    after = run(*once, "date=2025-12-31")
    assert faults(after.json) == []
    assert after.json["contract"]["ok"]
    left = run("adopt", "last", "--format", "json")
    assert left.status == 0
    assert [each["id"] for each in left.json["findings"] if each["fault"]] == []


def test_a_program_under_wasi_can_only_have_asked_for_too_much(work: Path, run: Run) -> None:
    found = probe_isolation().level("wasm")
    if not found.available:
        pytest.skip(f"wasm: {found.reason}")
    skill = work / "echo-json"
    shutil.copytree(EXAMPLES / "echo-json", skill)
    old = (skill / "manifest.json").read_text()
    asked = old.replace(
        '"capabilities": []',
        '"capabilities": [\n    {"kind": "time.now", "value": "true"},\n'
        f'    {{"kind": "fs.write", "value": "{work}"}}\n  ]',
    )
    (skill / "manifest.json").write_text(asked)
    assert run("run", "echo-json", "-i", "message=hi", "--yes").status == 0
    told = run("adopt", "last", "--format", "json")
    assert told.status == 0
    id = f"unobserved:capability:fs.write:{work}"
    assert [(each["id"], each["fault"]) for each in told.json["findings"]] == [(id, False)]
    assert run("adopt", "last", "--pick", id, "--write").status == 0
    assert changes(asked, (skill / "manifest.json").read_text()) == [
        (
            '    {"kind": "time.now", "value": "true"},\n'
            f'    {{"kind": "fs.write", "value": "{work}"}}\n',
            '    {"kind": "time.now", "value": "true"}\n',
        )
    ]


SECRET = "hunter2-s3cret"
KEEPING = f"""\
---
manifest_version: "1.0"
{HEAD}version: 1.0.0
inputs:
  required:
    - {{name: token, description: Secret, sensitive: true, schema: {{type: string}}}}
---

`keep.py` does it.
"""
KEEP = """\
import os
token = os.environ["SKILL_INPUT_TOKEN"]
os.makedirs("out", exist_ok=True)
for name in (token, "plain"):
    open(f"out/{name}.txt", "w").close()
print(token)
"""


@pytest.mark.slow
def test_a_sensitive_value_enters_no_manifest_and_a_second_run_is_measured(
    work: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = made(work, {"SKILL.md": KEEPING, "keep.py": KEEP})
    monkeypatch.setenv("TOKEN", SECRET)
    ran = run(
        "run", "doer", "keep.py", "--isolation", "copy", "--twice", "--secret", "token=env:TOKEN"
    )
    assert ran.status == 1, ran.err
    wrote = run("adopt", "last", "--all", "--write")
    assert wrote.status == 0, wrote.err
    assert SECRET not in wrote.out + wrote.err
    assert changes(KEEPING, (skill / "SKILL.md").read_text()) == [
        (
            "",
            "outputs:\n  files:\n    - pattern: out/plain.txt\nexecution:\n  idempotent: true\n",
        )
    ]
    assert "output:sensitive" in wrote.out

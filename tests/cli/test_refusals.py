"""Whatever a skill holds, no command shows a traceback, and JSON that is asked for is JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run

FRONT = "---\nname: g\ndescription: Says things. Use when things are said.\n"
BAD: dict[str, dict[str, bytes]] = {
    "a clean skill": {"SKILL.md": CLEAN.format(name="g").encode()},
    "no files": {},
    "no frontmatter": {"SKILL.md": b"Say.\n"},
    "an empty file": {"SKILL.md": b""},
    "broken YAML": {"SKILL.md": b"---\nname: [g\n  a: }\n---\n"},
    "a frontmatter that is a list": {"SKILL.md": b"---\n- a\n---\n"},
    "not UTF-8": {"SKILL.md": b"---\nname: \xff\xfe\n---\n"},
    "NULs": {"SKILL.md": b"\0" * 100},
    "a merge conflict": {"SKILL.md": b"---\n<<<<<<< a\nname: g\n=======\n>>>>>>> b\n---\n"},
    "a long number": {"SKILL.md": f"{FRONT}x: 0x{'f' * 4000}\n---\nSay.\n".encode()},
    "a long number where one belongs": {
        "SKILL.md": (
            f'{FRONT}manifest_version: "1.0"\nversion: 0x{"f" * 4000}\n'
            f"execution: {{timeout: 0o{'7' * 5000}}}\n---\nSay.\n"
        ).encode()
    },
    "lone surrogates": {"SKILL.md": f'{FRONT}x: "\\ud800"\n---\nSay.\n'.encode()},
    "broken JSON in a fence": {
        "SKILL.md": f"{FRONT}---\n```skill-manifest\n{{\n```\n".encode(),
    },
    "broken TOML": {"skill.toml": b"[skill\nid = \n"},
    "a long number in TOML": {"skill.toml": f"[skill]\nid = 0x{'f' * 3800}\n".encode()},
    "broken JSON": {"manifest.json": b'{"schema_version": "1.0.0-draft", "id": "g", '},
    "deep JSON": {"manifest.json": b'{"schema_version": "1.0.0-draft", "x": ' + b"[" * 5000},
    "a file too large": {"SKILL.md": FRONT.encode() + b"# a\n" * 400_000 + b"---\n"},
}
COMMANDS = [
    ("check", "{skill}"),
    ("why", "{skill}"),
    ("show", "{skill}"),
    ("identity", "{skill}", "--digests"),
    ("identity", "{skill}"),
    ("diff", "{skill}"),
    ("diff", "{skill}", "{skill}"),
    ("bump", "{skill}"),
    ("bump", "{skill}", "--against", "{skill}"),
    ("migrate", "{skill}", "--diff"),
    *(("migrate", "{skill}", "--to", to, "--diff") for to in ("provenact-bundle", "nothing")),
    ("export", "{skill}", "--target", "claude-upload", "-o", "{out}"),
    ("export", "{skill}", "--target", "nobody", "-o", "{out}"),
    ("pack", "{skill}", "--list"),
    ("pack", "{skill}", "-o", "{out}.zip"),
    ("unpack", "{skill}/SKILL.md", "-o", "{out}"),
    ("index", "{skill}"),
    ("lock", "{skill}"),
    ("lock", "--check", "{skill}"),
    ("preview", "{skill}", "--card"),
    ("preview", "{skill}"),
    ("preview", "{skill}/SKILL.md"),
    ("preview", "{skill}", "--prompt", "words"),
    ("preview", "--run", "nothing"),
    ("plan", "{skill}"),
    ("sample", "{skill}"),
    ("sample", "{skill}", "--list"),
    ("run", "{skill}"),
    ("test", "{skill}"),
    ("adopt", "nothing"),
    ("apply", "nothing"),
    ("trace", "show", "nothing"),
    ("trace", "diff", "nothing", "nothing"),
    ("trace", "replay", "nothing", "{skill}"),
    ("explain", "nothing"),
    ("new", "no-such-template", "{out}"),
    ("new", "--from", "{skill}", "--defaults", "--dry-run", "{out}"),
    ("config", "keys", "--keymap", "{skill}/SKILL.md"),
]  # fmt: skip


@pytest.mark.slow_cases("new no-such-template {out}", "pack {skill} -o {out}.zip")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_json_stays_json(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, (name, files) in enumerate(BAD.items()):
        skill = tmp_path / str(number) / "g"
        skill.mkdir(parents=True)
        for path, data in files.items():
            (skill / path).write_bytes(data)
        out = tmp_path / "out" / str(number) / "g"
        out.parent.mkdir(parents=True)
        words = [word.format(skill=skill, out=out) for word in command]
        ran = run(*words, "--format", "json")
        assert ran.status in (0, 1, 2, 3, 4), name
        assert ran.out, (name, ran.status, ran.err)
        value = json.loads(ran.out)
        if isinstance(value, dict) and list(value) == ["error"]:
            assert ran.status in (1, 2), name
            assert value["error"] in ran.err, name


@pytest.mark.parametrize("wrong", ["no-such-folder", "--no-such-option"])
@pytest.mark.parametrize("verb", sorted({command[0] for command in COMMANDS}))
def test_wrong_use_is_json_too(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str, wrong: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(verb, wrong, "--format=json")
    assert ran.status in (1, 2)
    result = json.loads(ran.out)
    assert result
    assert "usage:" not in result.get("error", "")


@pytest.mark.parametrize("format", ["text", "json"])
def test_an_error_has_at_most_100_lines(run: Run, tmp_path: Path, format: str) -> None:
    anchors = "".join(f"a{number}: &a x\n" for number in range(300))
    (tmp_path / "SKILL.md").write_text(f"{FRONT}{anchors}---\nSay.\n")
    ran = run("plan", tmp_path, "--format", format)
    assert ran.status != 0
    lines = (ran.json["error"] if format == "json" else ran.err.rstrip("\n")).split("\n")
    assert len(lines) == 101
    assert lines[-1] == "… 199 more"

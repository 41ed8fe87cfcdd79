"""`check --strict`: what a dialect accepts although its specification does not describe it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Run

from skillstudio.manifest.extensions import extensions

BLOCK = """---
name: notes
description: Finds notes. Use it.
---
```skill-manifest
{
  "schema_version": "2.0", "id": "notes", "version": "1.0.0", "capabilities": [], "effects": [],
  "operations": {
    "find": {
      "description": "Find a note",
      "input": {"most": {"type": "%s", "required": true, "description": "How many"}},
      "output": {"description": "Notes"},
      "entrypoints": {"unix": ["bash", "%sn.sh", "{most}"]%s}
    }
  },
  "stdout_contract": {"last_line_json": %s%s}
}
```
"""
FRONT = """---
manifest_version: "1.0"
name: notes
description: Finds notes. Use it.
outputs:
  files:
    - pattern: "notes/%s.md"
  artifacts:
    - %s
---
"""
CARO = (
    """[skill]
id = "custom.notes"
name = "notes"
version = "1.0.0"
description = "Finds notes."
api_version = "1.0"
[provides]
knowledge = false
""",
    '[dependencies]\n"tool.git" = %s\n',
    "[capabilities]\n%s\n",
)
DIGEST = "sha256:" + "0" * 64
MODULE = (
    '{"schema_version": "1.0.0-draft", "id": "notes", %s "version": "1.0.0", "signers": [], '
    f'"entrypoint": "run", "artifact": "{DIGEST}", "inputs_schema": {{}}, "outputs_schema": {{}}, '
    '"capabilities": []}\n'
)
SCHEMA = """---
manifest_version: "1.0"
name: notes
description: Finds notes. Use it.
inputs:
  required:
    - name: day
      description: The day
      schema: {%s}
---
"""
V2 = ("integer", "", "", "true", "")


def block(at: int, text: str) -> tuple[str, str]:
    return "SKILL.md", BLOCK % (*V2[:at], text, *V2[at + 1 :])


def caro(at: int, text: str) -> str:
    return CARO[0] + CARO[at + 1] % text


def schema(text: str) -> str:
    return SCHEMA % text


ROWS = [
    ("the parameter type `number`", block(0, "number")),
    ("the placeholder `{skill_dir}`", block(1, "{skill_dir}/")),
    ("the entrypoint `agent`", block(2, ', "agent": "Read the notes"')),
    ("`last_line_json: false`", block(3, "false")),
    ("the key `note` of `stdout_contract`", block(4, ', "note": "text"')),
    ("`*` or `**` in an output pattern", ("SKILL.md", FRONT % ("*", "stdout"))),
    ("`?` in an output pattern", ("SKILL.md", FRONT % ("a?", "stdout"))),
    ("an artifact with a name and a kind", ("SKILL.md", FRONT % ("a", "{name: a, kind: stdout}"))),
    ("the operators `>` and `<=`", ("skill.toml", caro(0, '">1.0"'))),
    ("the operators `>` and `<=`", ("skill.toml", caro(0, '{ version = "<=2.0" }'))),
    ("an absolute path", ("skill.toml", caro(1, 'filesystem_read = ["/etc"]'))),
    ("an absolute path", ("skill.toml", caro(1, 'filesystem_write = ["/etc"]'))),
    ("another scheme than https", ("skill.toml", caro(1, 'network = ["http://a.example:80"]'))),
    ("another scheme than https", ("skill.toml", caro(1, 'network = ["[::1]"]'))),
    ("an id with more than one dot", ("skill.toml", CARO[0].replace(".notes", ".my.notes"))),
    ("an api_version", ("skill.toml", CARO[0].replace('"1.0"', '"1"'))),
    ("the keyword `description` in a schema", ("SKILL.md", schema("type: string, description: a"))),
    ("the keyword `title` in a schema", ("SKILL.md", schema("type: string, title: a"))),
    ("several types in a schema", ("SKILL.md", schema("type: [string]"))),
    ("the key `name`", ("manifest.json", MODULE % '"name": "Notes",')),
    ("", block(0, "string")),
    ("", ("SKILL.md", FRONT % ("a", "stdout"))),
    ("", ("SKILL.md", schema("type: string"))),
    ("", ("manifest.json", MODULE % "")),
    ("", ("skill.toml", caro(0, '">=1.0"'))),
    # The specification names this range.
    ("", ("skill.toml", caro(0, '"*"'))),
    ("", ("skill.toml", caro(0, '">=1.0,<2.0"'))),
    ("", ("skill.toml", caro(1, 'network = ["https://a.example:8443", "*.a.example"]'))),
]


@pytest.mark.parametrize(("what", "file"), ROWS)
def test_an_extension_is_reported_when_strict(
    run: Run, tmp_path: Path, what: str, file: tuple[str, str]
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / file[0]).write_text(file[1])
    (folder / "n.sh").touch()

    def found(*options: str) -> list[str]:
        rows = run("check", folder, *options, "--format", "json").json["skills"][0]["diagnostics"]
        return [row["message"] for row in rows if row["rule"] == "extension-used"]

    assert found() == []
    told = found("--strict")
    assert len(told) == bool(what)
    assert all(each.startswith(what) for each in told)
    status = run("check", folder, "--strict", "--fail-on", "warning").status
    assert status == bool(what) or not what


def test_every_extension_with_a_place_has_a_row() -> None:
    rows = {what for what, _ in ROWS if what}
    for each in extensions():
        assert not each.at or any(each.what.startswith(what) for what in rows)


def test_settings_may_turn_it_on_and_strict_does_not_override_them(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "SKILL.md").write_text(block(0, "number")[1])
    settings = tmp_path / "skillstudio.toml"
    monkeypatch.chdir(tmp_path)
    settings.write_text('[rules]\nextension-used = "error"\n')
    assert "error extension-used" in run("check", "notes").out
    settings.write_text('[rules]\nextension-used = "off"\n')
    assert "extension-used" not in run("check", "notes", "--strict").out

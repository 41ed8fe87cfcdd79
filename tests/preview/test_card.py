"""A skill as an agent, an installer and a policy see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.present.card import _permissions
from skillstudio.present.lines import laid_out
from skillstudio.preview.card.skill_card import (
    CardDependency,
    Feature,
    LastRun,
    PackedFile,
    Permission,
    Suggestion,
    Travels,
    UsedEffect,
    permission_card,
    skill_card,
)
from skillstudio.settings.settings import NO_SETTINGS, Policy

CARO = """
[skill]
id = "tool.k"
name = "K"
version = "1.2.0"
description = "Looks after clusters"
api_version = "1.0"
authors = ["one", "two"]
[provides]
recipes = false
[capabilities.terminal_exec]
allowed = true
commands = ["kubectl", "git"]
blocked = ["rm"]
[capabilities]
filesystem_write = ["./out"]
network = ["*.example.com"]
env_read = ["KUBE_*"]
secrets_access = true
[dependencies]
"core.shell" = ">=1.0"
[dependencies."tool.docker"]
version = ">=0.2"
optional = true
[suggestions]
"tool.helm" = "goes well with it"
[features]
a = { description = "first", default = true }
b = { description = "second", default = false }
c = { description = "third" }
"""
V2 = """---
name: memory
description: Remembers.
---
# Memory

```skill-manifest
{"schema_version": "2.0", "id": "memory", "version": "0.1.0", "capabilities": ["memory-search"],
 "effects": ["db.read", "proc.exec"],
 "operations": {"search": {"description": "d", "input": {}, "output": {"description": "o"},
  "entrypoints": {"unix": ["bash", "s.sh"]}}},
 "stdout_contract": {"last_line_json": true}}
```
"""
FRONT = """---
manifest_version: "1.0"
name: log
description: Writes logs.
inputs:
  optional:
    - name: token
      sensitive: true
      schema: {type: string}
env:
  optional:
    - {name: PROJECT}
    - {name: API_KEY, sensitive: true}
preconditions:
  commands: [{cmd: git}]
outputs:
  files: [{pattern: "out/*.org", base: repo_root}]
execution: {network: true, destructive: true}
---
Body.
"""
BUNDLE = """{
  "name": "p", "version": "0.1.0", "entrypoint": "skill.wasm", "artifact": "sha256:00",
  "schema_version": "1.0.0-draft", "id": "p",
  "capabilities": [
    {"kind": "net.http", "value": "https://example.com"},
    {"kind": "fs.read", "value": "/data"},
    {"kind": "exec.safe", "value": "git"}
  ],
  "signers": []
}
"""
AGENT = """---
name: plain
description: Says things.
allowed-tools: Bash(git:*) Read WebFetch(domain:example.com)
---
Say.
"""


def skill(folder: Path, text: str, policy: Policy | None = None) -> Skill:
    name = {CARO: "skill.toml", BUNDLE: "manifest.json"}.get(text, "SKILL.md")
    (folder / name).write_text(text)
    return locate(DiskTree(folder), NO_SETTINGS._replace(policy=policy)).skill


def asked(card: tuple[Permission, ...]) -> list[tuple[str, str]]:
    return [(each.kind, each.value) for each in card]


ASKS = {
    CARO: [
        ("capability", "terminal_exec"), ("command", "kubectl"), ("command", "git"),
        ("capability", "filesystem_write"), ("path", "./out"), ("capability", "network"),
        ("host", "*.example.com"), ("capability", "env_read"), ("capability", "secrets_access"),
        ("variable", "KUBE_*"),
    ],
    V2: [("effect", "db.read"), ("effect", "proc.exec"), ("capability", "memory-search"),
         ("command", "bash")],
    BUNDLE: [
        ("capability", "net.http"), ("host", "example.com"), ("capability", "fs.read"),
        ("path", "/data"), ("capability", "exec.safe"), ("command", "git"),
    ],
    FRONT: [
        ("command", "git"), ("host", "*"), ("path", "out/*.org"), ("variable", "PROJECT"),
        ("secret", "API_KEY"), ("secret", "token"), ("hint", "destructive"), ("hint", "network"),
    ],
    AGENT: [("command", "git"), ("host", "example.com"), ("tool", "Bash(git *)"),
            ("tool", "Read"), ("tool", "WebFetch(domain:example.com)")],
}  # fmt: skip


@pytest.mark.parametrize(
    "text", ASKS, ids=["caro", "skill-manifest", "provenact", "frontmatter", "agent"]
)
def test_what_is_asked_for_in_each_system(tmp_path: Path, text: str) -> None:
    card = permission_card(skill(tmp_path, text))
    assert asked(card.permissions) == ASKS[text]
    assert {each.verdict for each in card.permissions} == {"no limit"}
    assert {each.use for each in card.permissions} == {"not known"}
    assert (card.policy, card.run, card.beyond) == ("", "", ())
    assert card.blocked == (("rm",) if text is CARO else ())


def test_what_the_policy_says(tmp_path: Path) -> None:
    policy = Policy(commands=("git",), hosts=("*.example.com",), paths=(), path="skillstudio.toml")
    card = permission_card(skill(tmp_path, CARO, policy))
    verdicts = {(each.kind, each.value): (each.verdict, each.by) for each in card.permissions}
    assert verdicts["command", "git"] == ("granted", "policy.commands in skillstudio.toml")
    assert verdicts["command", "kubectl"][0] == "refused"
    assert verdicts["path", "./out"][0] == "refused"
    assert verdicts["host", "*.example.com"][0] == "granted"
    assert verdicts["capability", "network"] == ("no limit", "")
    assert card.policy == "skillstudio.toml"


RUN = LastRun(
    "r1",
    (
        UsedEffect("proc.exec", True, ("started git status", "started /usr/bin/curl -s x")),
        UsedEffect("net.fetch", True, ("connected to api.example.com:443",)),
        UsedEffect("fs.write", True, ("added /srv/work/out/a.txt",)),
        UsedEffect("db.write", True, ("added memory.db",)),
        UsedEffect("fs.read", False),
    ),
)


def uses(card: tuple[Permission, ...]) -> dict[str, str]:
    return {each.value: each.use for each in card}


def test_what_the_last_run_used(tmp_path: Path) -> None:
    card = permission_card(skill(tmp_path, CARO), RUN)
    used = uses(card.permissions)
    assert (used["git"], used["kubectl"]) == ("used", "not seen")
    assert (used["*.example.com"], used["./out"]) == ("used", "used")
    assert used["terminal_exec"] == "used"
    assert used["secrets_access"] == "not known"
    (git,) = (each for each in card.permissions if each.value == "git")
    assert git.evidence == ("started git status",)
    assert [each.effect for each in card.beyond] == ["db.write"]
    assert card.run == "r1"


@pytest.mark.parametrize(("is_fault", "style"), [(True, "error"), (False, "quiet")])
def test_an_effect_is_red_only_if_the_run_was_judged_by_it(
    tmp_path: Path, is_fault: bool, style: str
) -> None:
    used = RUN._replace(effects=(UsedEffect("db.write", True, (), is_fault),))
    card = permission_card(skill(tmp_path, CARO), used)
    lines = [line for line in laid_out(_permissions(card)) if line.lead == "used, not requested:"]
    assert [(line.text, line.style) for line in lines] == [("db.write", style)]


def test_silence_says_nothing_without_a_tracer(tmp_path: Path) -> None:
    card = permission_card(skill(tmp_path, CARO), RUN._replace(traced=False, effects=()))
    assert set(uses(card.permissions).values()) == {"not known"}


def test_the_program_of_the_run_itself_is_used(tmp_path: Path) -> None:
    run = LastRun("r", (), ("bash",))
    assert uses(permission_card(skill(tmp_path, V2), run).permissions)["bash"] == "used"


def test_the_card_of_an_installer(tmp_path: Path) -> None:
    travels = Travels(("skill.toml",), (("tests/", "tests"),))
    card = skill_card(skill(tmp_path, CARO), travels)
    assert (card.name, card.version, card.description) == (
        "tool.k", "1.2.0", "Looks after clusters")  # fmt: skip
    assert ("authors", "one, two") in card.fields
    assert card.features == (
        Feature("a", "first", True),
        Feature("b", "second", False),
        Feature("c", "third", True),
    )
    assert card.suggestions == (Suggestion("tool.helm", "goes well with it"),)
    assert card.dependencies == (
        CardDependency("core.shell", ">=1.0", False),
        CardDependency("tool.docker", ">=0.2", True),
    )
    size = len(CARO)
    assert card.files == (PackedFile("skill.toml", size, "toml", -(-size // 4)),)
    assert card.left == (("tests/", "tests"),)
    assert card.body_path == ""


def test_the_card_of_an_agent(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "l").symlink_to("/etc/shadow")
    card = skill_card(skill(tmp_path, AGENT), Travels(("SKILL.md", "a.png", "l", "gone")))
    assert card.listing == "plain: Says things."
    assert card.listing_tokens == 5
    assert (card.body_path, card.body.strip(), card.body_tokens) == ("SKILL.md", "Say.", 2)
    assert [(each.path, each.kind, each.tokens) for each in card.files][1:] == [
        ("a.png", "png", None),
        ("l", "link", None),
        ("gone", "missing", None),
    ]
    assert card.fields[0] == ("name", "plain")


def test_a_credential_in_a_manifest_is_masked(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    text = AGENT.replace("name: plain", f"name: plain\nlicense: {secret}")
    card = skill_card(skill(tmp_path, text), Travels())
    assert secret not in repr(card)
    assert any(key == "license" and "sensitive" in said for key, said in card.fields)


@pytest.mark.parametrize("text", ["", "---\n---\n", "---\nname: [\n---\n", "---\n- a\n---\n"])
def test_whatever_an_author_has_typed_so_far(tmp_path: Path, text: str) -> None:
    card = skill_card(skill(tmp_path, text), Travels())
    assert card.permissions.permissions == ()

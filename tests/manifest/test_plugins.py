"""The files of Claude Code plugins and marketplaces: which problems they have, and where."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.manifest.marked import unmark

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.plugin_schemas import MARKETPLACE, PLUGIN
from skillstudio.manifest.plugins import check_plugin
from skillstudio.manifest.rulebook import rules
from skillstudio.text.diagnostic import Diagnostic

FILES = {
    "skills/review/SKILL.md": b"",
    "skills/empty/notes.md": b"",
    "extra/plan/SKILL.md": b"",
    "commands/go.md": b"",
    "agents/reviewer.md": b"",
    "themes/dark.json": b"",
    "config/x.json": b"{}",
    "config/hooks.json": b'{"hooks": {}}',
    "scripts/check.sh": b"",
    "plugins/one/.claude-plugin/plugin.json": b'{"name": "one", "version": "1.0.0"}',
    "plugins/one/skills/a/SKILL.md": b"",
    "plugins/two/.claude-plugin/plugin.json": b'{"name": "two", "skills": "./skills"}',
    "plugins/bare/skills/b/SKILL.md": b"",
}


def problems(path: str, text: str) -> list[Diagnostic]:
    tree = MemoryTree({**FILES, path: text.encode()}, "repository")
    (file,) = [each for each in check_plugin(tree) if each.path == path]
    return file.diagnostics


def expect(path: str, marked: str, rule: str, severity: str | None) -> str:
    """Check that a text has one problem, at the marked place; its message."""
    text, spans = unmark(marked)
    found = problems(path, text)
    assert [each.rule for each in found] == [rule], found
    assert [each.span for each in found] == spans
    assert (found[0].severity or rules()[rule].severity) == severity
    return found[0].message


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "a"}',
        '{"name": "a-2", "version": "1.2.0-rc.1", "keywords": [], "author": {"name": "A"}}',
        '{"name": "a", "skills": "./skills/", "commands": ["./commands/go.md", "./commands"]}',
        '{"name": "a", "skills": ["./skills/review", "./extra", ".", "./"]}',
        '{"name": "a", "hooks": {}, "mcpServers": "./config/x.json", "experimental": {}}',
        '{"name": "a", "mcpServers": ["https://example.com/a.mcpb", {"b": {"command": "b"}}]}',
        '{"name": "a", "mcpServers": {"b": {"type": "http", "url": "https://example.com"}}}',
        '{"name": "a", "agents": ["./agents/reviewer.md"], "hooks": ["./config/hooks.json"]}',
        '{"name": "a", "themes": "./themes", "outputStyles": [], "settings": {"agent": "b"}}',
        '{"name": "a", "experimental": {"themes": "./themes", "monitors": []}, "metadata": {}}',
        '{"name": "a", "lspServers": {"go": {"command": "gopls", "extensionToLanguage": {}}}}',
        '{"name": "a", "mcpServers": {"b": {"command": "b"}}, "channels": [{"server": "b"}]}',
        '{"name": "a", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
        '{"name": "a", "userConfig": {"k": {"type": "file", "title": "K", "description": "K"}}}',
        '{"name": "a", "commands": {"go": {"source": "./commands/go.md"}}}',
        '{"name": "a", "homepage": "https://example.com", "dependencies": ["b", {"name": "c"}]}',
    ],
)
def test_a_valid_plugin(text: str) -> None:
    assert problems(PLUGIN, text) == []


@pytest.mark.parametrize(
    ("marked", "rule", "severity"),
    [
        ('{"name": "a"«,»}', "syntax-json", "error"),
        ('«{»"version": "1.0.0"}', "key-missing", "error"),
        ("«[]»", "value-type", "error"),
        ('{"name": «1»}', "value-type", "error"),
        ('{"name": "a", «"name"»: "b"}', "key-duplicate", "error"),
        ('{"name": «"Code Review"»}', "plugin-name-format", "warning"),
        ('{"name": «"a--b"»}', "plugin-name-format", "warning"),
        (f'{{"name": «"{"a" * 129}"»}}', "plugin-name-format", "warning"),
        ('{"name": "a", "version": «"1.0"»}', "version-not-semver", "info"),
        ('{"name": "a", "version": «1.0»}', "value-type", "error"),
        ('{"name": "a", "keywords": «"x"»}', "value-type", "error"),
        ('{"name": "a", "author": «"A"»}', "value-type", "error"),
        ('{"name": "a", «"author"»: {}}', "key-missing", "error"),
        ('{"name": "a", "homepage": «"example.com"»}', "value-format", "error"),
        ('{"name": "a", «"publisher"»: "x"}', "key-unknown", "info"),
        ('{"name": "a", «"skill"»: "./skills"}', "key-unknown", "warning"),
        ('{"name": "a", "skills": ["./skills", «2»]}', "value-type", "error"),
        ('{"name": "a", "skills": «"skills"»}', "plugin-path-form", "error"),
        ('{"name": "a", "commands": [«"."»]}', "plugin-path-form", "error"),
        ('{"name": "a", "skills": [«"./none"»]}', "path-missing", "error"),
        ('{"name": "a", "agents": [«"./none.md"»]}', "path-missing", "error"),
        ('{"name": "a", "skills": [«"./../b"»]}', "path-outside", "error"),
        ('{"name": "a", "skills": [«"/etc"»]}', "path-absolute", "error"),
        ('{"name": "a", "skills": [«"C:\\\\x"»]}', "path-absolute", "error"),
        (
            '{"name": "a", "skills": [«"./skills/review/SKILL.md"»]}',
            "plugin-skill-missing",
            "error",
        ),
        ('{"name": "a", "skills": [«"./skills/empty"»]}', "plugin-skill-missing", "error"),
        ('{"name": "a", "hooks": «true»}', "value-type", "error"),
        ('{"name": "a", "hooks": «"./none.json"»}', "path-missing", "error"),
        ('{"name": "a", "hooks": «"./config"»}', "plugin-path-form", "error"),
        ('{"name": "a", "hooks": {«"PreTooluse"»: []}}', "key-unknown", "warning"),
        ('{"name": "a", "hooks": [{"Stop": [«{»}]}]}', "key-missing", "error"),
        ('{"name": "a", "agents": «"./agents"»}', "plugin-path-form", "error"),
        ('{"name": "a", "workflows": [«"./none.js"»]}', "path-missing", "error"),
        ('{"name": "a", "outputStyles": «"./none"»}', "path-missing", "error"),
        ('{"name": "a", "themes": «1»}', "value-type", "error"),
        ('{"name": "a", "themes": «"./none"»}', "path-missing", "error"),
        ('{"name": "a", "experimental": «1»}', "value-type", "warning"),
        ('{"name": "a", "metadata": «1»}', "value-type", "warning"),
        ('{"name": "a", "experimental": {"themes": «"./none"»}}', "path-missing", "error"),
        ('{"name": "a", "monitors": [«{»"name": "m", "command": "x"}]}', "key-missing", "error"),
        ('{"name": "a", "commands": {"go": {"source": «"./none.md"»}}}', "path-missing", "error"),
        ('{"name": "a", "commands": {"go": «{}»}}', "key-missing", "error"),
        ('{"name": "a", "mcpServers": {«"b"»: {"url": "https://e.org"}}}', "key-missing", "error"),
        ('{"name": "a", "mcpServers": {"b": {"command": «1»}}}', "value-type", "error"),
        ('{"name": "a", "mcpServers": {«"b"»: {"type": "sse"}}}', "key-missing", "error"),
        ('{"name": "a", "mcpServers": «"./none.json"»}', "path-missing", "error"),
        ('{"name": "a", "lspServers": {«"go"»: {"command": "gopls"}}}', "key-missing", "error"),
        ('{"name": "a", "channels": [{"server": «"b"»}]}', "value-enum", "error"),
        ('{"name": "a", "settings": {«"model"»: "x"}}', "key-unknown", "info"),
        ('{"name": "a", "dependencies": [«"a b"»]}', "value-format", "error"),
        ('{"name": "a", "userConfig": {«"k"»: {"type": "file", "title": "K"}}}',
         "key-missing", "error"),
        ('{"name": "a", "monitors": [{"name": "m", "description": "m", "command":'
         ' «"x ${user_config.k}"»}]}', "value-format", "error"),
        ('{"name": "a", "mcpServers": {"b": {"command": "node", "args":'
         ' [«"${CLAUDE_PLUGIN_ROOT}/b.js"»]}}}', "path-missing", "warning"),
    ],
)  # fmt: skip
def test_a_problem_of_a_plugin(marked: str, rule: str, severity: str) -> None:
    expect(PLUGIN, marked, rule, severity)


COMMAND = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": %s}]}]}}'


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("hooks/hooks.json", '{"description": "x", "hooks": {}}'),
        ("hooks/hooks.json", COMMAND % '"\\"${CLAUDE_PLUGIN_ROOT}\\"/scripts/check.sh"'),
        ("hooks/hooks.json", COMMAND % '"${CLAUDE_PLUGIN_ROOT}/node_modules/a/none.js"'),
        ("hooks/hooks.json", COMMAND % '"[ -f ${CLAUDE_PLUGIN_ROOT}/none.sh ] || exit"'),
        ("hooks/hooks.json", COMMAND % '"${CLAUDE_PLUGIN_ROOT}/none.$X"'),
        (".mcp.json", '{"mcpServers": {"a": {"command": "b"}}}'),
        (".mcp.json", '{"a": {"command": "b"}}'),
        (".lsp.json", '{"go": {"command": "gopls", "extensionToLanguage": {".go": "go"}}}'),
        ("monitors/monitors.json", '[{"name": "m", "command": "x", "description": "y"}]'),
        ("config/hooks.json", '{"hooks": {}}'),
    ],
)
def test_a_valid_file_of_a_component(path: str, text: str) -> None:
    assert component_problems(path, text) == []


@pytest.mark.parametrize(
    ("path", "marked", "rule", "severity"),
    [
        ("hooks/hooks.json", '«{»"Stop": []}', "key-missing", "error"),
        ("hooks/hooks.json", "«[]»", "value-type", "error"),
        ("hooks/hooks.json", '{"hooks": {«"Stopp"»: []}}', "key-unknown", "warning"),
        ("hooks/hooks.json", COMMAND % '«"${CLAUDE_PLUGIN_ROOT}/none.sh"»', "path-missing",
         "warning"),
        ("hooks/hooks.json", '{"hooks": {"Stop": [{"hooks": [«{»"type": "http"}]}]}}',
         "key-missing", "error"),
        ("hooks/hooks.json", COMMAND % '«"x ${user_config.k}"»', "value-format", "error"),
        (".mcp.json", '{"mcpServers": {"a": {"type": «"stdo"»}}}', "value-enum", "error"),
        (".mcp.json", '{"a": {"command": «""»}}', "value-length", "error"),
        (".lsp.json", '{«"go"»: {"command": "gopls"}}', "key-missing", "error"),
        ("monitors/monitors.json", "«{»}", "value-type", "error"),
        ("config/hooks.json", '{"hooks": {"Stop": «{}»}}', "value-type", "error"),
        ("hooks/hooks.json", '{"hooks": {}«,»}', "syntax-json", "error"),
    ],
)  # fmt: skip
def test_a_problem_of_a_component(path: str, marked: str, rule: str, severity: str) -> None:
    text, spans = unmark(marked)
    found = component_problems(path, text)
    assert [each.rule for each in found] == [rule], found
    assert [each.span for each in found] == spans
    assert (found[0].severity or rules()[rule].severity) == severity


def component_problems(path: str, text: str) -> list[Diagnostic]:
    """The problems of a file of a plugin that configures a component."""
    plugin = b'{"name": "a", "hooks": "./config/hooks.json"}'
    tree = MemoryTree({**FILES, PLUGIN: plugin, path: text.encode()}, "repository")
    files = {each.path: each for each in check_plugin(tree)}
    assert not files[PLUGIN].diagnostics
    return files[path].diagnostics


def test_the_default_hooks_are_not_named_again() -> None:
    text = b'{"name": "a", "hooks": ["./hooks/hooks.json"]}'
    tree = MemoryTree({PLUGIN: text, "hooks/hooks.json": b'{"hooks": {}}'}, "repository")
    manifest, hooks = check_plugin(tree)
    assert [each.rule for each in manifest.diagnostics] == ["plugin-hooks-duplicate"]
    assert hooks.diagnostics == []


def market(plugins: str, more: str = "") -> str:
    return f'{{"name": "m", "owner": {{"name": "A"}}, "plugins": [{plugins}]{more}}}'


ROOT = ', "metadata": {"pluginRoot": "./plugins"}'


@pytest.mark.parametrize(
    "text",
    [
        market(""),
        market('{"name": "one", "source": "./plugins/one", "version": "1.0.0"}'),
        market(
            '{"name": "one", "source": "./plugins/one"}, {"name": "x", "source": "./plugins/one"}'
        ),
        market('{"name": "r", "source": "./", "strict": false, "skills": ["./skills/review"]}'),
        market('{"name": "r", "source": "."}'),
        market('{"name": "bare", "source": "bare", "skills": ["./skills/b"]}', ROOT),
        market('{"name": "g", "source": {"source": "github", "repo": "a/b", "ref": "x"}}'),
        market('{"name": "n", "source": {"source": "npm", "package": "@a/b"}, "category": "c"}'),
        market("", ', "renames": {"a": "b", "c": null}, "version": "1.0.0", "description": "d"'),
    ],
)
def test_a_valid_marketplace(text: str) -> None:
    assert problems(MARKETPLACE, text) == []


@pytest.mark.parametrize(
    ("marked", "rule", "severity"),
    [
        ('«{»"name": "m", "plugins": []}', "key-missing", "error"),
        ('{"name": "m", "owner": «"A"», "plugins": []}', "value-type", "error"),
        ('{"name": «"healthcare"», "owner": {"name": "A"}, "plugins": []}',
         "marketplace-name-reserved", "error"),
        (market('«{»"name": "a"}'), "key-missing", "error"),
        (market('{"name": «"A_b"», "source": "./"}'), "plugin-name-format", "warning"),
        (market('{"name": "a", "source": "./"}, {"name": «"a"», "source": "."}'),
         "name-duplicate", "error"),
        (market('{"name": "a", "source": "./", «"vesrion"»: "1.0.0"}'), "key-unknown", "warning"),
        (market('{"name": "a", "source": «"./plugins/none"»}'), "path-missing", "error"),
        (market('{"name": "a", "source": «"./commands/go.md"»}'), "path-missing", "error"),
        (market('{"name": "a", "source": «"../a"»}'), "path-outside", "error"),
        (market('{"name": "a", "source": «"plugins/one"»}'), "plugin-path-form", "error"),
        (market('{"name": "a", "source": «"one"»}'), "plugin-path-form", "error"),
        (market('{"name": "a", "source": «"none"»}', ROOT), "path-missing", "error"),
        (market('{"name": "a", "source": «["./"]»}'), "value-type", "error"),
        (market('{"name": "a", "source": {"source": «"git"»}}'), "value-enum", "error"),
        (market('{"name": "a", "source": «{"source": "github"}»}'), "key-missing", "error"),
        (market('{"name": "one", "source": "./plugins/one", "version": «"1.1.0"»}'),
         "version-disagrees", "warning"),
        (market('{"name": «"other"», "source": "./plugins/one"}'), "name-disagrees", "info"),
        (market('{"name": "one", "source": "./plugins/one", "skills": [«"./skills/b"»]}'),
         "path-missing", "error"),
        (market('{"name": "one", "source": "./plugins/one", "skills": [«"../bare/skills"»]}'),
         "path-outside", "error"),
    ],
)  # fmt: skip
def test_a_problem_of_a_marketplace(marked: str, rule: str, severity: str) -> None:
    expect(MARKETPLACE, marked, rule, severity)


def test_two_definitions_of_one_plugin() -> None:
    entry = '{"name": "two", "source": "./plugins/two", "strict": «false»}'
    message = expect(MARKETPLACE, market(entry), "plugin-components-conflict", "info")
    assert "must not declare skills" in message
    # Claude Code refuses it only if both have components.
    both = entry.replace("}", ', "hooks": {}}')
    expect(MARKETPLACE, market(both), "plugin-components-conflict", "error")


def test_anthropic_may_use_its_names() -> None:
    owner = '"owner": {"name": "A", "email": "a@anthropic.com"}'
    assert problems(MARKETPLACE, f'{{"name": "agent-skills", {owner}, "plugins": []}}') == []


@pytest.mark.parametrize("name", [PLUGIN, MARKETPLACE])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir()
    for make, rule in (
        (lambda: file.symlink_to("../.claude-plugin/" + file.name), "path-link-outside"),
        (lambda: file.mkdir(), "file-unreadable"),
        (lambda: file.write_bytes(b'{"name": "' + b"a" * 2**20 + b'"}'), "file-too-large"),
    ):
        make()
        (found,) = check_plugin(DiskTree(tmp_path))
        assert [each.rule for each in found.diagnostics] == [rule]
        file.rmdir() if file.is_dir() else file.unlink()


def test_links_stay_in_the_marketplace(tmp_path: Path) -> None:
    (tmp_path / ".claude-plugin").mkdir()
    (tmp_path / "real").mkdir()
    os.symlink("real", tmp_path / "good")
    os.symlink("/usr", tmp_path / "bad")
    os.symlink("loop", tmp_path / "loop")
    entries = ", ".join(
        f'{{"name": "{each}", "source": "./{each}"}}' for each in ("good", "bad", "loop")
    )
    (tmp_path / MARKETPLACE).write_text(market(entries))
    (found,) = check_plugin(DiskTree(tmp_path))
    places = [(each.rule, each.pointer) for each in found.diagnostics]
    assert places == [
        ("path-link-outside", "/plugins/1/source"), ("path-missing", "/plugins/2/source"),
    ]  # fmt: skip


def test_many_skills_are_looked_up_once(tmp_path: Path) -> None:
    paths: list[str] = [f"./skills/s{each}" for each in range(10_000)]
    entry: dict[str, Any] = {"name": "a", "source": "./", "skills": paths}
    value = {"name": "m", "owner": {"name": "A"}, "plugins": [entry]}
    found = problems(MARKETPLACE, json.dumps(value))
    assert len(found) == 10_000
    assert {each.rule for each in found} == {"path-missing"}
    assert max(len(each.message) for each in found) < 200


@pytest.mark.parametrize(
    ("version", "skills", "problem"),
    [
        ("1.0.0", {"a": 'metadata:\n  version: "1.0.0"\n'}, ""),
        ("1.0.0", {"a": 'metadata:\n  version: "0.9.0"\n'}, "0.9.0"),
        ("1.0.0", {"a": "version: 0.9.0\n"}, "0.9.0"),
        ("1.0.0", {"a": "version: 0.9\n"}, ""),
        ("1.0.0", {"a": ""}, ""),
        ("1.0.0", {"a": "version: 0.9.0\n", "b": ""}, ""),
        (None, {"a": "version: 0.9.0\n"}, ""),
    ],
)
def test_the_only_skill_has_the_version_of_its_plugin(
    version: str | None, skills: dict[str, str], problem: str
) -> None:
    plugin = {"name": "p"} | ({"version": version} if version else {})
    files = {
        f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: Does it.\n{more}---\nGo.\n"
        for name, more in skills.items()
    }
    tree = MemoryTree(
        {
            PLUGIN: json.dumps(plugin).encode(),
            MARKETPLACE: json.dumps(
                {"name": "m", "owner": {"name": "A"}, "plugins": [{**plugin, "source": "./"}]}
            ).encode(),
            **{path: text.encode() for path, text in files.items()},
        },
        "repository",
    )
    found = [each for file in check_plugin(tree) for each in file.diagnostics]
    assert [(each.rule, each.severity) for each in found] == (
        [("version-disagrees", "info")] if problem else []
    )
    assert all(problem in each.message for each in found)
    if problem:
        tree = MemoryTree({path: tree.read(path) for path in (MARKETPLACE, *files)}, "repository")
        (file,) = check_plugin(tree)
        assert [each.rule for each in file.diagnostics] == ["version-disagrees"]

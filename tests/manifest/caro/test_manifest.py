"""skill.toml: text in, rule and place out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.manifest.caro.conftest import HEAD

from skillstudio.manifest.dialect import Ask, Manifest
from skillstudio.manifest.registry import dialect, rules_of
from skillstudio.text.edit import apply, resolve_edits
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span

BASE = f"""\
{HEAD}[provides]
knowledge = true
recipes = true

"""


def read_toml(text: str) -> Any:
    return read(Source(text), "toml", Span(0, len(text)))


def test_the_small_skill_is_clean(found: Callable[..., Any]) -> None:
    assert found().lines == []


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"1.0"', '"2.0"', '6:15 api-version-unsupported "2.0"'),
        ('"1.0"', '"0.9"', '6:15 api-version-unsupported "0.9"'),
        ('"1.0"', '"1.7"', '6:15 api-version-minor "1.7"'),
        ('"1.0"', '"one"', '6:15 value-format "one"'),
        ('"cloud.aws"', '"aws"', '2:6 id-format "aws"'),
        ('"cloud.aws"', '"Cloud.aws"', '2:6 id-format "Cloud.aws"'),
        ('"cloud.aws"', '"core.aws"', '2:6 namespace-reserved "core.aws"'),
        ('"cloud.aws"', '"clod.aws"', '2:6 namespace-unknown "clod.aws"'),
        ('"cloud.aws"', '"cloud.gcp"', '2:6 id-segment-folder "cloud.gcp"'),
        ('"0.3.0"', '"0.3"', '4:11 version-not-semver "0.3"'),
        ('"0.3.0"', '"01.3.0"', '4:11 version-not-semver "01.3.0"'),
        ("knowledge = true", "knowledge = false", "9:13 provides-undeclared false"),
        ("knowledge = true\n", "", "8:2 provides-undeclared provides"),
    ],
)
def test_one_change(found: Callable[..., Any], old: str, new: str, line: str) -> None:
    assert found(BASE.replace(old, new)).lines == [f"skill.toml:{line}"]


@pytest.mark.parametrize("version", ["0.3.0-rc.1", "1.0.0+build.5", "10.20.30"])
def test_versions_may_have_pre_release_and_build(found: Callable[..., Any], version: str) -> None:
    assert found(BASE.replace("0.3.0", version)).lines == []


def test_an_unsupported_manifest_is_not_judged_further(found: Callable[..., Any]) -> None:
    text = BASE.replace('"1.0"', '"2.0"').replace('"0.3.0"', '"3"')
    assert found(text).rules == ["api-version-unsupported"]


@pytest.mark.parametrize(
    ("added", "lines"),
    [
        # [skill] is the last table of these, so a key can be added.
        ('license = "Apache 2"', ['license-unknown "Apache 2"']),
        ('license = "MIT OR Apache-2.0"', []),
        ('license = "GPL-2.0-only WITH Classpath-exception-2.0 AND (mit OR LicenseRef-Corp)"', []),
        ('license = "MIT OR"', ['license-unknown "MIT OR"']),
        ('license = ""', ['license-unknown ""']),
        ('repository = "github.com/a/b"', ['url-format "github.com/a/b"']),
        ('documentation = "git+https://github.com/a/b.git#v1"', []),
        ('min_caro_version = "1.1"', ['version-not-semver "1.1"']),
        ('homepage = "https://example.com"', ["key-unknown homepage"]),
        ("authors = [1]", ["value-type 1"]),
    ],
)
def test_more_about_the_skill(found: Callable[..., Any], added: str, lines: list[str]) -> None:
    text = BASE.replace('api_version = "1.0"\n', f'api_version = "1.0"\n{added}\n')
    assert [each.split(" ", 1)[1] for each in found(text).lines] == lines


@pytest.mark.parametrize(
    ("table", "lines"),
    [
        ('[capabilities]\nfilesystem_read = ["~", "~/.aws", "./", "/etc", "$CARO_CACHE/x"]', []),
        ('[capabilities]\nfilesystem_read = ["~root"]', ['capability-syntax "~root"']),
        ('[capabilities]\nfilesystem_write = ["out"]', ['capability-syntax "out"']),
        (
            '[capabilities]\nfilesystem_write = ["$CARO_CACHES"]',
            ['capability-syntax "$CARO_CACHES"'],
        ),
        ('[capabilities]\nnetwork = ["*.a.com", "a.com", "https://a.com:8443"]', []),
        ('[capabilities]\nnetwork = ["sts.*.a.com"]', ['capability-syntax "sts.*.a.com"']),
        ('[capabilities]\nnetwork = ["*"]', ['capability-syntax "*"']),
        ('[capabilities]\nnetwork = ["https://a.com"]', ['capability-syntax "https://a.com"']),
        ('[capabilities]\nnetwork = ["a.com:8443"]', ['capability-syntax "a.com:8443"']),
        ('[capabilities]\nenv_read = ["HOME", "AWS_*"]', []),
        ('[capabilities]\nenv_read = ["A*B"]', ['capability-syntax "A*B"']),
        ('[capabilities.terminal_exec]\ncommands = ["git log"]', ['capability-syntax "git log"']),
        ("[capabilities]\nsecrets_access = true", ["secrets-access-asked true"]),
        ("[knowledge]\npriority = -1", ["value-range -1"]),
        ("[knowledge]\nmax_context_tokens = 4294967296", ["value-range 4294967296"]),
        ('[platform]\nos = ["darwin"]', ['value-enum "darwin"']),
        ("[features]\neks = { default = true }", ["key-missing eks"]),
        ("[plattform]\nos = []", ["key-unknown plattform"]),
    ],
)
def test_a_table_more(found: Callable[..., Any], table: str, lines: list[str]) -> None:
    result = found(BASE + table + "\n").lines
    wanted = [each for each in result if "recipe-command" not in each]
    assert [each.split(" ", 1)[1] for each in wanted] == lines


def test_folders_promised_must_be_there(found: Callable[..., Any]) -> None:
    text = BASE.replace("recipes = true", "recipes = false")
    alone = type(found())({"skill.toml": text})
    assert alone.lines == ["skill.toml:9:13 provides-missing true"]


@pytest.mark.parametrize(
    ("files", "lines"),
    [
        ('["recipes/*.yaml"]', []),
        ('["recipe/*.yaml"]', ['recipe-glob-empty "recipe/*.yaml"']),
        ('["recipes/list.yaml", "more/**/*.yml"]', ['recipe-glob-empty "more/**/*.yml"']),
        ('["../*.yaml"]', ['path-outside "../*.yaml"']),
        ('["/etc/*.yaml"]', ['path-absolute "/etc/*.yaml"']),
    ],
)
def test_recipe_globs(found: Callable[..., Any], files: str, lines: list[str]) -> None:
    result = found(BASE + f"[recipes]\nfiles = {files}\n").lines
    assert [each.split(" ", 1)[1] for each in result] == lines


def test_the_default_glob_must_match_where_recipes_are_promised(found: Callable[..., Any]) -> None:
    files = {"skill.toml": BASE, "knowledge/a.md": "", "recipes/readme.md": ""}
    assert type(found())(files).lines == ["skill.toml:10:11 recipe-glob-empty true"]


@pytest.mark.parametrize(
    ("table", "lines"),
    [
        ('"core.shell" = ">=1.0"', []),
        ('"core.shell" = { version = ">=1", optional = true, features = ["a"] }', []),
        ('"core.shell" = "*"', []),
        ('"core.shell" = "1.0"', ['13:16 range-bare "1.0"']),
        ('"core.shell" = "^1.0"', ['13:16 range-invalid "^1.0"']),
        ('"core.shell" = ">=2,<1"', ['13:16 range-invalid ">=2,<1"']),
        ('"core.shell" = 1', ["13:16 value-type 1"]),
        ('"core.shell" = { optional = true }', ['13:1 key-missing "core.shell"']),
        ('"core.shell" = { version = 1 }', ["13:28 value-type 1"]),
        ('"core.shell" = { version = "*", optional = 1 }', ["13:44 value-type 1"]),
        ('"core.shell" = { version = "*", features = [2] }', ["13:45 value-type 2"]),
        ('"core.shell" = { version = "*", option = true }', ["13:33 key-unknown option"]),
        ('"core" = "*"', ['13:1 id-format "core"']),
        ('core.shell = ">=1.0"', ["13:1 dependency-id-unquoted core.shell"]),
        ("core . shell = '>=1.0'", ["13:1 dependency-id-unquoted core . shell"]),
        ('tool.a.b = "*"', ["13:1 dependency-id-unquoted tool.a.b"]),
        ('core = { shell = "*" }', ["13:1 dependency-id-unquoted core"]),
        (
            '[dependencies.tool.kubectl]\nversion = "*"',
            ["13:15 dependency-id-unquoted tool.kubectl"],
        ),
    ],
)
def test_dependencies(found: Callable[..., Any], table: str, lines: list[str]) -> None:
    result = found(f"{BASE}[dependencies]\n{table}\n").lines
    assert result == [f"skill.toml:{each}" for each in lines]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('cloud.aws = ">=0.3"\n', '"cloud.aws" = ">=0.3"\n'),
        ('cloud . "aws" = "*" # keep\n', '"cloud.aws" = "*" # keep\n'),
        ("tool.a.version = '*'\n", "\"tool.a\".version = '*'\n"),
        ('[dependencies.tool.a]\nversion = "*"\n', '[dependencies."tool.a"]\nversion = "*"\n'),
    ],
)
def test_the_quote_fix(found: Callable[..., Any], before: str, after: str) -> None:
    text = f"{BASE}[dependencies]\n"
    diagnostic = found(text + before).one("dependency-id-unquoted")
    (fix,) = diagnostic.fixes
    document = read_toml(text + before)
    assert apply(text + before, resolve_edits(document, fix.edits)) == text + after
    assert found(text + after).lines == []


def test_suggestions_want_quotes_too(found: Callable[..., Any]) -> None:
    result = found(f'{BASE}[suggestions]\ntool.docker = "For containers"\n')
    assert result.lines == ["skill.toml:13:1 dependency-id-unquoted tool.docker"]


def test_a_secret_is_never_repeated(found: Callable[..., Any]) -> None:
    token = "ghp_" + "a1B2" * 9
    result = found(BASE.replace("AWS workflows", token))
    assert result.rules == ["secret-literal"]
    assert token not in result.diagnostics[0].message


@pytest.mark.parametrize("text", ["", "x", "[skill", "[skill]\nid =", "skill = 3\nprovides = []\n"])
def test_broken_text_is_reported_and_nothing_raises(found: Callable[..., Any], text: str) -> None:
    assert found(text).rules


def test_every_prefix_of_a_manifest_can_be_checked(found: Callable[..., Any]) -> None:
    text = BASE + '[dependencies]\ncore.shell = "^1"\n[executable]\nmodule = "../x"\n'
    for end in range(0, len(text), 3):
        told = [repr(each) for each in found(text[:end]).diagnostics]
        assert len(set(told)) == len(told), "none is told twice"


def asked(text: str) -> list[Ask]:
    known = dialect("caro-1.0")
    assert known is not None
    manifest = Manifest(known, read_toml(text), "skill.toml")
    return list(rules_of(known).asks(manifest))


def test_permissions_are_asked_for() -> None:
    text = (
        '[capabilities.terminal_exec]\ncommands = ["aws"]\n'
        '[capabilities]\nfilesystem_read = ["~/.aws"]\nnetwork = ["a.com"]\nenv_read = ["HOME"]\n'
    )
    found = {(ask.kind, ask.value, ask.pointer) for ask in asked(text)}
    above = "/capabilities"
    assert found == {
        ("capability", "terminal_exec", f"{above}/terminal_exec"),
        ("command", "aws", f"{above}/terminal_exec/commands/0"),
        ("capability", "filesystem_read", f"{above}/filesystem_read"),
        ("path", "~/.aws", f"{above}/filesystem_read/0"),
        ("capability", "network", f"{above}/network"),
        ("host", "a.com", f"{above}/network/0"),
        ("capability", "env_read", f"{above}/env_read"),
    }


@pytest.mark.parametrize("table", ["commands = []", "allowed = true", 'blocked = ["rm"]'])
def test_an_empty_list_of_commands_asks_for_all(table: str) -> None:
    found = asked(f"[capabilities.terminal_exec]\n{table}\n")
    assert [(ask.kind, ask.value) for ask in found] == [
        ("capability", "terminal_exec"),
        ("command", "*"),
    ]


def test_what_is_left_out_asks_for_nothing() -> None:
    assert asked(BASE) == []
    assert asked('[capabilities.terminal_exec]\nallowed = false\ncommands = ["rm"]\n') == []


def test_every_rule_that_is_found_is_explained() -> None:
    from skillstudio.manifest.rulebook import rules

    known = rules("caro")
    for rule in known.values():
        assert rule.severity in ("error", "warning", "info")
        assert all((rule.what, rule.why, rule.source, rule.bad, rule.good))
        assert rule.bad != rule.good
        assert not re.search(r"\s$", rule.what)

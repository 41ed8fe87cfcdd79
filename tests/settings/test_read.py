"""`skillstudio.toml`: what it says for a skill, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.settings.read import Settings, meets, read_settings, read_settings_file
from skillstudio.settings.settings import NO_SETTINGS, EditorSettings, SettingsFile
from skillstudio.text.source import Position, Source

WHOLE = """\
required-version = ">=0.1"
dialect = "agent-skills"
targets = ["spec"]

[rules]
body-long = "off"
link-missing = "warning"

[[folder]]
path = "legacy/*"
dialect = "router-manifest-1"
targets = []

[[folder]]
path = "legacy/new"
targets = ["codex", "spec"]

[[ignore]]
rule = "value-range"
path = "*/manifest.json"

[policy]
effects = ["fs.read"]
commands = []

[[waive]]
fingerprint = "0123456789ab"
reason = "Nobody reads this output."
"""


def settings(text: str) -> Settings:
    return read_settings(Source(text, "skillstudio.toml"))


def rows(text: str) -> list[tuple[str, str]]:
    source = Source(text)
    return [
        (each.rule, ":".join(map(str, source.position(each.span.start))))
        for each in read_settings(source).diagnostics
        if each.span
    ]


def test_the_settings_of_the_editor() -> None:
    assert settings('[editor]\nkeys = "vim"\nmouse = false\n').editor == ("vim", False)
    for text in ("", "[editor]\nkeys = 'emacs'\nmouse = 1\n", "editor = 3\n"):
        assert settings(text).editor == EditorSettings() == ("standard", True)


def test_a_whole_file() -> None:
    found = settings(WHOLE)
    assert found.diagnostics == ()
    skill = found.for_skill("skills/a")
    assert (skill.dialect, skill.targets) == ("agent-skills", ("spec",))
    assert skill.severities == {"body-long": "off", "link-missing": "warning"}
    (ignore,) = skill.ignores
    assert (ignore.rule, ignore.path, ignore.place) == (
        "value-range",
        "*/manifest.json",
        Position(19, 1),
    )
    assert skill.policy is not None
    assert (skill.policy.effects, skill.policy.commands) == (("fs.read",), ())
    assert (skill.policy.hosts, skill.policy.path) == (None, "skillstudio.toml")
    assert skill.policy.places == {"effects": Position(23, 1), "commands": Position(24, 1)}
    assert [(each.fingerprint, each.reason) for each in found.waivers] == [
        ("0123456789ab", "Nobody reads this output.")
    ]


@pytest.mark.parametrize(
    ("path", "dialect", "targets"),
    [
        ("skills/a", "agent-skills", ("spec",)),
        ("legacy", "agent-skills", ("spec",)),
        ("legacy/old", "router-manifest-1", ()),
        ("legacy/old/deeper", "router-manifest-1", ()),
        ("legacy/new", "router-manifest-1", ("codex", "spec")),
        (".", "agent-skills", ("spec",)),
    ],
)
def test_later_folders_win(path: str, dialect: str, targets: tuple[str, ...]) -> None:
    found = settings(WHOLE).for_skill(path)
    assert (found.dialect, found.targets) == (dialect, targets)


def test_what_the_reader_has_to_say_comes_first() -> None:
    assert [each.rule for each in settings("dialect = \n").diagnostics] == ["syntax-toml"]


def test_an_empty_file_says_nothing() -> None:
    assert settings("").diagnostics == ()
    assert settings("").for_skill("a") == NO_SETTINGS._replace(place="a", file="skillstudio.toml")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("target = []\n", [("key-unknown", "1:1")]),
        ("targets = 'spec'\n", [("value-type", "1:11")]),
        ("targets = ['a', 'a']\n", [("value-duplicate", "1:11")]),
        ("[rules]\nbody-long = 'of'\n", [("value-enum", "2:13")]),
        ("[rules]\nbody-long = true\n", [("value-type", "2:13")]),
        ("[[folder]]\ndialect = 'a'\n", [("key-missing", "1:3")]),
        ("[[ignore]]\nrule = 'a'\n", [("key-missing", "1:3")]),
        ("[[waive]]\nfingerprint = 'a'\nreason = 'b'\n", [("value-format", "2:15")]),
        ("[policy]\ncommand = []\n", [("key-unknown", "2:1")]),
        ("[policy]\ncommands = 'git'\n", [("value-type", "2:12")]),
        ("[editor]\nkeys = 'emacs'\n", [("value-enum", "2:8")]),
        ("[editor]\nmouse = 'no'\n", [("value-type", "2:9")]),
        ("[editor]\nmice = true\n", [("key-unknown", "2:1")]),
        ("required-version = '>=99'\n", [("settings-version-required", "1:20")]),
        ("required-version = 'new'\n", [("value-format", "1:20")]),
        ("dialect = 'a'\ndialect = 'b'\n", [("key-duplicate", "2:1")]),
    ],
)
def test_findings(text: str, expected: list[tuple[str, str]]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "rules = 3\n",
        "folder = [3]\n",
        "[folder]\npath = 3\n",
        "[[folder]]\npath = 3\n",
        "ignore = 'x'\n",
        "policy = []\n",
        "waive = {}\n",
        "editor = 'vim'\n",
        "required-version = 1\n",
        "dialect = 1\ntargets = {}\n",
    ],
)
def test_wrong_types_are_told_and_then_left_out(text: str) -> None:
    found = settings(text)
    assert {each.rule for each in found.diagnostics} <= {"value-type", "key-missing"}
    assert found.diagnostics
    assert found.for_skill("a").policy is None


@pytest.mark.parametrize("value", ["'git'", "", "[1]"])
def test_a_policy_that_cannot_be_read_grants_nothing(value: str) -> None:
    found = settings(f"[policy]\ncommands = {value}\n").for_skill("a").policy
    assert found is not None
    assert found.commands == ()


@pytest.mark.parametrize(
    ("wanted", "version", "met"),
    [
        (">=0.1", "0.1.0", True),
        (">=0.1.1", "0.1.0", False),
        (">=0.9, <1", "0.10.0", True),
        (">=0.9, <1", "1.0.0", False),
        ("<=1.2", "1.2.0", True),
        (">1.2", "1.2.0", False),
        ("0.1", "0.1.0", True),
        ("==0.1", "0.1.1", False),
        ("=0.1", "0.1.0", True),
        (">=0.1", "0.1.0.dev3", True),
        ("newest", "0.1.0", True),
    ],
)
def test_versions(wanted: str, version: str, met: bool) -> None:
    assert meets(wanted, version) is met


def test_unknown_rules() -> None:
    text = "[rules]\nbody-lng = 'off'\nname-format = 'info'\n"
    text += "[[ignore]]\nrule = 'nothing'\npath = 'a'\n"
    found = list(settings(text).unknown_names({"body-long", "name-format"}, set, set))
    assert [(each.rule, each.pointer, each.message) for each in found] == [
        (
            "settings-rule-unknown",
            "/rules/body-lng",
            'unknown rule "body-lng"; did you mean body-long?',
        ),
        ("settings-rule-unknown", "/ignore/0/rule", 'unknown rule "nothing"'),
    ]


def test_unknown_targets() -> None:
    text = "targets = ['codeks', 'spec', 1]\n[[folder]]\npath = 'a'\ntargets = ['spec', 'x']\n"
    found = list(settings(text).unknown_names((), lambda: ("codex", "spec"), set))
    assert [(each.rule, each.pointer, each.message) for each in found] == [
        (
            "settings-target-unknown",
            "/targets/0",
            'unknown target "codeks"; did you mean codex?',
        ),
        ("settings-target-unknown", "/folder/0/targets/1", 'unknown target "x"'),
    ]


def test_unknown_dialects() -> None:
    text = "dialect = 'frontmattr-1.0'\n[[folder]]\npath = 'a'\ndialect = 'caro-1.0'\n"
    text += "[[folder]]\npath = 'b'\ndialect = 'x'\n"
    problems = settings(text).unknown_names((), set, lambda: ("frontmatter-1.0", "caro-1.0"))
    assert [(problem.rule, problem.pointer, problem.message) for problem in problems] == [
        (
            "settings-dialect-unknown",
            "/dialect",
            'unknown dialect "frontmattr-1.0"; did you mean frontmatter-1.0?',
        ),
        ("settings-dialect-unknown", "/folder/1/dialect", 'unknown dialect "x"'),
    ]


def test_every_field_of_the_schema_is_described() -> None:
    import json
    from pathlib import Path

    import skillstudio.settings
    from skillstudio.schema.keywords import walk_schema

    file = Path(skillstudio.settings.__file__).with_name("schema.json")
    schema = json.loads(file.read_text("utf-8"))
    bare = [
        path
        for path, part in walk_schema(schema)
        if isinstance(part, dict) and not part.get("description")
    ]
    assert bare == []


PYPROJECT = """\
[project]
name = "tea"

[tool.skillstudio]
targets = ["spec", "codexx"]
target = []

[tool.ruff]
line-length = 100

[tool.skillstudio.rules]
name-format = "of"

[[tool.skillstudio.ignore]]
rule = "link-missing"
path = "*"

[[tool.skillstudio.waive]]
fingerprint = "0123456789ab"
reason = "agreed"

[tool.skillstudio.policy]
hosts = []
"""


def test_a_table_of_pyproject_has_the_places_of_the_whole_file(tmp_path: Path) -> None:
    found = read_settings(Source(PYPROJECT, "pyproject.toml"))
    source = found.document.source
    named = found.unknown_names({"link-missing", "name-format"}, lambda: ["spec", "codex"], set)
    rows = [
        (each.rule, each.path, *source.position(each.span.start))
        for each in (*found.diagnostics, *named)
        if each.span
    ]
    assert rows == [
        ("key-unknown", "pyproject.toml", 6, 1),
        ("value-enum", "pyproject.toml", 12, 15),
        ("settings-target-unknown", "pyproject.toml", 5, 20),
    ]
    assert [each.place for each in found.everywhere.ignores] == [Position(15, 1)]
    assert [each.place for each in found.waivers] == [Position(19, 1)]
    assert found.everywhere.policy is not None
    assert found.everywhere.policy.places == {"hosts": Position(23, 1)}
    assert found.for_skill("a").file == "pyproject.toml"


@pytest.mark.parametrize(
    ("text", "rule", "place"),
    [
        ("[tool]\nskillstudio = 3\n", "value-type", (2, 15)),
        ("[tool.skillstudio]\n[[tool.skillstudio.waive]]\nreason = 'x'\n", "key-missing", (2, 20)),
        ("[tool.skillstudio]\ntargets = \n", "syntax-toml", (2, 9)),
        ("name = \n[tool.skillstudio]\n", "syntax-toml", (1, 6)),
    ],
)
def test_what_is_wrong_in_pyproject(text: str, rule: str, place: tuple[int, int]) -> None:
    found = read_settings(Source(text, "pyproject.toml"))
    first = found.diagnostics[0]
    assert first.span is not None
    assert (first.rule, found.document.source.position(first.span.start)) == (rule, place)


def test_a_file_that_was_removed_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_settings_file(SettingsFile(str(tmp_path / "gone.toml"), str(tmp_path)))

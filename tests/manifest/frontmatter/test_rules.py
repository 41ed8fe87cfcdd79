"""ADR-002 and the interface of ADR-003; the marks enclose each finding's place."""

from __future__ import annotations

import pytest
from tests.manifest.marked import expected, found, mended

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import analyse

HEAD = '---\nmanifest_version: "1.0"\nname: worklog\ndescription: d\n'
DAY = "    - name: day\n      description: d\n      schema:\n        type: string\n"
SUBJECT = "    - name: subject\n      description: d\n      schema:\n        type: string\n"


def skill(text: str) -> str:
    return f"{HEAD}{text}---\n"


def schema(text: str) -> str:
    lines = "".join(f"        {line}\n" for line in text.splitlines())
    group = "optional" if "\ndefault:" in text else "required"
    return skill(
        f"inputs:\n  {group}:\n    - name: day\n      description: d\n      schema:\n{lines}"
    )


def command(text: str) -> str:
    return skill(f"preconditions:\n  commands:\n    - cmd: git\n      {text}\n")


def file(text: str) -> str:
    return skill(f"preconditions:\n  files:\n    - path: {text}\n")


def pattern(text: str) -> str:
    return skill(f"inputs:\n  required:\n{DAY}outputs:\n  files:\n    - pattern: {text}\n")


def bare(text: str) -> str:
    return f"---\nname: worklog\ndescription: d\n{text}---\n"


CASES = [
    # the manifest's own version
    ("manifest-version-missing", bare("«version»: 1.0.0\nenv:\n  required: [{name: A}]\n")),
    ("manifest-version-missing", bare("«env»: {required: []}\noutputs: {}\n")),
    ("manifest-version-unsupported", bare('manifest_version: «"2.0"»\ninputs: nonsense\n')),
    ("manifest-version-unsupported", bare("manifest_version: «2.0»\n")),
    ("manifest-version-unsupported", bare("manifest_version: «one»\n")),
    ("manifest-version-minor", bare('manifest_version: «"1.2"»\n')),
    ("version-unquoted", bare("manifest_version: «1.0»\n")),
    ("value-type", bare("manifest_version: «[1]»\n")),
    # the skill's version
    ("version-unquoted", skill("version: «1.0»\n")),
    ("version-not-semver", skill('version: «"1.0"»\n')),
    ("version-not-semver", skill("version: «v1.0.0»\n")),
    ("value-type", skill("version: «true»\n")),
    # inputs
    ("input-default-missing", skill("inputs:\n  optional:\n" + DAY.replace("day", "«day»"))),
    (
        "name-duplicate",
        skill("inputs:\n  required:\n" + DAY + DAY.replace("day", "«day»")),
    ),
    (
        "name-duplicate",
        skill(
            f"inputs:\n  required:\n{DAY}  optional:\n"
            + DAY.replace("day", "«day»")
            + "        default: x\n"
        ),
    ),
    ("key-missing", skill("inputs:\n  required:\n    - «description»: d\n      schema: {}\n")),
    ("key-missing", skill("inputs:\n  required:\n    - «{»description: d, schema: {}}\n")),
    ("key-unknown", skill("«input»: {}\n")),
    ("key-unknown", skill("inputs:\n  required: []\n  «optionl»: []\n")),
    ("key-extension", skill("inputs:\n  required: []\n  «x-more»: []\n")),
    ("value-type", skill("inputs: «[]»\n")),
    ("value-type", skill("inputs:\n  required: «text»\n")),
    (
        "secret-default",
        skill(
            f"inputs:\n  optional:\n{DAY}        default: «x»\n".replace(
                "description: d", "description: d\n      sensitive: true"
            )
        ),
    ),
    # the schemas of inputs
    ("schema-invalid", schema("type: «text»")),
    ("schema-invalid", schema('minimum: «"1"»')),
    ("schema-keyword-outside", schema("type: string\n«maxLength»: 3")),
    ("schema-keyword-outside", schema("type: string\n«patern»: x")),
    ("schema-keyword-outside", schema("type: array\nitems:\n  «format»: date")),
    ("schema-default-invalid", schema("type: string\ndefault: «7»")),
    ("schema-default-invalid", schema("type: string\npattern: ^a$\ndefault: «b»")),
    (
        "schema-default-invalid",
        schema("type: object\nproperties:\n  a: {type: string, default: «7»}"),
    ),
    ("schema-ref-remote", schema("$ref: «https://a.org/b»")),
    ("pattern-invalid", schema('type: string\npattern: «"(a"»')),
    ("pattern-python-only", schema('type: string\npattern: «"(?P<day>x)"»')),
    (
        "value-type",
        schema("type: string").replace("schema:\n        type: string", "schema: «string»"),
    ),
    # env
    ("env-name-format", skill("env:\n  required:\n    - name: «API-TOKEN»\n")),
    ("env-name-format", skill("env:\n  required:\n    - name: «1ST»\n")),
    (
        "name-duplicate",
        skill("env:\n  required:\n    - name: A\n  optional:\n    - name: «A»\n"),
    ),
    # preconditions
    ("version-unquoted", command("min_version: «2.40»")),
    ("version-unquoted", command("max_version: «3»")),
    ("command-version-format", command('min_version: «">=2.40"»')),
    ("command-range-empty", command('min_version: "3.1"\n      max_version: «"3.0"»')),
    ("command-range-empty", command('min_version: "3"\n      max_version: «"2"»')),
    ("key-missing", skill("preconditions:\n  commands:\n    - «min_version»: '1'\n")),
    ("path-absolute", file("«/etc/hosts»")),
    ("path-absolute", file("«~/notes»")),
    ("path-absolute", file("«'C:/notes'»")),
    ("path-absolute", file("«'\\\\host\\share'»")),
    ("path-absolute", file("«/x»\n      base: cwd")),
    ("path-outside", file("«../x»")),
    ("path-outside", file("«a/../../x»\n      base: repo_root")),
    ("path-missing", file("«gone.sh»")),
    ("value-enum", file("scripts/run.sh\n      base: «home»")),
    # outputs
    ("output-input-undeclared", pattern('"a/«{{dya}}».md"')),
    ("output-input-undeclared", pattern('"a\\t\\"«{{dya}}».md"')),
    ("placeholder-malformed", pattern('"a/«{{ day }}».md"')),
    ("placeholder-malformed", pattern('"a/«{{»day.md"')),
    ("placeholder-malformed", pattern('"«{{}}».md"')),
    ("path-absolute", pattern("«/a.md»")),
    ("path-outside", pattern('«"../{{day}}.md"»')),
    (
        "value-enum",
        skill("outputs:\n  artifacts:\n    - {name: log, kind: «stderr»}\n"),
    ),
    ("value-type", skill("outputs:\n  artifacts: [«7»]\n")),
    ("key-missing", skill("outputs:\n  artifacts:\n    - «{»kind: stdout}\n")),
    # execution
    ("value-range", skill("execution:\n  timeout: «0»\n")),
    ("value-type", skill("execution:\n  timeout: «soon»\n")),
    ("value-type", skill("execution:\n  network: «maybe»\n")),
    ("value-type", skill("sensitive: «1»\n")),
    # interface
    (
        "interface-undeclared",
        skill(f"inputs:\n  required:\n{DAY}interface:\n  inputs: [day, «dya»]\n"),
    ),
    (
        "interface-undeclared",
        skill("env:\n  optional:\n    - name: A\ninterface:\n  env: [«B»]\n"),
    ),
    ("interface-unlisted", skill(f"inputs:\n  required:\n{DAY}interface:\n  «inputs»: []\n")),
    ("interface-unlisted", skill("env:\n  required:\n    - name: A\ninterface:\n  «env»: []\n")),
    (
        "interface-unlisted",
        skill(
            "outputs:\n  files:\n    - pattern: a/*.md\n"
            "interface:\n  «outputs»:\n    - pattern: b/*\n"
        ),
    ),
    ("output-input-undeclared", skill('interface:\n  outputs:\n    - pattern: "«{{day}}».md"\n')),
    # syntax
    ("key-duplicate", skill("env: {}\n«env»: {}\n")),
]

FILES = {"scripts/run.sh": b"", "README.md": b""}


@pytest.mark.parametrize(("rule", "marked"), CASES)
def test_a_finding_stands_at_its_place(rule: str, marked: str) -> None:
    text, places = expected(rule, marked)
    text += "Run scripts/run.sh.\n"
    assert found(text, files=FILES) == places


CLEAN = [
    pattern('"a/{{day}}-*.md"'),
    pattern("docs/**/?.md"),
    pattern("'{{day}}/../x.md'"),
    file("scripts/run.sh"),
    file("./scripts/../scripts/run.sh"),
    file("gone.sh\n      base: repo_root"),
    file("gone.sh\n      base: cwd"),
    command('min_version: "2.40"\n      max_version: "2"'),
    schema("type: string\npattern: ^\\d{4}-\\d{2}-\\d{2}$\ndefault: '2025-01-01'"),
    schema("type: array\nitems:\n  type: integer\n  minimum: 1\ndefault: [1, 2]"),
    schema("type: string\nenum: [a, b]\ndefault: a\ndescription: one of two"),
    skill(f"inputs:\n  required:\n{DAY}interface:\n  inputs: [day]\n"),
    skill("interface:\n  inputs: [day]\n  outputs:\n    - pattern: a/*\n  env: [A]\n"),
    skill(
        'outputs:\n  files:\n    - pattern: "a/b.md"\ninterface:\n  outputs:\n    - pattern: "**"\n'
    ),
    skill("outputs:\n  artifacts:\n    - a report on stdout\n    - {name: log, kind: stdout}\n"),
    skill("execution:\n  timeout: 0.5\n"),
    bare('manifest_version: "1"\n'),
]


@pytest.mark.parametrize("text", CLEAN)
def test_nothing_is_found_where_nothing_is_wrong(text: str) -> None:
    assert found(text + "Run scripts/run.sh.\n", files=FILES) == []


FIXES = [
    (
        bare("version: 1.0.0\nenv: {required: []}\n"),
        bare('manifest_version: "1.0"\nversion: 1.0.0\nenv: {required: []}\n'),
    ),
    (skill("version: 1.0\n"), skill('version: "1.0"\n')),
    (skill('version: "1.2"\n'), skill('version: "1.2.0"\n')),
    (command("min_version: 2.40"), command('min_version: "2.40"')),
    (command("min_version: 2.40 # newest"), command('min_version: "2.40" # newest')),
    (pattern('"a/{{dya}}.md"'), pattern('"a/{{day}}.md"')),
    (pattern('"a/{{ day }}.md"'), pattern('"a/{{day}}.md"')),
    (schema("type: string\npatern: x"), schema("type: string\npattern: x")),
    (
        skill("env:\n  required:\n    - name: A\ninterface:\n  env: [B]\n").replace("[B]", "[]"),
        skill("env:\n  required:\n    - name: A\ninterface:\n  env: [A]\n"),
    ),
]


@pytest.mark.parametrize(("wrong", "right"), FIXES)
def test_a_fix_changes_its_place_only(wrong: str, right: str) -> None:
    assert mended(wrong) == right


RECOGNISED = [
    ('manifest_version: "1.0"\n', True),
    ("manifest_version: 2.0\n", True),
    ("inputs:\n  required:\n" + DAY, True),
    ("inputs: {optional: []}\n", True),
    ("env:\n  optional:\n    - name: HOME\n", True),
    ("preconditions:\n  commands: [{cmd: git}]\n", True),
    ("preconditions:\n  files: [{path: a.sh}, oops]\n", True),
    ("outputs:\n  files: [{pattern: a.md}]\n", True),
    ("version: 1.0.0\n", False),
    ("version: 1.0\nsensitive: true\n", False),
    ("execution:\n  timeout: 30\n", False),
    ("inputs: some text\n", False),
    ("inputs: [a, b]\n", False),
    ("inputs: {}\n", False),
    ("inputs: {topic: What it is about}\n", False),
    ("inputs: {type: object, required: [a], properties: {}}\n", False),
    ("inputs: {type: object, required: []}\n", False),
    ("env:\n  HOME: The home folder\n", False),
    ("env: {required: [HOME]}\n", False),
    ("preconditions:\n  - git is installed\n", False),
    ("outputs: {files: [a.md]}\n", False),
    ("outputs: {artifacts: [a table]}\n", False),
]


@pytest.mark.parametrize(("text", "ours"), RECOGNISED)
def test_the_dialect_is_recognised_by_its_own_fields_only(text: str, ours: bool) -> None:
    analysis = analyse(MemoryTree({"SKILL.md": bare(text).encode()}, "worklog"))
    assert analysis.dialects == ["agent-skills", *(["frontmatter-1.0"] if ours else [])]
    if not ours:
        assert {each.dialect for each in analysis.diagnostics} <= {"agent-skills", ""}


def test_a_version_in_an_agent_skill_is_known_and_noted() -> None:
    text = bare("version: 1.0.0\n")
    analysis = analyse(MemoryTree({"SKILL.md": text.encode()}, "worklog"))
    (found,) = analysis.diagnostics
    assert (found.rule, found.severity) == ("version-top-level", "info")
    assert found.span is not None
    assert text[found.span.start : found.span.end] == "version"


@pytest.mark.parametrize(
    ("top", "own", "count"), [("0.6.0", "0.5.1", 1), ("0.6.0", "0.6.0", 0), ("0.6", "0.5.1", 0)]
)
def test_two_versions_in_one_file_disagree(top: str, own: str, count: int) -> None:
    keys = f'version: {top}\nmetadata:\n  version: "{own}"\n'
    analysis = analyse(MemoryTree({"SKILL.md": bare(keys).encode()}, "worklog"))
    found = [one for one in analysis.diagnostics if one.rule == "version-disagrees"]
    assert [(one.severity, one.path, one.pointer) for one in found] == (
        [("warning", "SKILL.md", "/version")] * count
    )

"""What is found of a run, in each system's words, and what is never offered."""

from __future__ import annotations

from typing import Any

import pytest
from tests.dryrun.adopting.skills import (
    HOME,
    SKILLS,
    case,
    found,
    report,
    tree,
    two,
    undeclared,
    written,
)

from skillstudio.dryrun.adopting.finding import AdoptFinding
from skillstudio.dryrun.adopting.findings import AdoptRefused, findings, make_case
from skillstudio.dryrun.plan import Step
from skillstudio.dryrun.report import (
    CUT_LOG,
    TOO_SHORT,
    JudgedContract,
    JudgedEffect,
    JudgedOutput,
    RunEnding,
)
from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.locate import locate
from skillstudio.text.diagnostic import Remove, Set

FRONT, TWO, CARO = "frontmatter-1.0", "skill-manifest-2.0", "caro-1.0"
TOKEN = "hmac-sha256:" + "0" * 64


def edits(told: list[AdoptFinding]) -> dict[str, list[Any]]:
    """The edits by id, of what can be adopted and mends a fault."""
    return {
        each.id: [tuple(edit) for edit in each.edits]
        for each in told
        if each.edits and each.is_preselected
    }


def test_commands_are_asked_for_with_the_version_found() -> None:
    told = found(
        FRONT,
        effects=(
            undeclared(
                "proc.exec",
                "started psql -c x",
                "started /usr/bin/quiet",
                "started cp a b",
                "started make all",
                "started gone --x",
                "started ./bin/helper x",
                "started /w/skills/doer/bin/helper",
            ),
        ),
    )
    at = "/preconditions/commands/-"
    assert edits(told) == {
        "command:psql": [(at, {"cmd": "psql", "min_version": "15.4"})],
        "command:quiet": [(at, {"cmd": "quiet"})],
        "command:bin/helper": [(at, {"cmd": "bin/helper"})],
    }
    assert [each.id for each in told if each.cannot] == ["command:gone"]


def test_a_program_is_one_finding_whatever_it_shows() -> None:
    told = found(
        FRONT,
        effects=(
            JudgedEffect("git.read", False, "undeclared", ("started git status",)),
            JudgedEffect("git.write", False, "undeclared", ("started git push",)),
        ),
    )
    (git,) = [each for each in told if each.id == "command:git"]
    assert git.why == ("started git status", "started git push")
    assert not git.is_preselected


def test_outputs_are_patterns_with_the_inputs_put_back() -> None:
    told = found(
        FRONT,
        inputs={"date": "2025-12-31", "topic": "tea", "extra": "more", "token": SENSITIVE},
        outputs=written(
            "docs/2025-12-31-tea.org",
            "docs/more.txt",
            "log.txt (in the skill)",
            f"docs/{SENSITIVE}.md",
        ),
    )
    at = "/outputs/files/-"
    assert edits(told) == {
        "output:docs/{{date}}-{{topic}}.org": [(at, {"pattern": "docs/{{date}}-{{topic}}.org"})],
        "output:docs/*.txt": [(at, {"pattern": "docs/*.txt"})],
        "output:log.txt": [(at, {"pattern": "log.txt", "base": "skill_root"})],
    }
    masked = [each for each in told if each.cannot]
    assert [each.why for each in masked] == [(f"docs/{SENSITIVE}.md",)]


def test_one_pattern_in_two_folders_is_one_finding() -> None:
    (told,) = found(FRONT, traced=False, outputs=written("x.md", "x.md (in the skill)"))
    assert edits([told]) == {
        "output:x.md": [
            ("/outputs/files/-", {"pattern": "x.md"}),
            ("/outputs/files/-", {"pattern": "x.md", "base": "skill_root"}),
        ]
    }
    assert "in the repository; Declare" in told.sentence
    assert told.sentence.endswith("in the skill's folder")


def test_a_pattern_that_one_of_two_folders_has_is_not_unseen() -> None:
    twice = "    - {pattern: x.md}\n    - {pattern: x.md, base: skill_root}\n"
    text = SKILLS[FRONT][0]["SKILL.md"].replace("    - pattern: old.txt\n", twice)
    outputs = (JudgedOutput("x.md", "missing", (), True), JudgedOutput("x.md", "produced", ("x",)))
    assert found(FRONT, {"SKILL.md": text}, traced=False, outputs=outputs) == []


def test_very_many_names_with_nothing_in_common_are_for_a_person() -> None:
    files = [f"{chr(97 + n % 26)}{n}.x{n}" for n in range(41)]
    (told,) = found(FRONT, traced=False, outputs=written(*files))
    assert (told.edits, told.why) == ((), tuple(files))
    assert "41 patterns" in told.cannot
    assert len(found(FRONT, traced=False, outputs=written(*files[1:]))) == 40


def test_of_a_trace_without_paths_no_output_can_be_made() -> None:
    told = found(FRONT, outputs=written(TOKEN), effects=(undeclared("fs.write", TOKEN),))
    assert edits(told) == {}
    assert "sensitive" in told[-1].sentence


def test_what_looks_like_a_credential_is_put_into_no_manifest() -> None:
    key = "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyz"
    told = found(
        FRONT,
        outputs=written(f"out/{key}.txt"),
        effects=(undeclared("proc.exec", f"started git clone https://{key}@a.test"),),
    )
    assert list(edits(told)) == ["command:git"]
    assert key not in repr(edits(told))
    told = found(CARO, effects=(undeclared("fs.read", f"read /w/{key}", "read /w/x"),))
    assert list(edits(told)) == ["fs.read:./x"]


def test_a_pattern_is_relative_to_the_repository_that_was_named() -> None:
    made = case(FRONT, outputs=written("sub/out/x.md", "other.md"))
    roots = made.roots._replace(repository="/w/sub")
    plan = made.report.plan._replace(roots=roots)
    told = findings(made._replace(report=made.report._replace(plan=plan)))
    assert list(edits(list(told))) == ["output:out/x.md"]
    assert [each.why for each in told if each.cannot] == [("/w/other.md",)]


@pytest.mark.parametrize("line", ["added ~/.cache/x", "removed other.txt", "wrote /etc/x"])
def test_files_that_no_pattern_stands_for_are_told(line: str) -> None:
    told = found(FRONT, effects=(undeclared("fs.write", line),))
    assert [each.why for each in told if each.id == "effect:fs.write"] == [(line,)]
    assert edits(told) == {}


def test_paths_become_few_items_and_no_more_than_what_was_seen() -> None:
    told = found(
        CARO,
        inputs={"date": "2025-12-31"},
        effects=(
            undeclared("fs.read", "read /w/a.txt", "read ~/.netrc", "read /data/x", "read /data"),
            undeclared(
                "fs.write",
                "added logs/2025-12-31.md",
                "added big/1",
                "added big/2",
                "added big/3",
                "added big/4",
                "added few/1",
                "added few/2",
                "added 2025-12-31.txt",
            ),
        ),
    )
    assert list(edits(told)) == [
        "fs.read:./a.txt",
        "fs.read:~/.netrc",
        "fs.read:/data",
        "fs.write:./logs",
        "fs.write:./big",
        "fs.write:./few/1",
        "fs.write:./few/2",
        "fs.write:./2025-12-31.txt",
    ]
    about = {each.id: each.sentence for each in told}
    assert about["fs.write:./big"].endswith(": the folder, because of 4 files in it")
    assert about["fs.write:./2025-12-31.txt"].endswith("of date may use another file")


@pytest.mark.parametrize(("dialect", "told"), [(CARO, True), ("provenact-1", True), (TWO, False)])
def test_that_more_was_seen_is_told_of_what_is_named_one_by_one(dialect: str, told: bool) -> None:
    cut = undeclared("fs.write", "added a/x", "and 3 more")
    (mine,) = (each for each in found(dialect, effects=(cut,)) if each.is_preselected)
    assert mine.sentence.endswith("so run it again") is told


def test_a_new_list_of_programs_shuts_nothing_out_that_is_started() -> None:
    told = found(
        CARO,
        effects=(
            undeclared("proc.exec", "started jq .", "started cp a b"),
            JudgedEffect("git.read", False, "undeclared", ("started git log",)),
        ),
    )
    at = "/capabilities/terminal_exec"
    assert edits(told) == {
        "command:jq": [
            (f"{at}/allowed", True),
            (f"{at}/commands/-", "python3"),
            (f"{at}/commands/-", "jq"),
            (f"{at}/commands/-", "git"),
        ]
    }


def test_a_program_that_is_blocked_is_for_the_author_to_say() -> None:
    toml = SKILLS[CARO][0]["skill.toml"]
    toml += '\n[capabilities.terminal_exec]\ncommands = ["python3"]\nblocked = ["rm"]\n'
    files = {**SKILLS[CARO][0], "skill.toml": toml}
    told = found(CARO, files, effects=(undeclared("proc.exec", "started rm x", "started jq ."),))
    assert edits(told) == {"command:jq": [("/capabilities/terminal_exec/commands/-", "jq")]}
    assert [each.id for each in told if each.cannot] == ["command:rm"]


def test_hosts_are_named_as_they_were_asked_for() -> None:
    lines = ("looked up api.example.test", "connected to 10.1.2.3:443",
             "sent to 10.1.2.3:99")  # fmt: skip
    told = found(CARO, effects=(undeclared("net.fetch", *lines),))
    at = "/capabilities/network/-"
    assert edits(told) == {
        "host:api.example.test": [(at, "api.example.test")],
        "host:10.1.2.3": [(at, "10.1.2.3")],
    }


@pytest.mark.parametrize(
    ("dialect", "edit"),
    [
        ("provenact-1", Set("/capabilities/-", {"kind": "net.http", "value": "http://a.test"})),
        ("provenact-0", Set("/caps/-", {"name": "net.http", "required": True,
                                        "constraints": {"domains": ["a.test"]}})),
    ],
)  # fmt: skip
def test_a_request_has_the_scheme_of_its_port(dialect: str, edit: Set) -> None:
    told = found(dialect, effects=(undeclared("net.fetch", "connected to a.test:80"),))
    assert list(edits(told).values()) == [[tuple(edit)]]


FIELDS: list[tuple[str, dict[str, str], dict[str, Any], dict[str, list[Any]], list[str]]] = [
    ("as declared", {"status": "ok | error", "n": "integer"}, {"status": "ok", "n": 1}, {}, []),
    ("printed and not declared", {"status": "ok | error"}, {"status": "ok", "n": 1},
     {"field:n": ["integer"]}, []),
    ("of another type", {"n": "string"}, {"n": 1}, {"field:n": ["integer"]}, []),
    ("prose is no type", {"n": "how many there are"}, {"n": 1}, {}, []),
    ("never printed", {"status": "ok | error", "n": "integer"}, {"status": "ok"}, {},
     ["unobserved:field:n"]),
    ("a failure tells only that", {"status": "ok | error", "n": "integer"},
     {"status": "error", "error": "no"}, {}, []),
    ("a masked value could be anything", {"status": "ok | error"}, {"status": "ok", "t": SENSITIVE},
     {"field:t": ["json"]}, []),
    ("a masked value is of no other type", {"n": "integer"}, {"n": SENSITIVE}, {}, []),
    ("a masked name", {"status": "ok | error"}, {"status": "ok", SENSITIVE: 1}, {}, []),
    ("a name like a credential", {"status": "ok | error"},
     {"status": "ok", "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyz": 1}, {}, []),
    ("null tells no type", {"status": "ok | error"}, {"status": "ok", "n": None},
     {"field:n": ["json"]}, []),
    ("a table", {"status": "ok | error"}, {"status": "ok", **{f"k{n}": n for n in range(201)}},
     {}, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "declared", "value", "faults", "offers"), FIELDS, ids=[r[0] for r in FIELDS]
)
def test_fields_of_what_was_printed(
    what: str,
    declared: dict[str, str],
    value: dict[str, Any],
    faults: dict[str, list[Any]],
    offers: list[str],
) -> None:
    told = found(TWO, {"SKILL.md": two(fields=declared)}, contract=JudgedContract(True, (), value))
    assert {id: [edit[1] for edit in each] for id, each in edits(told).items()} == faults
    assert [each.id for each in told if each.edits and not each.is_preselected] == offers


@pytest.mark.parametrize(
    ("hint", "again", "edit", "is_fault"),
    [
        ("", None, None, False),
        ("", (), True, False),
        ("", ("modified x",), False, False),
        ("idempotent: false", (), True, False),
        ("idempotent: false", ("modified x",), None, False),
        ("idempotent: true", (), None, False),
        ("idempotent: true", ("modified x",), False, True),
        ("idempotent: true", ("ended with exit status 3",), False, True),
        ("", ("ended with a timeout",), False, False),
    ],
)
def test_idempotent_is_what_a_second_run_measured(
    hint: str, again: tuple[str, ...] | None, edit: bool | None, is_fault: bool
) -> None:
    text = SKILLS[FRONT][0]["SKILL.md"].replace("network: false", hint or "network: false")
    told = [each for each in found(FRONT, {"SKILL.md": text}, again=again) if "idem" in each.id]
    if edit is None:
        assert told == []
        return
    (mine,) = told
    assert mine.edits == (Set("/execution/idempotent", edit),)
    assert mine.is_preselected is is_fault


@pytest.mark.parametrize(
    "parts",
    [
        {"ending": RunEnding(1)},
        {"ending": RunEnding(None, "SIGKILL", timed_out=True)},
        {"ending": RunEnding(0, timed_out=True)},
        {"ending": RunEnding(0, cancelled=True)},
        {"ending": RunEnding(0, limits=("1 process was still running at the end",))},
        {"effects": (JudgedEffect("fs.write", True, "not-observable"),)},
    ],
)
def test_a_run_that_failed_or_was_not_watched_shows_nothing_unseen(parts: dict[str, Any]) -> None:
    parts = {"effects": (JudgedEffect("fs.write", True, "declared-not-observed"),), **parts}
    value = JudgedContract(False, (), {})
    told = found(TWO, {"SKILL.md": two(["fs.write"])}, again=(), contract=value, **parts)
    assert [each.id for each in told if each.id.startswith("unobserved:effect")] == []


def test_without_a_tracer_no_command_is_unseen() -> None:
    assert [each.id for each in found(FRONT)] == ["unobserved:command:make"]
    assert found(FRONT, traced=False) == []
    assert found(FRONT, differences=(f"{CUT_LOG}: what is missing may have happened.",)) == []


@pytest.mark.parametrize(
    ("line", "started", "offers"),
    [
        ("#!/usr/bin/make -f\n", "./bin/helper", []),
        ("#!/usr/bin/env -S make -f\n", "/w/skills/doer/bin/helper x", []),
        ("#!/bin/sh\n", "./bin/helper", ["unobserved:command:make"]),
        ("#!/bin/sh\n", "/usr/bin/other", ["unobserved:command:make"]),
        ("#!/bin/sh\n", "./made-by-the-run", []),
        ("#!/bin/sh\n", "/w/tools/other", []),
    ],
)
def test_the_program_of_a_first_line_was_started_too(
    line: str, started: str, offers: list[str]
) -> None:
    seen = JudgedEffect("proc.exec", True, "declared-observed", (f"started {started}",))
    told = found(FRONT, {**SKILLS[FRONT][0], "bin/helper": line}, effects=(seen,))
    assert [each.id for each in told] == offers


@pytest.mark.parametrize(
    ("item", "offered"),
    [
        ("./a", True),
        ("/etc/x", True),
        ("~/a", False),
        ("~", False),
        (f"{HOME}/a", False),
        ("$CARO_CACHE/a", False),
        ("$CARO_PROJECT_ROOT/a", True),
    ],
)
def test_what_may_lie_in_the_home_folder_is_not_unseen(item: str, offered: bool) -> None:
    toml = SKILLS[CARO][0]["skill.toml"] + f'\n[capabilities]\nfilesystem_read = ["{item}"]\n'
    told = found(CARO, {**SKILLS[CARO][0], "skill.toml": toml})
    assert [each.id for each in told] == ([f"unobserved:fs.read:{item}"] if offered else [])


def test_that_nothing_was_read_is_told_of_an_empty_home_folder() -> None:
    effects = (JudgedEffect("fs.read", True, "declared-not-observed"),)
    value = JudgedContract(True, (), {"status": "ok"})
    (offer,) = found(TWO, {"SKILL.md": two(["fs.read"])}, effects=effects, contract=value)
    assert "with an empty home" in offer.sentence


def test_of_what_a_test_of_the_recipe_stood_in_for_nothing_is_unseen() -> None:
    toml = SKILLS[CARO][0]["skill.toml"] + '\n[capabilities]\nnetwork = ["a.test"]\n'
    made = case(CARO, {**SKILLS[CARO][0], "skill.toml": toml})
    assert [each.id for each in findings(made)] == ["unobserved:net.fetch:a.test"]
    plan = made.report.plan
    plan = plan._replace(steps=(*plan.steps, Step(("curl", "https://a.test"), mocked="")))
    assert findings(made._replace(report=made.report._replace(plan=plan))) == ()


@pytest.mark.parametrize(
    ("dialect", "old", "new"),
    [
        (
            "provenact-1",
            '"capabilities": []',
            '"capabilities": [{"kind": "fs.write", "value": %s}]',
        ),
        (
            "provenact-0",
            '"caps": []',
            '"caps": [{"name": "fs.write", "required": true, "constraints": {"paths": [%s]}}]',
        ),
    ],
)
@pytest.mark.parametrize(
    ("path", "offered"),
    [("/w/out", True), ("/w/skills/doer/x", True), ("/elsewhere", False), ("/w/../x", False)],
)
def test_a_folder_that_a_program_was_not_given_is_not_unseen(
    dialect: str, old: str, new: str, path: str, offered: bool
) -> None:
    text = SKILLS[dialect][0]["manifest.json"].replace(old, new % f'"{path}"')
    effects = (JudgedEffect("fs.write", True, "declared-not-observed"),)
    told = found(dialect, {"manifest.json": text}, effects=effects, traced=False)
    assert bool(told) is offered


def test_what_one_list_says_of_several_operations_is_told_so() -> None:
    one = two(["net.fetch"])
    several = one.replace('"operations": {', '"operations": {"other": {"description": "x", '
        '"input": {}, "output": {"description": "x"}, "entrypoints": {"unix": ["python3", "do.py"]}'
        "},")  # fmt: skip
    effects = (JudgedEffect("net.fetch", True, "declared-not-observed"),)
    value = JudgedContract(True, (), {"status": "ok"})
    for text, ending in (
        (one, "but other runs may"),
        (several, "but other runs and operations may"),
    ):
        (offer,) = found(TWO, {"SKILL.md": text}, effects=effects, contract=value)
        assert offer.sentence.endswith(ending)
        assert not offer.is_preselected
    (offer,) = found(FRONT)
    assert offer.sentence.endswith("but other runs and scripts may")


SECRET_NOW = SKILLS[FRONT][0]["SKILL.md"].replace("{name: date,", "{name: date, sensitive: true,")


@pytest.mark.parametrize(
    "text",
    [SECRET_NOW, SKILLS[FRONT][0]["SKILL.md"].replace("version: 1.0.0", "sensitive: true")],
)
def test_a_value_that_became_sensitive_since_the_run_is_put_nowhere(text: str) -> None:
    told = found(
        FRONT,
        {"SKILL.md": text},
        traced=False,
        inputs={"date": "maytwenty", "names": ["hidden-name"]},
        outputs=written("docs/maytwenty.md", "docs/plain.md"),
        effects=(undeclared("net.fetch", "looked up maytwenty.test"),),
    )
    assert "maytwenty" not in repr(told)
    assert list(edits(told)) == ["effect:net.fetch", "output:docs/plain.md"]
    assert [each.why for each in told if each.cannot] == [(f"docs/{SENSITIVE}.md",)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (SKILLS[FRONT][0]["SKILL.md"], {"differences": (f"1 sensitive values are {TOO_SHORT}.",)}),
        (SECRET_NOW, {"inputs": {"date": "may"}}),
    ],
)
def test_where_a_short_value_may_stand_in_a_name_nothing_is_picked(
    text: str, parts: dict[str, Any]
) -> None:
    effects = (undeclared("net.fetch", "looked up a.test"),)
    told = found(FRONT, {"SKILL.md": text}, traced=False, outputs=written("docs/may.md"),
                 effects=effects, **parts)  # fmt: skip
    assert list(edits(told)) == ["effect:net.fetch"]
    (output,) = [each for each in told if each.id == "output:docs/may.md"]
    assert output.edits
    assert TOO_SHORT in output.sentence


@pytest.mark.parametrize(
    ("dialect", "path", "old", "new", "place"),
    [
        (FRONT, "SKILL.md", "inputs:", "inputs: [", "SKILL.md:6:9"),
        (TWO, "SKILL.md", '"effects": [],', '"effects": [,', "SKILL.md:12:14"),
        (CARO, "skill.toml", 'license = "MIT"', 'license = "MIT', "skill.toml:7:11"),
    ],
)
def test_a_manifest_that_cannot_be_read_as_a_whole_takes_nothing(
    dialect: str, path: str, old: str, new: str, place: str
) -> None:
    files = {**SKILLS[dialect][0], path: SKILLS[dialect][0][path].replace(old, new)}
    with pytest.raises(AdoptRefused, match=f"^{place}: .*; fix this first$"):
        case(dialect, files)


def test_what_is_declared_by_now_is_not_found_again() -> None:
    effects = (undeclared("fs.write", "added a"), undeclared("net.fetch", "connected to a:1"))
    told = found(TWO, {"SKILL.md": two(["fs.write"])}, effects=effects)
    assert list(edits(told)) == ["effect:net.fetch"]


def test_a_pattern_without_a_file_may_be_taken_out() -> None:
    told = found(FRONT, traced=False, outputs=(JudgedOutput("old.txt", "missing", (), True),))
    assert [(each.id, each.is_preselected, each.edits) for each in told] == [
        ("unobserved:output:old.txt", False, (Remove("/outputs/files/0"),))
    ]


def test_a_skill_that_is_another_by_now_takes_nothing() -> None:
    now = locate(tree(SKILLS[TWO][0])).skill
    with pytest.raises(AdoptRefused, match="has changed since the run"):
        make_case(report(FRONT), now, "/home/ann", lambda _: {})
    changed = SKILLS[TWO][0]["SKILL.md"].replace('"do":', '"done":')
    with pytest.raises(AdoptRefused, match="unknown operation do"):
        case(TWO, {"SKILL.md": changed})


def test_of_a_run_that_never_started_nothing_is_found() -> None:
    assert found(FRONT, ending=RunEnding(None, error="no such program")) == []


def test_faults_stand_first_and_what_cannot_be_said_last() -> None:
    told = findings(
        case(
            FRONT,
            again=(),
            effects=(undeclared("fs.read", "read /x"), undeclared("net.fetch", "sent to a:1")),
        )
    )
    assert [(each.is_preselected, not each.edits) for each in told] == sorted(
        ((each.is_preselected, not each.edits) for each in told),
        key=lambda row: (row[1], not row[0]),
    )
    assert len({each.id for each in told}) == len(told) == 4

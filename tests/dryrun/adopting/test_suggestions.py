"""The whole table of what can be said where: each cell is tried on a skill of its dialect."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from tests.dryrun.adopting.skills import SKILLS, case, two, undeclared, written

from skillstudio.dryrun.adopting import effects, unobserved
from skillstudio.dryrun.adopting.choice import adopt
from skillstudio.dryrun.adopting.finding import AdoptSuggestion, suggestion, suggestions
from skillstudio.dryrun.adopting.findings import findings
from skillstudio.dryrun.judging.declared import table
from skillstudio.dryrun.report import JudgedContract, JudgedEffect, JudgedOutput
from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.registry import dialects, tables_of

OTHERS = ("output", "output-unobserved", "field", "field-unobserved", "field-type", "unobserved",
          "command-unobserved", "idempotent")  # fmt: skip
EVIDENCE = {
    "fs.read": "read /data/list.txt",
    "fs.write": "added out/a.txt",
    "proc.exec": "started quiet --flag",
    "net.fetch": "connected to 10.1.2.3:443 (refused: no network)",
    "git.read": "started git status",
    "git.write": "started git commit -m x",
    "db.read": "started psql -c look",
    "db.write": "started psql -c change",
    "ipc.connect": "connected to unix:/run/docker.sock",
    "sys.call": "called ptrace (refused: not permitted)",
    "net.listen": "listened on 0.0.0.0:80",
}
DECLARED = {
    "skill-manifest-2.0": {"SKILL.md": two(["fs.write"])},
    "caro-1.0": {
        **SKILLS["caro-1.0"][0],
        "skill.toml": SKILLS["caro-1.0"][0]["skill.toml"]
        + '\n[capabilities]\nfilesystem_write = ["./old"]\n'
        '\n[capabilities.terminal_exec]\ncommands = ["python3", "jq"]\n',
    },
    "frontmatter-1.0": {
        "SKILL.md": SKILLS["frontmatter-1.0"][0]["SKILL.md"].replace(
            "network: false", "network: true"
        )
    },
    "router-manifest-1": {
        "SKILL.md": SKILLS["router-manifest-1"][0]["SKILL.md"].replace(
            '"id"', '"effects": ["fs.write"],\n  "id"'
        )
    },
    "provenact-1": {
        "manifest.json": SKILLS["provenact-1"][0]["manifest.json"].replace(
            '"capabilities": []', '"capabilities": [{"kind": "fs.write", "value": "/w/data"}]'
        )
    },
    "provenact-bundle": {
        "manifest.json": SKILLS["provenact-bundle"][0]["manifest.json"].replace(
            '"capabilities": []', '"capabilities": [{"kind": "fs.write", "value": "/w/data"}]'
        )
    },
    "provenact-0": {
        "manifest.json": SKILLS["provenact-0"][0]["manifest.json"].replace(
            '"caps": []',
            '"caps": [{"name": "fs.write", "required": true, "constraints": {"paths": ["/w/d"]}}]',
        )
    },
}
"""Skills that declare something that is then not seen."""


def test_each_system_and_each_finding_stand_in_the_table_once() -> None:
    said = list(tables_of("adopt.toml", "say"))
    cells = [
        (dialect, finding)
        for known, row in said
        for dialect in known
        for finding in row["findings"]
    ]
    assert len(cells) == len(set(cells))
    systems = {each.id for each in dialects()}
    assert set(cells) == {
        (dialect, finding) for dialect in systems for finding in (*table()["effect"], *OTHERS)
    }
    assert all(row.get("form") or row.get("cannot") for _, row in said)
    assert all(bool(row.get("form")) == bool(row.get("at")) or row["form"] == "rest-of-files"
               for _, row in said)  # fmt: skip


def test_each_form_is_one_that_is_known() -> None:
    known = {
        *(*effects.FORMS, *unobserved.FORMS, *unobserved.COMMANDS),
        *("item-unobserved", "idempotent", "pattern", "pattern-unobserved"),
        *("field", "field-unobserved", "field-type"),
    }
    assert {how.form for how in suggestions().values()} - {""} == known


ROWS = {
    "reads files": ("fs.read",),
    "writes files": ("fs.write", "output"),
    "starts programs": ("proc.exec",),
    "uses the network": ("net.fetch",),
    "git, databases": ("git.read", "git.write", "db.read", "db.write"),
    "listening, local sockets, system calls": ("net.listen", "ipc.connect", "sys.call"),
    "printed fields": ("field", "field-type"),
    "idempotent": ("idempotent",),
    "not used": ("unobserved", "command-unobserved", "output-unobserved", "field-unobserved"),
}
"""The rows of the table that people read, and which findings each is about."""


def test_the_table_that_people_read_says_the_same() -> None:
    page = (Path(__file__).parents[3] / "docs" / "adopt.md").read_text(encoding="utf-8")
    section = page.split("\n## What can be adopted\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    head, _, *body = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    told = {each.id for each in dialects()} - {"agent-skills"}
    columns = [
        [name for name in told if fnmatch(name, pattern)]
        for pattern in (cell.strip("`") for cell in head[1:])
    ]
    assert sorted(name for column in columns for name in column) == sorted(told)
    assert [row[0] for row in body] == list(ROWS)
    assert sorted(each for row in ROWS.values() for each in row) == sorted(
        (*table()["effect"], *OTHERS)
    )
    for name, *cells in body:
        for column, cell in zip(columns, cells, strict=True):
            forms = [suggestion(each, finding) for each in column for finding in ROWS[name]]
            assert (cell == "–") is not any(
                how.form and how.form != "rest-of-files" for how in forms
            ), (name, column)
            if not column[0].startswith("provenact") and name != "not used":
                # What stands in the cell is the place in the manifest, or the list in it.
                places = [how.at.replace("/", ".") for how in forms if how.at]
                places += [f"{place}.commands" for place in places]
                for word in re.findall("`([^`]+)`", cell):
                    assert any(place.endswith(word) for place in places), (name, column, word)
    assert not any(
        how.form for (dialect, _), how in suggestions().items() if dialect == "agent-skills"
    )


def run_that_shows(dialect: str, finding: str) -> dict[str, Any]:
    """The parts of a report with one finding in it and no other."""
    if finding in EVIDENCE:
        return {"effects": (undeclared(finding, EVIDENCE[finding]),)}
    missing = "fs.write" if dialect != "frontmatter-1.0" else "net.fetch"
    shown: dict[str, dict[str, Any]] = {
        "output": {"outputs": written("out/a.txt")},
        "output-unobserved": {"outputs": (JudgedOutput("old.txt", "missing", (), True),)},
        "field": {"contract": JudgedContract(False, (), {"status": "ok", "count": 3})},
        "field-unobserved": {"contract": JudgedContract(False, (), {})},
        "field-type": {"contract": JudgedContract(False, (), {"status": 5})},
        "unobserved": {"effects": (JudgedEffect(missing, True, "declared-not-observed"),)},
        "command-unobserved": {},
        "idempotent": {"again": ()},
    }
    return shown[finding]


SILENT = {
    "output-unobserved",
    "field",
    "field-unobserved",
    "field-type",
    "unobserved",
    "command-unobserved",
}
"""What is not even found where it cannot be declared."""


@pytest.mark.parametrize(
    ("dialect", "finding", "how"),
    [pytest.param(*key, how, id=" ".join(key)) for key, how in suggestions().items()],
)
def test_what_can_be_said_is_said_and_what_cannot_has_its_reason(
    dialect: str, finding: str, how: AdoptSuggestion
) -> None:
    later = finding in ("unobserved", "command-unobserved")
    files = DECLARED.get(dialect) if later else None
    made = case(dialect, files, **run_that_shows(dialect, finding))
    told = [
        each for each in findings(made) if later or not each.id.startswith("unobserved:command:")
    ]
    offered = [each for each in told if each.edits]
    if finding == "command-unobserved":
        offered = [each for each in offered if each.id.startswith("unobserved:command:")]
    elif finding == "unobserved":
        offered = [each for each in offered if not each.id.startswith("unobserved:command:")]

    # Files that no pattern could stand for have no words even there.
    can = how.form not in ("", "rest-of-files")
    if not can:
        assert offered == []
        assert finding in SILENT or [each.cannot for each in told] == [how.cannot]
        assert all(each.cannot in each.sentence for each in told)
        return
    assert offered, told
    adopted = adopt(made, offered)
    assert adopted.new != adopted.old
    assert SENSITIVE not in adopted.new
    is_fault = not later and finding not in ("output-unobserved", "field-unobserved", "idempotent")
    assert {each.is_preselected for each in offered} == {is_fault}


PARTLY = [
    ("frontmatter-1.0", "db.write", "added notes.db"),
    ("frontmatter-1.0", "git.write", "modified .git/HEAD"),
    ("caro-1.0", "db.write", "connected to 10.1.2.3:5432"),
    ("caro-1.0", "net.fetch", "requested a network socket (AF_INET) (refused: permission denied)"),
    (
        "provenact-1",
        "net.fetch",
        "requested a network socket (AF_INET) (refused: permission denied)",
    ),
    ("provenact-0", "fs.read", "called ptrace"),
]


@pytest.mark.parametrize(("dialect", "effect", "line"), PARTLY)
def test_what_of_it_cannot_be_said_is_told(dialect: str, effect: str, line: str) -> None:
    told = findings(case(dialect, effects=(undeclared(effect, line),)))
    mine = [each for each in told if not each.id.startswith("unobserved:")]
    assert [(each.edits, each.cannot, each.why) for each in mine] == [
        ((), suggestion(dialect, effect).cannot, (line,))
    ]

"""The shapes that programs rely on: every key is there, and none that is not named here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.cli.conftest import Run
from tests.repositories import Repo, needs_git, plain

pytestmark = needs_git
ANY: dict[str, Any] = {}
TEXT = {"type": "string", "minLength": 1}
HASH = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}
LEVEL = {"enum": ["major", "minor", "patch", "none"]}


def shape(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [{"type": "null"}, schema]}


def listed(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


SIDE = nullable(
    shape(path=TEXT, ref=nullable(TEXT), version=nullable(TEXT), content_hash=nullable(HASH))
)
SIDES = {"enum": ["old", "new"]}
CHANGE = shape(
    kind={"type": "string", "pattern": "^[a-z0-9-]+$"},
    operation={"type": "string"},
    pointer={"type": "string", "pattern": "^(/.*)?$"},
    level=LEVEL,
    review={"type": "boolean"},
    routing={"type": "boolean"},
    verdict={"enum": ["decided", "undecided"]},
    keyword=nullable(TEXT),
    old=ANY,
    new=ANY,
    witness=nullable(shape(value=ANY, accepted_by=SIDES, refused_by=SIDES)),
    message=TEXT,
    source=TEXT,
    fingerprint={"type": "string", "pattern": "^[0-9a-f]{12}$"},
    waived=nullable(TEXT),
    hits=listed(TEXT),
)
BUMP = shape(
    declared={"enum": ["none", "patch", "minor", "major", "decreased", "unknown"]},
    required={"enum": [*LEVEL["enum"], "unknown"]},
    ok=nullable({"type": "boolean"}),
    suggested=nullable({"type": "string", "pattern": r"^\d+\.\d+\.\d+$"}),
    findings=listed(
        shape(kind=TEXT, severity={"enum": ["error", "warning", "info"]}, message=TEXT)
    ),
)
COUNT = {"type": "integer", "minimum": 0}
SUMMARY = shape(major=COUNT, minor=COUNT, patch=COUNT, none=COUNT)
DIFF = shape(old=SIDE, new=SIDE, changes=listed(CHANGE), bump=BUMP, summary=SUMMARY)
RANGE = shape(skills=listed(DIFF))
DIGESTS = shape(content_hash=HASH, tree_sha256=HASH, files={"type": "integer", "minimum": 1})


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit({"one/SKILL.md": plain("one"), "gone/SKILL.md": plain("gone")}, "base")
    made.commit(
        {
            "one/SKILL.md": plain("one", "1.1.0", "^[a-f]+$"),
            "gone/SKILL.md": None,
            "new/SKILL.md": plain("new", "latest"),
            "day.yaml": "steps:\n  - skill: one\n    inputs: {topic: g}\n",
        },
        "head",
    )
    monkeypatch.chdir(made.root)
    return made


@pytest.mark.parametrize(
    "versions",
    [
        ("one@base", "one"),
        ("one@base", "one@head"),
        ("one", "one"),
        ("one@head", "one@base"),
        ("gone@base", "gone@head"),
        ("new@base", "new@head"),
        ("new", "one"),
        ("one",),
    ],
    ids=" ".join,
)
def test_two_versions(run: Run, repo: Repo, versions: tuple[str, ...]) -> None:
    value = run("diff", *versions, "--format", "json").json
    jsonschema.validate(value, DIFF)
    counted = [change["level"] for change in value["changes"] if change["waived"] is None]
    assert value["summary"] == {level: counted.count(level) for level in LEVEL["enum"]}


def test_a_change_that_is_waived_or_proven(run: Run, repo: Repo) -> None:
    (change,) = run("diff", "one@base", "one", "--format", "json").json["changes"]
    assert change["witness"] == {"value": "g", "accepted_by": "old", "refused_by": "new"}
    run("waive", change["fingerprint"], "--reason", "agreed")
    value = run("diff", "one@base", "one", "--format", "json").json
    jsonschema.validate(value, DIFF)
    assert value["changes"][0]["waived"] == "agreed"
    assert value["summary"]["major"] == 0


def test_a_range(run: Run, repo: Repo) -> None:
    value = run("diff", "base..head", "--format", "json").json
    jsonschema.validate(value, RANGE)
    sides = [(row["old"] is None, row["new"] is None) for row in value["skills"]]
    assert sides == [(False, True), (True, False), (False, False)]
    jsonschema.validate(run("diff", "head..head", "--format", "json").json, RANGE)
    jsonschema.validate(run("diff", "--staged", "--format", "json").json, RANGE)


def test_the_digests(run: Run, repo: Repo) -> None:
    jsonschema.validate(run("hash", "one", "--format", "json").json, DIGESTS)
    jsonschema.validate(run("hash", "one@base", "--format", "json").json, DIGESTS)


@pytest.mark.parametrize("missing", ["old", "new", "changes", "bump", "summary"])
def test_the_shape_refuses_what_lacks_a_key(run: Run, repo: Repo, missing: str) -> None:
    value = run("diff", "one@base", "one", "--format", "json").json
    del value[missing]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, DIFF)

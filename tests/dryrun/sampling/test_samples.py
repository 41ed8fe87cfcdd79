"""Samples: generated from schemas, written so that they read the same, read with places."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.dryrun.sampling.generating import generate
from skillstudio.dryrun.sampling.sample import (
    Sample,
    SampleCommit,
    SampleRefused,
    SampleWorkspace,
    path_of,
)
from skillstudio.dryrun.sampling.samples import (
    MAX_BYTES,
    all_committed,
    expectation_line,
    find_sample,
    list_committed,
    list_saved,
    read_sample,
    save_committed,
    save_private,
    sensitive_in,
    with_expectation,
    write_sample,
)
from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.interface.model import Input, Interface, Operation, Term, Variable
from skillstudio.schema.engine import compile_schema


def read(text: str) -> Sample:
    return read_sample(text.encode(), "go", "a", "samples/go/a.yaml")


def test_a_sample_is_read_whole() -> None:
    found = read(
        "inputs: {q: '5', n: 5}\narguments: [a, '1']\nenv: {LEVEL: '2'}\n"
        "stdin: abc\nfixtures: {a.md: x, b: {from: c}}\nexpect: {exit: 3, json: {ok: true}}\n"
    )
    assert found == Sample(
        "a",
        "go",
        {"q": "5", "n": 5},
        ("a", "1"),
        {"LEVEL": "2"},
        {"exit": 3, "json": {"ok": True}},
        "samples/go/a.yaml",
        stdin="abc",
        fixtures={"a.md": "x", "b": {"from": "c"}},
    )


WRONG = [
    ("inputs: [", "1:9: unclosed list"),
    ("inputs: {a: 1\nb: 2\n", "1:"),
    ("- inputs\n", "1:1: a sample must be a mapping with the key inputs"),
    ("", '1:1: missing key "inputs"'),
    ("inputs: {}\nstdn: x\n", '2:1: unknown key "stdn"; did you mean "stdin"?'),
    ("inputs: {}\nzzzzzz: 1\n", '2:1: unknown key "zzzzzz"'),
    ("inputs: {}\narguments: [1]\n", "2:13: expected a list of strings; quote numbers"),
    ("inputs: {}\nenv: {A: 1}\n", "2:10: an environment variable must be a string"),
    ("inputs: {}\nstdin: 1\n", '2:8: "stdin" must be a string'),
    ("inputs: {}\nexpect: yes-it-is\n", '2:9: "expect" must be a mapping'),
    ("inputs: {}\nexpect:\n  efects: []\n", '3:3: unknown key "efects"; did you mean "effects"?'),
    ("inputs: {}\nexpect:\n  exit_code: 0\n", '3:3: unknown key "exit_code"; write exit'),
    ("inputs: {}\nexpect:\n  changes: {}\n", '3:3: unknown key "changes"; write files, which'),
    ("inputs: {}\nexpect:\n  exit: 256\n", '3:9: "exit" must be at most 255'),
    ("inputs: {}\nexpect:\n  effects: {a: b}\n", "3:12: expected a list of strings"),
    ("inputs: {}\nexpect: {files: {a: {sha25: x}}}\n", '2:22: unknown key "sha25"; did you mean'),
    ("inputs: {}\nexpect: {files: {a: {sha256: x}}}\n", '2:30: "sha256" must match'),
    ("inputs: {}\nfixtures: {a: 1}\n", "2:15: expected text, {from: PATH}"),
    ("inputs: {}\nfixtures: {../a: x}\n", "2:12: the path ../a of a fixture is outside the w"),
    ("inputs: {}\nfixtures: {/etc/a: x}\n", "2:12: the path /etc/a of a fixture is outside"),
    ("inputs: {}\nfixtures: {'home:../a': x}\n", "2:12: the path home:../a of a fixture is outs"),
    ("inputs: {}\nfixtures: {'skill:a': x}\n", "2:12: a fixture is a file of the workspace or"),
    (f"inputs: {{}}\nfixtures: {{a: {{sha256: '{'0' * 64}'}}}}\n", "2:12: a fixture must be text"),
    ("inputs: {}\nworkspace: {commits: [{}]}\n", "2:13: only a repository has commits; add git"),
    (
        "inputs: {}\nworkspace: {git: true, commits: [{files: {../a: x}}]}\n",
        "2:43: the path ../a of",
    ),
    (
        "inputs: {}\nworkspace: {git: true, commits: [{files: {.git/a: x}}]}\n",
        "2:43: the path .git",
    ),
    ("inputs: {}\nworkspace: {git: true, commits: [{date: '1'}]}\n", '2:41: "date" must match'),
    ("inputs: {}\nworkspace: {git: true, commits: [{author: a <b>}]}\n", '2:43: "author" must'),
    ("inputs: {}\nworkspace: {git: true, commits: [{auhtor: a}]}\n", '2:35: unknown key "auhtor"'),
    ("inputs: {a: .nan}\n", "1:1: the inputs contain a value that JSON cannot represent"),
    ("inputs: {a: 1, a: 2}\n", "1:"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_what_is_wrong_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(SampleRefused) as error:
        read(text)
    assert str(error.value).startswith(f"samples/go/a.yaml:{said}")


def test_every_fault_is_told() -> None:
    with pytest.raises(SampleRefused) as error:
        read("inputs: {}\nenv: 1\nexpects: {}\n")
    assert len(str(error.value).splitlines()) == 2


def test_bytes_that_are_no_text_and_too_many() -> None:
    with pytest.raises(SampleRefused, match=r"a\.yaml:1:10: not UTF-8"):
        read_sample(b"inputs: {\xff}\n", "go", "a", "a.yaml")
    with pytest.raises(SampleRefused, match="of a sample"):
        read_sample(b"#" * (MAX_BYTES + 1), "go", "a", "a.yaml")


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=12)
    | st.sampled_from(["on", "no", "1_000", "012", "0o7", "1e3", "~", "2025-01-01", "=", "<<"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.dictionaries(st.text("abc_-", min_size=1, max_size=6), values, max_size=4))
def test_what_is_written_reads_the_same(inputs: dict[str, Any]) -> None:
    text = write_sample(Sample("a", "go", inputs, ("on", "1"), {"A": "no"}))
    found = read(text)
    assert json.dumps(found.inputs) == json.dumps(inputs)
    assert (found.arguments, found.env) == (("on", "1"), {"A": "no"})


PATHS = [
    ("search", "a", "search/a.yaml"),
    ("", "a", "a.yaml"),
    ("scripts/go.sh", "first-run_2.b", "scripts/go.sh/first-run_2.b.yaml"),
    ("mem.search", "a", "mem.search/a.yaml"),
]


@pytest.mark.parametrize(("operation", "name", "path"), PATHS)
def test_where_a_sample_lies(operation: str, name: str, path: str) -> None:
    assert path_of(operation, name) == path


REFUSED = [
    ("search", ""),
    ("search", "../a"),
    ("search", "a/b"),
    ("search", ".hidden"),
    ("search", "-rf"),
    ("search", "a\0b"),
    ("search", "x" * 200),
    ("../search", "a"),
    ("/etc", "a"),
    ("a/../b", "a"),
    ("a:b", "a"),
    ("a\nb", "a"),
    ("x" * 300, "a"),
]


@pytest.mark.parametrize(("operation", "name"), REFUSED)
def test_names_that_are_no_path(operation: str, name: str) -> None:
    with pytest.raises(SampleRefused):
        path_of(operation, name)


def test_the_skills_sample_comes_before_ones_own(tmp_path: Path) -> None:
    tree, folder = DiskTree(tmp_path), str(tmp_path)
    save_private(folder, Sample("a", "go", {"from": "me"}))
    save_private(folder, Sample("b", "go", {"from": "me"}))
    assert find_sample(tree, folder, "go", "a").inputs == {"from": "me"}
    path = save_committed(folder, Sample("a", "go", {"from": "skill"}))
    assert Path(path) == tmp_path / "samples/go/a.yaml"
    assert find_sample(tree, folder, "go", "a").inputs == {"from": "skill"}
    assert (list_committed(tree, "go"), list_saved(folder, "go")) == (["a"], ["a", "b"])
    with pytest.raises(
        SampleRefused, match=r"the operation go has no sample zzz; use one of a, a, b"
    ):
        find_sample(tree, folder, "go", "zzz")
    with pytest.raises(SampleRefused, match="the operation other has no sample a; it has none"):
        find_sample(tree, folder, "other", "a")


def test_samples_of_another_copy_of_a_skill_are_its_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    save_private(str(tmp_path / "one"), Sample("a", "", {}))
    assert list_saved(str(tmp_path / "one"), "") == ["a"]
    assert list_saved(str(tmp_path / "two"), "") == []


def test_every_sample_of_a_skill_by_operation() -> None:
    files = ("a.yaml", "go/b.yaml", "scripts/x.sh/c.yaml", "go/notes.md", "go/d.json")
    tree = MemoryTree({f"samples/{name}": b"inputs: {}\n" for name in files})
    assert all_committed(tree) == [("", "a"), ("go", "b"), ("scripts/x.sh", "c")]
    assert all_committed(MemoryTree({})) == []


def test_a_sample_that_leads_out_of_the_skill(tmp_path: Path) -> None:
    skill, outside = tmp_path / "skill", tmp_path / "outside"
    for folder in (skill / "samples", outside):
        folder.mkdir(parents=True)
    (outside / "a.yaml").write_text("inputs: {}\n")
    (skill / "samples/go").symlink_to(outside)
    (skill / "samples/b.yaml").symlink_to(outside / "a.yaml")
    for operation, name in (("go", "a"), ("", "b")):
        with pytest.raises(SampleRefused):
            find_sample(DiskTree(skill), str(skill), operation, name)
    with pytest.raises(SampleRefused, match="leads out of the skill"):
        save_committed(str(skill), Sample("c", "go", {}))
    assert sorted(path.name for path in outside.iterdir()) == ["a.yaml"]


KEY = Input("key", {"type": "string"}, True, sensitive=True)
PLAIN = Input("plain", {"type": "string"}, True)
OPERATION = Operation("go", inputs=(KEY, PLAIN))
INTERFACE = Interface("x", env=(Variable("TOKEN", True, sensitive=True), Variable("A", False)))


def test_what_of_a_sample_is_sensitive() -> None:
    sample = Sample("a", "go", {"key": "k", "plain": "p"}, env={"TOKEN": "t", "A": "a"})
    assert sensitive_in(sample, INTERFACE, OPERATION) == ("key", "TOKEN")
    every = sensitive_in(sample, INTERFACE._replace(sensitive=True), OPERATION)
    assert set(every) == {"key", "plain", "TOKEN", "A"}
    assert sensitive_in(Sample("a", "go", {}), INTERFACE._replace(sensitive=True), OPERATION) == ()


SCHEMAS: list[dict[str, Any] | bool] = [
    {"type": "string"},
    {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
    {"type": "string", "pattern": "^[a-z]{2}(-[a-z]+)+-[0-9]$"},
    {"type": "string", "format": "email"},
    {"type": "string", "minLength": 40},
    {"type": "integer", "minimum": 7, "multipleOf": 5},
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.001},
    {"enum": ["", "b"]},
    {"const": None},
    {"type": "array", "items": {"type": "integer"}, "minItems": 2, "uniqueItems": True},
    {"type": "object", "required": ["a"], "properties": {"a": {"type": "boolean"}}},
    {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    {"type": "string", "examples": ["tea"]},
    {},
    True,
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_what_is_made_up_is_valid_and_the_same_every_time(schema: dict[str, Any] | bool) -> None:
    operation = Operation("go", inputs=(Input("name", schema, True),))
    made = generate(operation)
    assert compile_schema(schema).is_valid(made["name"])
    assert json.dumps(generate(operation)) == json.dumps(made)


def test_examples_come_first_and_texts_say_their_name() -> None:
    assert generate(Operation("go", inputs=(PLAIN,))) == {"plain": "plain"}
    told = Input("drink", {"type": "string", "examples": ["tea"]}, True)
    assert generate(Operation("go", inputs=(told,))) == {"drink": "tea"}


def test_what_is_optional_is_made_up_when_it_is_asked_for() -> None:
    inputs = (Input("a", {"type": "integer"}, False, 5), Input("b", {"type": "integer"}, False))
    assert generate(Operation("go", inputs=inputs)) == {}
    made = generate(Operation("go", inputs=inputs), optional=True)
    assert made["a"] == 5
    assert isinstance(made["b"], int)


def test_secrets_are_never_made_up() -> None:
    assert generate(OPERATION, optional=True) == {"plain": "plain"}


@pytest.mark.parametrize(
    "schema", [False, {"type": "strin"}, {"minimum": 5, "maximum": 1, "type": "integer"}]
)
def test_where_there_is_no_value(schema: dict[str, Any] | bool) -> None:
    with pytest.raises(SampleRefused, match=r"^name: "):
        generate(Operation("go", inputs=(Input("name", schema, True),)))


def test_one_value_for_an_operation_that_reads_json() -> None:
    schema = {
        "type": "object",
        "required": ["message", "n"],
        "properties": {"message": {"type": "string"}, "n": {"type": "integer", "minimum": 3}},
    }
    assert generate(Operation("", terms=(Term("inputs-schema", schema, "schema-in"),))) == {
        "message": "message",
        "n": 3,
    }
    closed = {"const": [1]}
    assert generate(Operation("", terms=(Term("inputs-schema", closed, "schema-in"),))) == [1]


WORKSPACES = [
    ("", SampleWorkspace()),
    ("workspace: samples/files\n", SampleWorkspace("samples/files")),
    ("workspace: repo_root\n", SampleWorkspace("repo_root")),
    ("workspace: {git: true}\n", SampleWorkspace("", True)),
    ("workspace: {folder: a, git: true}\n", SampleWorkspace("a", True)),
    (
        "workspace: {git: true, commits: [{author: one, date: '2025-02-01', files: {a: x}}, {}]}\n",
        SampleWorkspace(
            "", True, (SampleCommit("one", "2025-02-01", {"a": "x"}), SampleCommit("", "", {}))
        ),
    ),
    ("workspace: {folder: a, git: false}\n", SampleWorkspace("a")),
    ("workspace: {folder: a}\n", SampleWorkspace("a")),
]


@pytest.mark.parametrize(("text", "workspace"), WORKSPACES, ids=[row[0] for row in WORKSPACES])
def test_where_a_sample_works_is_read_and_written(text: str, workspace: SampleWorkspace) -> None:
    sample = read_sample(f"inputs: {{}}\n{text}".encode(), "go", "one", "x.yaml")
    assert sample.workspace == workspace
    assert read_sample(write_sample(sample).encode(), "go", "one", "x.yaml") == sample


EXPECTING = [
    ("inputs: {}\n", "inputs: {}\nexpect:\n  exit: 1\n"),
    ("inputs: {} # c", "inputs: {} # c\nexpect:\n  exit: 1\n"),
    (
        "# a\nexpect: {exit: 0}\n# b\ninputs: {}\n",
        "# a\nexpect:\n  exit: 1\n# b\ninputs: {}\n",
    ),
    (
        "inputs: {}\nexpect:\n  # c\n  exit: 0\n\n# the end\n",
        "inputs: {}\nexpect:\n  exit: 1\n\n# the end\n",
    ),
    (
        "expect:\n- broken\ninputs: {}\n",
        "expect:\n  exit: 1\ninputs: {}\n",
    ),
    ("{inputs: {}}\n", "inputs: {}\nexpect:\n  exit: 1\n"),
]


@pytest.mark.parametrize(("old", "new"), EXPECTING, ids=[row[0] for row in EXPECTING])
def test_an_expectation_is_put_in_and_other_lines_stay(old: str, new: str) -> None:
    sample = Sample("one", "go", {}, expect={"exit": 1}, path="x.yaml")
    assert with_expectation(old, sample) == new


def test_no_committed_sample_gets_what_looks_like_a_credential(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5" * 4
    with pytest.raises(SampleRefused, match=r"samples/go/a\.yaml would contain what looks like a"):
        save_committed(str(tmp_path), Sample("a", "go", {"q": token}))
    assert not (tmp_path / "samples" / "go").exists()
    # One that is there already was somebody else's decision.
    file = tmp_path / "samples" / "go" / "a.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(f"inputs:\n  q: {token}\n")
    save_committed(str(tmp_path), Sample("a", "go", {"q": token, "more": 1}))
    assert "more: 1" in file.read_text()


@pytest.mark.parametrize(
    ("place", "first", "line"),
    [
        (("stdout",), 0, 5),
        (("stdout",), 1, 6),
        (("json", "a", 1), 0, 9),
        (("files", "skill:a.txt"), 0, 3),
        (("exit",), 0, 10),
    ],
)
def test_the_line_of_an_expectation(place: tuple[str | int, ...], first: int, line: int) -> None:
    text = (
        "# A test.\ninputs: {}\nexpect:\n  stdout: |\n    one\n    two\n"
        "  json:\n    a: [1,\n      2]\n  exit: 0\n"
    )
    assert expectation_line(text, place, first) == line

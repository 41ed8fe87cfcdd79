"""Giant skills: the work grows with the size, and what is printed for people does not."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from benchmarks import giants
from benchmarks.giants import GIANTS, VERBS, allowed, measure, write
from tests.cli.conftest import Run
from tests.commands import Ran
from tests.seeds import SEED

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import analyse
from skillstudio.skill.fixing import apply_fixes

HEAD = "---\nname: plain\ndescription: Says things. Use when things are said.\n"
MOST_PRINTED = 1_500_000
MOST_CALLS = 120
"""Of a check for one more line of YAML."""


def calls(work: Any, *arguments: Any) -> int:
    """How many functions are called by some work, which is the same on every machine."""
    count = 0

    def one(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(one)
    try:
        work(*arguments)
    finally:
        sys.setprofile(None)
    return count


def growth(work: Any, name: str, n: int) -> float:
    """By how much the work for twice the size is more than for the size.

    2 where it is linear, 4 where it is quadratic.
    """
    trees = [tree(name, size) for size in (n, n, 2 * n, 4 * n)]
    _, once, twice, again = (calls(work, each) for each in trees)
    return (again - twice) / max(twice - once, 1)


def tree(name: str, n: int) -> MemoryTree:
    files = GIANTS[name].make(n)
    encoded = {p: each if isinstance(each, bytes) else each.encode() for p, each in files.items()}
    return MemoryTree(encoded, "g")


def fixed(each: MemoryTree) -> None:
    apply_fixes(analyse(each), unsafe=True)


GROWING = [
    *(("keys", 50), ("equal inputs", 30), ("words of YAML 1.1", 50), ("links on one line", 50)),
    *(("TOML keys", 50), ("JSON keys", 50)),
]
GROWING_SLOWLY = [
    *(("nested keys", 100), ("equal keys", 100), ("anchors", 100), ("aliases of lists", 3)),
    *(("colons in values", 100), ("[a](", 100), ("tick pairs", 100), ("operations", 50)),
    *(("placeholders in one", 100), ("TOML tables", 50), ("fence keys", 50)),
]


@pytest.mark.parametrize(
    ("name", "n"),
    [*GROWING, *(pytest.param(*each, marks=pytest.mark.slow) for each in GROWING_SLOWLY)],
)
def test_the_work_of_a_check_is_linear(name: str, n: int) -> None:
    assert growth(analyse, name, n) < 3.2


@pytest.mark.parametrize("name", ["few colons in values", "few colons in lists"])
def test_repairs_read_the_text_once(name: str) -> None:
    """Each of 20 repairs reads the text from the line before the fault, not from the start."""
    _, once, more = (calls(analyse, tree(name, size)) for size in (200, 200, 1_200))
    assert more - once < 1_000 * MOST_CALLS


@pytest.mark.parametrize("name", ["words of YAML 1.1"])
def test_the_work_of_splices_is_linear(name: str) -> None:
    assert growth(fixed, name, 50) < 3.2


LONG = {
    "hex": "0x" + "f" * 5_000,
    "decimal": "9" * 5_000,
    "negative": "-" + "9" * 5_000,
    "octal": "0o" + "7" * 6_000,
    "exponent": "1e" + "9" * 400,
}


@pytest.mark.parametrize("written", LONG.values(), ids=LONG)
@pytest.mark.parametrize("place", ["x: {}", "version: {}", "execution: {{timeout: {}}}"])
def test_a_number_too_long_is_a_problem_with_a_fix(run: Run, skill: Any, written: str,
                                                   place: str) -> None:  # fmt: skip
    said = place.format(written)
    folder = skill(text=f'{HEAD}manifest_version: "1.0"\n{said}\n---\nSay.\n')
    found = run("check", folder, "--format", "json").json["skills"][0]["diagnostics"]
    (fault,) = (each for each in found if each["rule"] == "syntax-yaml")
    assert fault["message"].startswith("this number is too large")
    assert [fix["title"] for fix in fault["fixes"]] == ["Quote this value"]
    assert run("preview", folder, "--card").status in (0, 2)
    assert run("migrate", folder, "--diff").status == 2


@pytest.mark.parametrize("digits", [3_571, 3_800, 4_000, 4_301])
@pytest.mark.parametrize("prefix", ["0x", "0o", "0b", ""])
def test_a_number_too_long_in_toml(run: Run, tmp_path: Path, prefix: str, digits: int) -> None:
    write({"skill.toml": f"[skill]\nid = 'a.b'\nx = {prefix}{'1' * digits}\n"}, tmp_path / "g")
    rules = run("check", tmp_path / "g", "--format", "json").json["skills"][0]["diagnostics"]
    assert "this number is too large" in [each["message"] for each in rules]


def many(n: int) -> str:
    return HEAD + "".join(f"k{number}: 1\n" for number in range(n)) + "---\nSay.\n"


def test_problems_of_one_rule_are_cut_for_people(run: Run, skill: Any) -> None:
    ran = run("check", skill(text=many(3_000)))
    assert len(ran.out.encode()) < 150_000
    assert ran.out.count("info key-unknown") == 100
    assert "… 2,900 more problems of rule key-unknown; --all prints every problem" in ran.out
    assert "3,000 info" in ran.out.splitlines()[-1]


def test_all_of_them_on_request(run: Run, skill: Any) -> None:
    ran = run("check", skill(text=many(300)), "--all")
    assert ran.out.count("info key-unknown") == 300
    assert "more problems" not in ran.out
    found = run("check", skill(text=many(1_200)), "--all", "--format", "json").json
    assert len(found["skills"][0]["diagnostics"]) == 1_200
    assert "omitted" not in found["summary"]


def test_json_and_sarif_count_the_problems_left_out(run: Run, skill: Any) -> None:
    folder = skill(text=many(3_000))
    value = run("check", folder, "--format", "json").json
    assert len(value["skills"][0]["diagnostics"]) == 1_000
    assert value["summary"]["infos"] == 3_000
    assert value["summary"]["omitted"] == {"key-unknown": 2_000}
    (log,) = run("check", folder, "--format", "sarif").json["runs"]
    assert len(log["results"]) == 1_000
    assert log["properties"] == {"total": 3_000, "omitted": {"key-unknown": 2_000}}
    lines = run("check", folder, "--format", "github").out.splitlines()
    assert len(lines) == 101
    assert lines[-1] == "::notice title=key-unknown::… 2,900 more problems of rule key-unknown"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begin", "rule", "said"),
    [
        ("", "key-unknown", "2 more unknown keys"),
        ("metadata:\n", "metadata-value", "2 more values of metadata are not strings"),
    ],
)
def test_the_last_problem_of_a_mapping_counts_the_rest(
    run: Run, skill: Any, begin: str, rule: str, said: str
) -> None:
    indent = "  " if begin else ""
    keys = "".join(f"{indent}k{number}: 1\n" for number in range(10_002))
    folder = skill(text=f"{HEAD}{begin}{keys}---\nSay.\n")
    value = run("check", folder, "--all", "--format", "json").json
    found = [each for each in value["skills"][0]["diagnostics"] if each["rule"] == rule]
    assert len(found) == 10_001
    assert found[-1]["message"] == said
    assert found[-1]["line"] == found[-2]["line"] + 1


def test_errors_are_kept_before_warnings(run: Run, skill: Any) -> None:
    """The status is that of all problems, and the room for them goes to the worst first."""
    last = "---\nSay.\n" + "[a](b) " * 200
    folder = skill(text=many(150).replace("---\nSay.\n", "name: again\n") + last)
    ran = run("check", folder)
    assert ran.status == 1
    assert "error key-duplicate" in ran.out


def test_a_baseline_has_them_all(run: Run, skill: Any, tmp_path: Path) -> None:
    folder, file = skill(text=many(1_500)), tmp_path / "baseline.json"
    run("check", folder, "--baseline", file, "--update-baseline")
    assert len(json.loads(file.read_text())["diagnostics"]) == 1_500
    assert run("check", folder, "--baseline", file, "--format", "json").json["summary"][
        "warnings"
    ] == 0  # fmt: skip


def test_a_message_does_not_quote_a_whole_file(run: Run, skill: Any) -> None:
    folder = skill(text=f"{HEAD}x: 0b{'1' * 100_000}\n---\nSay.\n")
    assert len(run("check", folder).out) < 3_000


def test_an_export_of_many_keys_writes_them_anew(run: Run, tmp_path: Path) -> None:
    write(GIANTS["anchors"].make(1_500), tmp_path / "g")
    ran = run("export", tmp_path / "g", "--target", "spec", "-o", tmp_path / "out" / "g")
    assert ran.status == 0
    assert "a1499" in (tmp_path / "out" / "g" / "SKILL.md").read_text()


def test_a_refusal_lists_the_first_faults(run: Run, tmp_path: Path) -> None:
    write(GIANTS["equal keys"].make(1_000), tmp_path / "g")
    ran = run("migrate", tmp_path / "g", "--diff", "--format", "json")
    assert ran.status == 2
    assert len(ran.out) < 10_000
    assert "… 979 more" in ran.json["error"]


def test_a_plan_of_many_inputs_is_short(run: Run, tmp_path: Path) -> None:
    write(GIANTS["inputs"].make(1_000), tmp_path / "g")
    ran = run("plan", tmp_path / "g")
    assert len(ran.out) < 60_000
    assert re.search("… [0-9]{3} more; ", ran.out)


def test_a_report_of_a_conversion_is_cut(run: Run, tmp_path: Path) -> None:
    def migrate(*options: str) -> Ran:
        folder = tmp_path / "".join(options or ("g",))
        write(GIANTS["JSON keys"].make(3_000), folder)
        return run("migrate", folder, "--to", "provenact-bundle", *options)

    ran = migrate()
    assert ran.out.startswith("lost: 3002")
    assert "    … 2,901 more; use --all to show everything" in ran.out.splitlines()
    assert len(ran.out) < 6_000
    assert migrate("--all").out.count("    /k") == 3_000
    value = migrate("--format", "json").json
    assert (len(value["lost"]), len(value["carried"])) == (1_000, 4)
    assert value["total"] == {"/lost": 3_002}
    assert value["omitted"] == {"/lost": 2_002}
    value = migrate("--format", "json", "--all").json
    assert (len(value["lost"]), "total" in value) == (3_002, False)


@pytest.mark.slow
def test_lists_within_lists_are_cut_until_they_fit(run: Run, skill: Any) -> None:
    """A thousand entries of each of many lists would be a million."""
    inputs = {f"input_{number}": {"type": "string"} for number in range(200)}
    value = {"id": "plain", "operations": {f"o{number}": {"input": inputs} for number in range(60)}}
    text = f"{HEAD}---\n```skill-manifest\n{json.dumps(value)}\n```\n"
    ran = run("show", skill(text=text), "--format", "json")
    assert len(ran.out) < 1_000_000
    assert len(ran.json["operations"]) == 60
    assert ran.json["total"]["/operations/59/inputs"] == 200


def test_a_result_too_large_to_be_read_is_refused(run: Run, skill: Any, tmp_path: Path) -> None:
    head = f"{HEAD}hidden: true\n---\n"
    folder = skill(text=head + "x" * ((1 << 20) - len(head)))
    ran = run("export", folder, "--target", "spec", "-o", tmp_path / "out" / "other")
    assert ran.status == 1
    assert re.search("SKILL.md would have 1,048,[0-9]{3} bytes, more than 1 MiB", ran.err)
    assert not (tmp_path / "out").exists()


def test_a_card_is_cut(run: Run, tmp_path: Path) -> None:
    write(GIANTS["environment"].make(3_000), tmp_path / "g")
    ran = run("preview", tmp_path / "g", "--card")
    assert "  … 2,900 more; use --all to show everything" in ran.out.splitlines()
    assert run("preview", tmp_path / "g", "--card", "--all").out.count("variable") == 3_000
    value = run("preview", tmp_path / "g", "--card", "--format", "json").json
    assert value["total"] == {"/permissions/permissions": 3_000}


def test_the_errors_of_a_pack_are_cut(run: Run, tmp_path: Path) -> None:
    write(GIANTS["JSON keys"].make(1_500), tmp_path / "g")
    ran = run("pack", tmp_path / "g", "--list")
    assert ran.status == 1
    assert "… 1,400 more problems of rule key-unknown" in ran.err
    assert "check finds 1,503 errors" in ran.err
    value = run("pack", tmp_path / "g", "--list", "--format", "json").json
    assert len(value["diagnostics"]) == 1_003
    assert value["omitted"] == {"key-unknown": 500}


LOUD = (
    "description with colons", "equal anchors", "equal inputs", "inputs", "nested keys",
    "operations", "output files",
)  # fmt: skip
"""Giants with the longest outputs."""
PRINTING = re.compile("diff|bump --diff|index|rename.*a b|plan|preview .*--card|show")
needs_fork = pytest.mark.skipif(sys.platform == "win32", reason="each command runs in a fork")


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("warm")
    with contextlib.chdir(root):
        giants.warm(VERBS, root)


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
@needs_fork
@pytest.mark.parametrize("name", list(GIANTS)[SEED % 94 :: 94])
def test_a_giant_costs_little(tmp_path: Path, name: str) -> None:
    """No command hangs, fails with a traceback or floods the terminal.

    The seed chooses the giants; `benchmarks/run.py --only giants` runs all of them and has the
    limit in seconds.
    """
    measure_verbs(name, GIANTS[name].full, VERBS, tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
@needs_fork
@pytest.mark.parametrize("number", range(len(GIANTS)), ids=list(GIANTS))
def test_a_small_giant_costs_less(tmp_path: Path, number: int) -> None:
    """Every kind of giant at a twentieth of its size, with some of the commands."""
    name = list(GIANTS)[number]
    verbs = VERBS[(SEED - number) % 8 :: 8]
    measure_verbs(name, max(GIANTS[name].full // 20, 2), verbs, tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
@needs_fork
@pytest.mark.parametrize("name", LOUD)
def test_a_giant_prints_little(tmp_path: Path, name: str) -> None:
    verbs = [verb for verb in VERBS if PRINTING.match(verb.name)]
    measure_verbs(name, GIANTS[name].full, verbs, tmp_path)


def measure_verbs(name: str, size: int, verbs: Sequence[giants.Verb], folder: Path) -> None:
    files = GIANTS[name].make(size)
    write(files, folder / "g")
    write(GIANTS[name].make(2), folder / "old" / "g")
    for verb in verbs:
        cost = measure(verb, folder / "g", folder / "old" / "g", folder / "scratch")
        assert not cost.traceback, verb.name
        # Processor time, which neighbours on the same processor may still double.
        assert cost.seconds < 4 * allowed(files), verb.name
        assert cost.printed < MOST_PRINTED, verb.name

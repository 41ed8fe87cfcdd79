"""An interface with thousands of inputs that all changed: everything with --all, else cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.cli import lists
from skillstudio.present.comparison import MOST
from skillstudio.present.markdown import LONGEST

from .conftest import Run

HEAD = """\
---
manifest_version: "1.0"
name: many
description: Takes many things. Use when there are many.
version: {version}
inputs:
  optional:
"""
INPUT = (
    "  - {{name: input_{number}, description: One, schema: {{type: integer, maximum: {most}}}}}\n"
)


def write(folder: Path, many: int) -> tuple[Path, Path]:
    """Two versions; of every five inputs of the new one four take less and one takes more."""
    for side in (0, 1):
        lines = [HEAD.format(version=f"1.{side}.0")]
        for number in range(many):
            most = number + side * (10 if number % 5 == 0 else -10)
            lines.append(INPUT.format(number=number, most=most))
        path = folder / ("old", "new")[side] / "many"
        path.mkdir(parents=True)
        (path / "SKILL.md").write_text("".join([*lines, "---\n# Many\n"]))
    return folder / "old" / "many", folder / "new" / "many"


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write(tmp_path_factory.mktemp("many"), 1000)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_json_lists_all_inputs(run: Run, tmp_path: Path, count: int) -> None:
    ran = run("diff", *write(tmp_path, count), "--format", "json", "--all")
    assert ran.status == 1
    assert ran.json["summary"] == {
        "major": count * 4 // 5,
        "minor": count // 5,
        "patch": 0,
        "none": 0,
    }
    assert len({change["fingerprint"] for change in ran.json["changes"]}) == count
    assert all(change["witness"] for change in ran.json["changes"])


@pytest.mark.slow
def test_json_counts_the_changes_left_out(run: Run, tmp_path: Path) -> None:
    value = run("diff", *write(tmp_path, 1_500), "--format", "json").json
    assert {change["level"] for change in value["changes"]} == {"major"}
    assert len(value["changes"]) == 1_000
    assert value["total"] == {"/changes": 1_500}
    assert value["omitted"] == {"/changes": 500}
    assert value["summary"]["minor"] == 300


@pytest.mark.slow
def test_people_are_shown_the_gravest_and_the_number_of_the_rest(
    run: Run, sides: tuple[Path, Path]
) -> None:
    out = run("diff", "-v", *sides).out
    assert out.count("input-maximum-lowered") == MOST
    assert "major (800)" in out
    assert f"  … {800 - MOST} more changes; use --all to show everything\n" in out
    assert "minor (200)  what works today keeps working\n  … 200 more changes; " in out
    assert "800 major, 200 minor" in out
    out = run("diff", "-v", *sides, "--all").out
    assert out.count("input-maximum-lowered") == 800
    assert "more change" not in out


def test_what_is_left_of_the_bound_goes_to_the_next_level(run: Run, tmp_path: Path) -> None:
    out = run("diff", "-v", *write(tmp_path, MOST + 50)).out
    majors = (MOST + 50) * 4 // 5
    assert out.count("input-maximum-lowered") == majors
    assert out.count("input-maximum-raised") == MOST - majors
    assert out.count("more change") == 1
    assert "  … 50 more changes; " in out


@pytest.mark.slow
def test_so_are_those_who_read_annotations(run: Run, sides: tuple[Path, Path]) -> None:
    lines = run("diff", *sides, "--format", "github").out.splitlines()
    assert sum("title=input-maximum-lowered" in line for line in lines) == MOST
    assert f"::notice title=diff::many: … {1000 - MOST} more changes; " in lines[-1]
    assert "title=version::" in lines[-2]


@pytest.mark.slow
def test_texts_are_shown_up_to_a_bound(
    run: Run, sides: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run("diff", *sides, "--text").out.splitlines()
    monkeypatch.setattr(lists, "MOST_OF_DIFF", 30_000)
    cut = run("diff", *sides, "--text").out.splitlines()
    more = f"… {len(whole) - len(cut) + 1:,} more lines; use --all to show everything"
    at = cut.index(more)
    assert cut[:at] == whole[:at]
    start = whole.index("--- a/SKILL.md")
    assert 29_000 < sum(len(line) + 1 for line in cut[start:at]) <= 30_000
    assert more not in run("diff", *sides, "--text", "--all").out


@pytest.mark.parametrize("options", [(), ("--text",)])
def test_a_comment_is_cut_where_it_still_means_what_it_says(
    run: Run, sides: tuple[Path, Path], options: tuple[str, ...]
) -> None:
    out = run("diff", *sides, "--format", "markdown", *options).out
    assert len(out) <= LONGEST + 200
    assert out.rstrip().endswith("prints all of it.")
    assert out.count("<details>") == out.count("</details>")


def test_a_comment_that_is_cut_within_texts_closes_them(run: Run, tmp_path: Path) -> None:
    old, new = write(tmp_path, 10)
    for folder in (old, new):
        (folder / "long.md").write_text(f"{folder}\n{'`' * 3}\n" * 3000)
    out = run("diff", old, new, "--format", "markdown", "--text").out
    fence = "`" * 4
    assert f"{fence}diff\n" in out
    assert out.rstrip().split("\n")[-4:-1] == [fence, "</details>", ""]

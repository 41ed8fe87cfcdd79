"""Where output files would lie: in their base, whatever the inputs say."""

from __future__ import annotations

import pytest
from tests.dryrun.planning.conftest import Folder, a_plan

from skillstudio.dryrun.plan import PlannedOutput
from skillstudio.files.paths import path_matches

INPUTS = (
    "inputs: {required: [{name: dir, schema: {type: string}}],"
    " optional: [{name: other, schema: {type: string}}]}\n"
)


def planned(folder: Folder, pattern: str, dir: str, base: str = "", **more: str) -> PlannedOutput:
    of = f", base: {base}" if base else ""
    folder.frontmatter(f'{INPUTS}outputs: {{files: [{{pattern: "{pattern}"{of}}}]}}\n')
    found = a_plan(folder.path, "", {"dir": dir}, **more)
    (output,) = found.plan.outputs
    return output


PATHS = [
    ("{{dir}}/a.md", "docs", "docs/a.md"),
    ("{{dir}}/a.md", "docs//x/./y", "docs/x/y/a.md"),
    ("{{dir}}/a.md", "x/../docs", "docs/a.md"),
    ("{{dir}}/a.md", "", ""),
    ("{{dir}}/*.md", "docs", "docs/*.md"),
    ("{{dir}}/**/b?.md", "docs", "docs/**/b?.md"),
    ("a/{{dir}}-{{dir}}.md", "x", "a/x-x.md"),
    ("{{dir}}/a.md", "{{dir}}", "{{dir}}/a.md"),
    ("{{dir}}/a.md", "..", ""),
    ("{{dir}}/a.md", "../..", ""),
    ("{{dir}}/a.md", "/etc", ""),
    ("{{dir}}/a.md", "~", ""),
    ("{{dir}}/a.md", "C:", ""),
    ("x/{{dir}}/a.md", "a/../../../b", ""),
    ("{{dir}}/a.md", "..\\\\..", ""),
    ("{{dir}}/a.md", "a\\0b", ""),
    ("{{dir}}", "x/..", ""),
]


@pytest.mark.parametrize(("pattern", "value", "path"), PATHS)
def test_a_path_stays_in_its_base_or_is_none(
    folder: Folder, pattern: str, value: str, path: str
) -> None:
    given = value.replace("\\0", "\0").replace("\\\\", "\\")
    assert planned(folder, pattern, given).path == path


def test_why_a_path_is_refused_is_told_with_its_place(folder: Folder) -> None:
    folder.frontmatter(f'{INPUTS}outputs: {{files: [{{pattern: "{{{{dir}}}}/a.md"}}]}}\n')
    found = a_plan(folder.path, "", {"dir": "../out"})
    (problem,) = [each for each in found.plan.problems if each.rule == "output-outside"]
    assert problem.message.endswith("with these inputs it would leave its base folder")
    assert problem.pointer == "/outputs/{{dir}}~1a.md"
    assert not found.plan.runnable


@pytest.mark.parametrize("value", ["a*", "a?", "[ab]", "a[b", "x]*["])
def test_what_an_input_puts_in_is_no_glob(folder: Folder, value: str) -> None:
    path = planned(folder, "{{dir}}/*.md", value).path
    assert path_matches(f"{value}/x.md", path)
    assert not path_matches("a1/x.md", path)
    assert not path_matches("ab/x.md", path)
    assert not path_matches("a/x.md", path)


def test_an_input_that_is_absent_leaves_the_path_unknown(folder: Folder) -> None:
    folder.frontmatter(f'{INPUTS}outputs: {{files: [{{pattern: "{{{{other}}}}/a.md"}}]}}\n')
    found = a_plan(folder.path, "", {"dir": "x"})
    assert [each.path for each in found.plan.outputs] == [""]
    assert ("output-unknown", "warning") in [(e.rule, e.severity) for e in found.plan.problems]


BASES = [("", "repo_root"), ("repo_root", "repo_root"), ("skill_root", "skill_root")]


@pytest.mark.parametrize(("stated", "base"), BASES)
def test_what_a_path_is_relative_to(folder: Folder, stated: str, base: str) -> None:
    assert planned(folder, "{{dir}}/a.md", "x", stated).base == base


def test_the_working_folder_of_a_script_is_the_workspace(folder: Folder) -> None:
    assert planned(folder, "{{dir}}/a.md", "x", "cwd").base == "repo_root"


def test_below_a_repository_in_the_workspace_paths_start_at_the_workspace(folder: Folder) -> None:
    repository = str(folder.path.parent / "apps" / "[one]")
    output = planned(folder, "{{dir}}/a.md", "x", "repo_root", repository=repository)
    assert output.path == "apps/[[]one]/x/a.md"
    assert path_matches("apps/[one]/x/a.md", output.path)

"""What `agents/openai.yaml` declares, and what Codex does with a wrong one.

The outcomes are those of @openai/codex 0.171.0, codex debug prompt-input.
"""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.targets import judge
from skillstudio.skill.analysis import Analysis, analyse

SKILL = "---\nname: tea\ndescription: Makes tea. Use it.\n---\nBoil water.\n"
HIDDEN = "policy:\n  allow_implicit_invocation: false\n"


def analysis_of(declared: str, targets: tuple[str, ...] = ()) -> Analysis:
    files = {
        "SKILL.md": SKILL,
        "assets/a.png": "",
        "icon.png": "",
        "agents/openai.yaml": declared,
    }
    tree = MemoryTree({path: text.encode() for path, text in files.items()}, "tea")
    return analyse(tree, targets=targets)


def look(declared: str) -> list[str]:
    analysis = analysis_of(declared)
    found = [one for one in analysis.diagnostics if one.path == "agents/openai.yaml"]
    assert not any(one.fixes for one in found)
    return [
        f"{analysis.place(one)[0].line}:{one.rule} {one.severity}: {one.message}" for one in found
    ]


IGNORED = "; Codex ignores the whole file"


@pytest.mark.parametrize(
    "declared",
    [
        "",
        "interface:\n",
        'interface:\n  display_name: "Tea"\n  icon_small: ./assets/a.png\n',
        "interface:\n  display_name: 3\n  brand_color: '#3B82F6'\n",
        f"{HIDDEN}dependencies:\n  tools:\n    - {{type: mcp, value: kettle}}\n",
        "policy:\n  products: [codex]\n",
        "interface:\n  icon_large: ../../assets/plugin.png\n",
    ],
)
def test_what_codex_reads(declared: str) -> None:
    assert look(declared) == []


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ("interface:\n  display_nam: A\n",
         '2:key-unknown warning: unknown key "display_nam"; did you mean "display_name"?'),
        ("colour: red\n", '1:key-unknown info: unknown key "colour"'),
        ("allow_implicit_invocation: false\n",
         '1:key-unknown warning: unknown key "allow_implicit_invocation"; it belongs to `policy`'),
        ("interface:\n  display_name: [a]\n",
         f'2:value-type warning: "display_name" must be a string{IGNORED}'),
        ("policy:\n  allow_implicit_invocation: 'false'\n",
         f'2:value-type warning: "allow_implicit_invocation" must be a boolean{IGNORED}'),
        ("policy:\n  allow_implicit_invocation: no\n",
         f'2:value-type warning: "allow_implicit_invocation" must be a boolean{IGNORED}'),
        ("- a\n", f"1:value-type warning: must be a mapping{IGNORED}"),
        ('interface:\n  x: "open\n', f"2:syntax-yaml warning: unclosed quote{IGNORED}"),
        ("interface: {}\ninterface: {}\n",
         f'2:key-duplicate warning: the key "interface" is duplicated{IGNORED}'),
        ("dependencies:\n  tools:\n    - {type: mcp}\n",
         '3:key-missing warning: missing key "value"'),
        ("interface:\n  icon_small: icon.png\n",
         "2:value-ignored warning: Codex ignores an icon that is not in assets/; move it there"),
        ("interface:\n  icon_large: ./assets/b.png\n",
         "2:file-missing warning: the skill has no file assets/b.png; add it, or correct the path"),
    ],
)  # fmt: skip
def test_what_codex_does_not_read(declared: str, problem: str) -> None:
    assert look(declared) == [problem]


@pytest.mark.parametrize(
    ("declared", "is_hidden"),
    [
        (HIDDEN, True),
        (f"x: 1\n{HIDDEN}", True),
        (f"interface:\n  icon_small: ../x.png\n{HIDDEN}", True),
        (f"dependencies:\n  tools:\n    - type: mcp\n{HIDDEN}", True),
        (f"interface:\n  display_name: 3\n{HIDDEN}", True),
        (f"interface:\n  display_name: [a]\n{HIDDEN}", False),
        (f"dependencies:\n  tools: x\n{HIDDEN}", False),
        (f"{HIDDEN}  allow_implicit_invocation: true\n", False),
        ("policy:\n  allow_implicit_invocation: no\n", False),
        ("policy:\n  allow_implicit_invocation: true\n", False),
        ("allow_implicit_invocation: false\n", False),
        ("# allow_implicit_invocation\n", False),
    ],
)
def test_who_may_start_the_skill(declared: str, is_hidden: bool) -> None:
    found = judge(analysis_of(declared).skill, ids=("codex", "gemini-cli"))
    assert found["gemini-cli"].outcome == "loads"
    (outcome, *reasons) = found["codex"].outcome, *found["codex"].reasons
    assert outcome == ("listed without description" if is_hidden else "loads")
    assert [reason.text for reason in reasons] == [
        "agents/openai.yaml does not allow implicit invocation, so only users can start it, by name"
    ] * is_hidden


def test_a_file_that_is_chosen_so_is_no_problem() -> None:
    assert analysis_of(HIDDEN, ("codex",)).diagnostics == analysis_of("", ("codex",)).diagnostics

"""What is picked becomes splices that change what was meant and no other byte."""

from __future__ import annotations

import pytest
from tests.dryrun.adopting.skills import SKILLS, case, two, undeclared, written

from skillstudio.dryrun.adopting.choice import PickUnknown, adopt, pick, splices
from skillstudio.dryrun.adopting.finding import AdoptFinding, Case
from skillstudio.dryrun.adopting.findings import AdoptRefused, findings
from skillstudio.dryrun.report import JudgedEffect, JudgedOutput
from skillstudio.text.diagnostic import Remove, Set
from skillstudio.text.splicing import apply

FRONT, TWO, CARO = "frontmatter-1.0", "skill-manifest-2.0", "caro-1.0"
EFFECTS = (undeclared("proc.exec", "started psql x"), undeclared("net.fetch", "sent to a.test:1"))


def of_edits(*edits: Set | Remove) -> list[AdoptFinding]:
    return [AdoptFinding(f"n{at}", "x", edits=(edit,)) for at, edit in enumerate(edits)]


def made(it: Case, chosen: list[AdoptFinding]) -> str:
    document = it.manifest.document
    return apply(document.source.text, splices(document, chosen))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_comments_order_and_line_ends_stay(newline: str) -> None:
    old = SKILLS[FRONT][0]["SKILL.md"].replace("\n", newline)
    it = case(FRONT, {"SKILL.md": old}, effects=EFFECTS, outputs=written("out/x.md"))
    adopted = adopt(it, pick(findings(it)))
    expected = (
        SKILLS[FRONT][0]["SKILL.md"]
        .replace(
            "    - cmd: make\n", '    - cmd: make\n    - cmd: psql\n      min_version: "15.4"\n'
        )
        .replace("    - pattern: old.txt\n", "    - pattern: old.txt\n    - pattern: out/x.md\n")
        .replace("network: false   # as", "network: true   # as")
    )
    assert adopted.new == expected.replace("\n", newline)
    assert apply(adopted.old, list(adopted.splices)) == adopted.new


def test_what_is_not_there_is_made_once_for_all_that_goes_into_it() -> None:
    text = "---\n" + SKILLS[FRONT][0]["SKILL.md"].split("---\n")[1].split("preconditions")[0]
    it = case(FRONT, {"SKILL.md": f"{text}---\n\n`do.py`\n"}, effects=EFFECTS, again=(),
              outputs=written("a.md", "b.txt"))  # fmt: skip
    adopted = adopt(it, pick(findings(it), all_=True))
    assert adopted.new.removeprefix(text) == (
        "preconditions:\n  commands:\n    - cmd: psql\n"
        '      min_version: "15.4"\n'
        "execution:\n  network: true\n  idempotent: true\n"
        "outputs:\n  files:\n    - pattern: a.md\n    - pattern: b.txt\n"
        "---\n\n`do.py`\n"
    )


def test_the_interface_of_the_skill_lists_a_new_output() -> None:
    text = SKILLS[FRONT][0]["SKILL.md"].replace(
        "execution:", "interface:\n  outputs:\n    - pattern: old.txt\nexecution:"
    )
    it = case(FRONT, {"SKILL.md": text}, outputs=written("new.md"))
    new = adopt(it, pick(findings(it))).new
    assert "interface:\n  outputs:\n    - pattern: old.txt\n    - pattern: new.md\n" in new


def test_what_a_wider_pattern_of_the_interface_includes_is_not_listed_again() -> None:
    listed = "interface:\n  outputs:\n    - pattern: docs/**\n    - pattern: old.txt\n"
    text = SKILLS[FRONT][0]["SKILL.md"].replace("execution:", f"{listed}execution:")
    it = case(FRONT, {"SKILL.md": text}, outputs=written("docs/a/new.md"))
    new = adopt(it, pick(findings(it))).new
    assert "    - pattern: old.txt\n    - pattern: docs/a/new.md\n" in new
    assert listed in new
    assert new.count("docs/a/new.md") == 1


def test_several_can_be_taken_out_of_one_list_while_others_come_in() -> None:
    it = case(TWO, {"SKILL.md": two(["db.read", "fs.read", "git.read"])})
    chosen = of_edits(
        Remove("/effects/0"), Set("/effects/-", "net.fetch"), Remove("/effects/2")
    )  # fmt: skip
    assert '"effects": [\n    "fs.read",\n    "net.fetch"\n  ]' in made(it, chosen)


def test_the_same_is_added_once() -> None:
    it = case(TWO)
    chosen = of_edits(Set("/effects/-", "net.fetch"), Set("/effects/-", "net.fetch"))
    assert made(it, chosen).count("net.fetch") == 1


def test_an_empty_list_that_would_allow_everything_is_refused() -> None:
    toml = SKILLS[CARO][0]["skill.toml"]
    files = {
        **SKILLS[CARO][0],
        "skill.toml": toml + '\n[capabilities.terminal_exec]\ncommands = ["jq", "python3"]\n',
    }
    at = "/capabilities/terminal_exec/commands"
    with pytest.raises(AdoptRefused, match="would allow every program"):
        splices(
            case(CARO, files).manifest.document, of_edits(Remove(f"{at}/0"), Remove(f"{at}/1"))
        )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "outputs:\n  files:\n    - pattern: old.txt\n",
            "outputs: []\n",
            "/outputs is not a mapping",
        ),
        (
            "outputs:\n  files:\n    - pattern: old.txt\n",
            "outputs: x\n",
            "/outputs is not a mapping",
        ),
        ("    - pattern: old.txt\n", "    pattern: old.txt\n", "/outputs/files is not a list"),
        (
            "  files:\n    - pattern: old.txt\n",
            "  files: old.txt\n",
            "/outputs/files is not a list",
        ),
    ],
)
def test_what_is_there_in_another_shape_is_left_alone(old: str, new: str, said: str) -> None:
    text = SKILLS[FRONT][0]["SKILL.md"].replace(old, new)
    it = case(FRONT, {"SKILL.md": text}, outputs=written("a.md"))
    with pytest.raises(AdoptRefused, match=f"^{said}$"):
        adopt(it, pick(findings(it)))


@pytest.mark.parametrize("dialect", [FRONT, "provenact-1"])
def test_what_stands_twice_is_taken_out_twice(dialect: str) -> None:
    path = "SKILL.md" if dialect == FRONT else "manifest.json"
    old = SKILLS[dialect][0][path]
    item = {
        FRONT: "    - pattern: old.txt\n",
        "provenact-1": '{"kind": "fs.write", "value": "/w/x"}',
    }[dialect]
    text = old.replace(item, item * 2).replace('[],\n  "signers', f'[{item}, {item}],\n  "signers')
    it = case(dialect, {path: text}, traced=False,
              outputs=(JudgedOutput("old.txt", "missing", (), True),),
              effects=(JudgedEffect("fs.write", True, "declared-not-observed"),))  # fmt: skip
    new = adopt(it, pick(findings(it), all_=True)).new
    assert item in text
    assert "old.txt" not in new
    assert "fs.write" not in new


def test_the_interface_loses_what_is_taken_out() -> None:
    listed = "interface:\n  outputs:\n    - pattern: old.txt\n    - pattern: docs/**\n"
    text = SKILLS[FRONT][0]["SKILL.md"].replace("execution:", f"{listed}execution:")
    missing = (JudgedOutput("old.txt", "missing", (), True),)
    it = case(FRONT, {"SKILL.md": text}, traced=False, outputs=missing)
    assert "old.txt" not in adopt(it, pick(findings(it), all_=True)).new


def test_what_brings_a_new_fault_is_refused() -> None:
    chosen = of_edits(Set("/effects/-", "net.everything"))
    with pytest.raises(AdoptRefused, match="would have a new problem"):
        adopt(case(TWO), chosen)


def test_what_does_not_say_it_is_refused() -> None:
    it = case(TWO, effects=EFFECTS)
    chosen = [each for each in findings(it) if each.id == "effect:net.fetch"]
    other = chosen[0]._replace(edits=(Set("/version", "1.0.1"),))
    with pytest.raises(AdoptRefused, match=r"would still not declare effect:net\.fetch"):
        adopt(it, [other])


def test_a_text_that_cannot_hold_it_is_left_alone() -> None:
    with pytest.raises(AdoptRefused, match="cannot be edited automatically"):
        splices(case(TWO).manifest.document, of_edits(Remove("/effects/7")))


def test_what_is_picked() -> None:
    it = case(
        FRONT,
        effects=(*EFFECTS, JudgedEffect("fs.read", False, "undeclared", ("read /x",))),
        outputs=(JudgedOutput("old.txt", "missing", (), True),),
    )
    told = findings(it)
    faults = ["command:psql", "effect:net.fetch"]
    offers = ["unobserved:command:make", "unobserved:output:old.txt"]
    assert [each.id for each in pick(told)] == faults
    assert [each.id for each in pick(told, all_=True)] == faults + offers
    assert [each.id for each in pick(told, [offers[1], faults[0]])] == [faults[0], offers[1]]
    with pytest.raises(PickUnknown, match=r"no change effect:fs\.flush"):
        pick(told, ["effect:fs.flush"])
    with pytest.raises(PickUnknown, match="cannot be adopted: it has no term"):
        pick(told, ["effect:fs.read"])

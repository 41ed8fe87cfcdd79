"""A safe fix changes the value at fault and nothing else, whatever else the skill holds."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.test_corpus import CORPUS
from tests.skill import safe_fixes
from tests.skill.safe_fixes import LOST, ODD, Named, breaches, fixed_by

import skillstudio
from skillstudio.files.listed import MemoryTree
from skillstudio.files.tree import Overlay
from skillstudio.skill.analysis import analyse
from skillstudio.skill.fixing import apply_fixes
from skillstudio.text.diagnostic import Diagnostic, Fix, Splice

HOUSE = Path(skillstudio.__file__).parent
NO_CORPUS = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no public manifests at {CORPUS}")
EVERY = [
    pytest.param(safe_fixes.odd, id="odd"),
    pytest.param(safe_fixes.tables, id="tables"),
    pytest.param(safe_fixes.corpus, id="corpus", marks=NO_CORPUS),
    pytest.param(lambda: map(safe_fixes.mixed, range(400)), id="mixed", marks=pytest.mark.slow),
]


@pytest.mark.slow
@pytest.mark.parametrize("skills", EVERY)
def test_a_safe_fix_alone_keeps_all_but_the_value_at_fault(
    skills: Callable[[], Iterator[Named]],
) -> None:
    found = []
    for name, tree in skills():
        before = analyse(tree)
        for diagnostic, fix in safe_fixes.safe_fixes(before):
            after = fixed_by(before, diagnostic, fix)
            if after is not None:
                broken = breaches(before, analyse(after), [diagnostic])
                if all(_is_repair(each) for each in broken):
                    applied = apply_fixes(before).applied_fixes if broken else []
                    broken = [each for each in broken if (diagnostic, fix) in applied]
                found += [(name, diagnostic.rule, fix.title, each) for each in broken]
    assert found == []


def _is_repair(breach: str) -> bool:
    """Codex, Qwen Code and Hermes read more of an invalid text as strings than is at fault: a
    mapping or ~ in the place of a description too. No fix of the fault itself keeps that, so `fix`
    must leave it out."""
    if not breach.startswith(LOST):
        return False
    targets = ast.literal_eval(breach.removeprefix(LOST))
    return all({"codex", "hermes", "qwen"} & set(each) for each in targets)


@pytest.mark.slow
@pytest.mark.parametrize("skills", EVERY)
def test_all_safe_fixes_together_are_stable_and_keep_the_rest(
    skills: Callable[[], Iterator[Named]],
) -> None:
    found = []
    for name, tree in skills():
        before = after = analyse(tree)
        faults: list[Diagnostic] = []
        rounds = 0
        while texts := (fixed := apply_fixes(after)).texts:
            faults += [diagnostic for diagnostic, _ in fixed.applied_fixes]
            data = {path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
            after = analyse(Overlay(after.skill.tree, data))
            rounds += 1
            assert rounds < 5, f"{name} is not stable"
        found += [(name, each) for each in breaches(before, after, faults)] if rounds else []
    assert found == []


@pytest.mark.parametrize("name", safe_fixes.OFFERING)
def test_an_unsafe_fix_is_shown_and_not_applied(name: str) -> None:
    analysis = analyse(MemoryTree(safe_fixes.OFFERING[name], "tea"))
    assert [each.title for diagnostic in analysis.diagnostics for each in diagnostic.fixes]
    assert apply_fixes(analysis).applied_fixes == []


def test_a_fix_wrongly_marked_as_safe_is_skipped_and_the_others_are_applied() -> None:
    """Each safe fix is compared with the original before it is applied."""
    text = safe_fixes.FRONT.format("metadata:\n  a: 1\n  b: 2\n")
    analysis = analyse(MemoryTree({"SKILL.md": text.encode()}, "tea"))
    at = text.index("Makes tea")
    wrong = {
        "refused by an upload": Splice(at, at, "<tea> "),
        "refused everywhere": Splice(at - len("description: "), at, ""),
        "another value": Splice(text.index("name: tea"), text.index("tea"), "license: MIT\nname: "),
        "another dialect": Splice(4, 4, 'manifest_version: "1.0"\n'),
    }
    for what, splice in wrong.items():
        fault = Diagnostic(
            "wrong", what, pointer="/description", path="SKILL.md", dialect="agent-skills",
            fixes=(Fix(what, (splice,), safe=True),),
        )  # fmt: skip
        fixed = apply_fixes(analysis._replace(diagnostics=(fault, *analysis.diagnostics)))
        assert [each.rule for each, _ in fixed.applied_fixes] == ["metadata-value"] * 2, what
        assert fixed.texts["SKILL.md"] == text.replace("1", '"1"').replace("2", '"2"')


# Every place in the code that makes a fix is among them


@pytest.fixture(scope="module")
def reached() -> set[str]:
    """The places in the code where fixes are made for the skills of this project."""
    found: set[str] = set()

    class Recorded(Fix):
        def __new__(cls, *given: Any, **named: Any) -> Any:
            caller = sys._getframe(1)
            found.add(_place(caller.f_code.co_filename, caller.f_lineno))
            return Fix(*given, **named)

    with pytest.MonkeyPatch.context() as patch:
        for module in _modules():
            patch.setattr(module, "Fix", Recorded)
        for _, tree in (*safe_fixes.odd(), *safe_fixes.tables()):
            analyse(tree)
    return found


@pytest.mark.slow
def test_every_place_that_makes_a_fix_is_reached(reached: set[str]) -> None:
    made = {
        _place(str(module.__file__), node.lineno)
        for module in _modules()
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Fix"
    }
    assert len(made) > 25
    assert sorted(made - reached) == []


def _modules() -> list[Any]:
    """The modules below `manifest` and `schema` that make fixes."""
    names = [each.name for each in pkgutil.walk_packages([str(HOUSE)], "skillstudio.")]
    rooms = ("skillstudio.manifest.", "skillstudio.schema.")
    found = [importlib.import_module(name) for name in names if name.startswith(rooms)]
    return [each for each in found if hasattr(each, "Fix")]


def _place(file: str, line: int) -> str:
    return f"{Path(file).relative_to(HOUSE).as_posix()}:{line}"


SPELLING = {
    "value-unquoted": "a colon in another key",
    "description-unquoted": "a colon on two lines",
    "value-yaml-1.1": "a date",
}


@pytest.mark.parametrize(("rule", "name"), SPELLING.items())
def test_the_fixes_of_readers_are_applied(rule: str, name: str) -> None:
    """Their fixes are made at one place, from what the reader of a text found."""
    analysis = analyse(MemoryTree(ODD[name], "tea"))
    assert rule in {each.rule for each, _ in apply_fixes(analysis).applied_fixes}

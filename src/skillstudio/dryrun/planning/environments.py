"""What a script's environment needs, as its skill declares it, and what a run found missing."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.dryrun.plan import Plan, PlanProblem
from skillstudio.files.tree import FileTree
from skillstudio.text.safe import safe_text

MAX_BYTES = 256 << 10
_PYTHON = re.compile(r"(?m)^(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)'?")
_NODE = re.compile(r"Cannot find (?:module|package) '((?:@[\w.-]+/)?[\w-][\w.-]*)[^']*'")
_PERL = re.compile(r"Can't locate ([\w/]+)\.pm in @INC")
_INLINE = re.compile(r"(?ms)^# /// script\s*$\n(.*?)^# ///\s*$")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class DeclaredPackages(NamedTuple):
    """The packages that a file declares, and the command that installs them."""

    source: str  # The path in the skill.
    packages: tuple[str, ...]
    command: str


def declared_packages(tree: FileTree, script: str) -> Iterator[DeclaredPackages]:
    """The declarations for a script, the nearest first: PEP 723 metadata, files beside and above.

    Files that cannot be parsed are left out.
    """
    inline = _inline(_text(tree, script))
    if inline:
        yield DeclaredPackages(script, inline, f"pip install {' '.join(map(_quoted, inline))}")
    folder = script.rpartition("/")[0]
    while True:
        lead = f"{folder}/" if folder else ""
        path = f"{lead}requirements.txt"
        lines = _text(tree, path).split("\n")
        names = tuple(line.split("#")[0].strip() for line in lines if _NAME.match(line.strip()))
        if names:
            yield DeclaredPackages(path, names, f"pip install -r {path}")
        names = _pyproject(_text(tree, f"{lead}pyproject.toml"))
        if names:
            command = f"pip install {' '.join(map(_quoted, names))}"
            yield DeclaredPackages(f"{lead}pyproject.toml", names, command)
        names = _package_json(_text(tree, f"{lead}package.json"))
        if names:
            yield DeclaredPackages(
                f"{lead}package.json", names, f"npm install --prefix {folder or '.'}"
            )
        if not folder:
            return
        folder = folder.rpartition("/")[0]


def requirement_lines(tree: FileTree, declared: DeclaredPackages) -> Iterator[tuple[int, str]]:
    """Every requirement with its line in a `requirements.txt`, options included, else with 0."""
    if not declared.source.endswith("requirements.txt"):
        yield from ((0, each.strip()) for each in declared.packages)
        return
    begun, text = 0, ""
    for number, line in enumerate(_text(tree, declared.source).split("\n"), 1):
        begun = begun or number
        text += re.sub(r"(^|\s)#.*", "", line).rstrip()
        if text.endswith("\\"):
            text = text[:-1].rstrip() + " "
            continue
        if text.strip():
            yield begun, re.sub(r"\s+", " ", text.strip())
        begun, text = 0, ""


def script_of(plan: Plan) -> str:
    """The path of the script that a plan starts last, in the skill; "" if there is none."""
    argv = plan.steps[-1].argv if plan.steps else ()
    skill = plan.roots.skill + os.sep
    script = next((each for each in argv[1:] if each.startswith(skill)), "")
    inside = script.removeprefix(skill).replace(os.sep, "/")
    return inside or next((each for each in argv[1:] if not each.startswith("-")), "")


def _text(tree: FileTree, path: str) -> str:
    try:
        if tree.kind(path) != "file" or tree.size(path) > MAX_BYTES:
            return ""
        return tree.read(path).decode("utf-8", "replace")
    except OSError:
        return ""


def _inline(text: str) -> tuple[str, ...]:
    found = _INLINE.search(text)
    lines = found[1].split("\n") if found else []
    return _strings(_toml("\n".join(re.sub(r"^# ?", "", line) for line in lines)), "dependencies")


def _pyproject(text: str) -> tuple[str, ...]:
    project = _toml(text).get("project")
    return _strings(project if isinstance(project, dict) else {}, "dependencies")


def _package_json(text: str) -> tuple[str, ...]:
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return ()
    names = value.get("dependencies") if isinstance(value, dict) else None
    return tuple(map(str, names)) if isinstance(names, dict) else ()


def _toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _strings(value: dict[str, object], key: str) -> tuple[str, ...]:
    found = value.get(key)
    return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list) else ()


def _quoted(package: str) -> str:
    return f"'{package}'" if re.search(r"[^\w.-]", package) else package


def missing_packages(
    tree: FileTree, script: str, stderr: str, interpreter: str, is_prepared: bool = False
) -> Iterator[PlanProblem]:
    """A sentence about the module that a run did not find, with the command that installs it.

    `interpreter` is the program that ran, as an absolute path where that is known; `is_prepared`
    says whether it had the packages that are declared.
    """
    for pattern, kind in ((_PYTHON, "python"), (_NODE, "node"), (_PERL, "perl")):
        found = pattern.search(stderr)
        if found is None:
            continue
        name = found[1].replace("/", "::") if kind == "perl" else found[1]
        top = name.partition(".")[0] if kind == "python" else name
        known = [
            each
            for each in declared_packages(tree, script)
            if each.command.startswith("npm") == (kind == "node")
        ]
        # A package may have another name than its module, so the nearest file is named as well.
        named = next((e for e in known if any(_is_same(top, p) for p in e.packages)), None)
        named = named or next(iter(known), None)
        said = f"{interpreter or kind} has no module {name}"
        if kind == "perl":
            said += f"; install it with: cpan {name}"
        elif kind == "node":
            command = named.command if named else f"npm install {name}"
            said += f"; install it in the skill with: {command}"
        else:
            command = named.command if named else f"pip install {top}"
            said += (
                "; run it with --with-deps, which prepares an environment"
                if named and not is_prepared
                else f"; prepare an environment outside of the run with: python3 -m venv ENV && "
                f"ENV/bin/{command}, and run skillstudio with ENV/bin first on PATH"
            )
        if named is not None:
            said += (
                f" ({named.source} declares it)"
                if _declares(named, top)
                else (f" ({named.source} declares the packages)")
            )
        yield PlanProblem("module-missing", safe_text(said), "", "warning")
        return


def _declares(declared: DeclaredPackages, name: str) -> bool:
    return any(_is_same(name, each) for each in declared.packages)


def _is_same(module: str, package: str) -> bool:
    found = _NAME.match(package)
    plain = found[0] if found else package
    return plain.lower().replace("-", "_") == module.lower().replace("-", "_") or plain == module

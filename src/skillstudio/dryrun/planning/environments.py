"""What a script's environment needs, as its skill declares it, and what a run found missing."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from skillstudio.dryrun.plan import Plan, PlanProblem
from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import FileTree, walk
from skillstudio.resources import toml_table
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.reading.requirements import read_requirements
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Source, decode

MAX_BYTES = 256 << 10
_MOST_FILES = 5_000  # Files of a skill that are looked at for a module.
_PYTHON = lazy_pattern(r"(?m)^(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)'?")
_NODE = lazy_pattern(r"Cannot find (?:module|package) '((?:@[\w.-]+/)?[\w-][\w.-]*)[^']*'")
_PERL = lazy_pattern(r"Can't locate ([\w/]+)\.pm in @INC")
_NAME = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class DeclaredPackages(NamedTuple):
    """The packages that a file declares, and the command that installs them."""

    source: str  # The path in the skill.
    packages: tuple[str, ...]  # Names with versions, without those that are refused.
    command: str
    problem: str = ""  # Why they cannot be prepared: the place, then a sentence.


def declared_packages(tree: FileTree, script: str) -> Iterator[DeclaredPackages]:
    """The declarations for a script, nearest first: PEP 723 metadata, files beside and above."""
    yield from _python_packages(tree, script)
    folder = script.rpartition("/")[0]
    while True:
        lead = f"{folder}/" if folder else ""
        yield from _python_packages(tree, f"{lead}requirements.txt")
        yield from _python_packages(tree, f"{lead}pyproject.toml")
        names = _package_json(_text(tree, f"{lead}package.json"))
        if names:
            command = f"npm install --ignore-scripts --prefix {shlex.quote(folder or '.')}"
            yield DeclaredPackages(f"{lead}package.json", names, command)
        if not folder:
            return
        folder = folder.rpartition("/")[0]


def _python_packages(tree: FileTree, path: str) -> Iterator[DeclaredPackages]:
    """The packages of one file; nothing if it declares none."""
    source = Source(_text(tree, path), path)
    requirements = read_requirements(source)
    if not requirements:
        return
    packages = tuple(item.value for item in requirements if item.value)
    is_list = path.endswith("requirements.txt")
    words = ("-r", path) if is_list else packages
    command = f"pip install {' '.join(map(shlex.quote, words))}"
    faulty_requirement = next((item for item in requirements if item.problem), None)
    problem = ""
    if faulty_requirement is not None:
        line, column = source.position(faulty_requirement.span.start)
        problem = f"{path}:{line}:{column}: {faulty_requirement.problem}"
    yield DeclaredPackages(path, packages, command, problem)


def script_of(plan: Plan) -> str:
    """The path of the script that a plan starts last, in the skill; "" if there is none."""
    argv = plan.steps[-1].argv if plan.steps else ()
    skill = plan.roots.skill + os.sep
    script = next((argument for argument in argv[1:] if argument.startswith(skill)), "")
    inside = script.removeprefix(skill).replace(os.sep, "/")
    return inside or next((argument for argument in argv[1:] if not argument.startswith("-")), "")


def _text(tree: FileTree, path: str) -> str:
    try:
        if tree.kind(path) != "file" or tree.size(path) > MAX_BYTES:
            return ""
        return decode(tree.read(path))[0]
    except OSError:
        return ""


def _package_json(text: str) -> tuple[str, ...]:
    try:
        value = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return ()
    names = value.get("dependencies") if isinstance(value, dict) else None
    return tuple(map(str, names)) if isinstance(names, dict) else ()


def missing_packages(
    tree: FileTree,
    script: str,
    stderr: str,
    interpreter: str,
    is_prepared: bool = False,
    around: DiskTree | None = None,
) -> Iterator[PlanProblem]:
    """A sentence about the module that a run did not find, with the command that installs it.

    A module of the files `around` the skill is none to install: a package of the index with that
    name would be a stranger's. `interpreter` is the program that ran, as an absolute path where
    that is known; `is_prepared` says whether it had the packages that are declared.
    """
    for pattern, kind in ((_PYTHON, "python"), (_NODE, "node"), (_PERL, "perl")):
        match = pattern.search(stderr)
        if match is None:
            continue
        name = match[1].replace("/", "::") if kind == "perl" else match[1]
        top = name.partition(".")[0] if kind == "python" else name
        if kind == "python" and (module_path := _own_module(tree, top)):
            folder = module_path.rpartition("/")[0] or "."
            message = (
                f"{interpreter or kind} has no module {name}, and the skill has {module_path}: set "
                f"--env PYTHONPATH={folder}, or let the script add that folder to sys.path"
            )
            yield PlanProblem("module-missing", safe_text(message), "", "warning")
            return
        if kind == "python" and around is not None and (place := _own_module(around, top)):
            message = (
                f"{interpreter or kind} has no module {name}, and {place} of the repository is "
                f"outside the skill, so it was not copied: run with --workspace {around.root}, "
                "or move the module into the skill"
            )
            yield PlanProblem("module-missing", safe_text(message), "", "warning")
            return
        declarations = [
            declaration
            for declaration in declared_packages(tree, script)
            if declaration.packages and declaration.command.startswith("npm") == (kind == "node")
        ]
        # A package may have another name than its module, so the nearest file is named as well.
        best_declaration = next((item for item in declarations if _declares(item, top)), None)
        best_declaration = best_declaration or next(iter(declarations), None)
        advice = f"{interpreter or kind} has no module {name}"
        if kind == "perl":
            advice += f"; install it with: cpan {name}"
        elif kind == "node":
            command = (
                best_declaration.command
                if best_declaration
                else f"npm install --ignore-scripts {name}"
            )
            advice += f"; install it in the skill with: {command}"
        else:
            package = distribution_of(top)
            declares = best_declaration is not None and _declares(best_declaration, top)
            if best_declaration is not None and not is_prepared and declares:
                advice += "; run it with --with-deps, which prepares an environment"
            elif best_declaration is not None and not is_prepared:
                advice += (
                    "; run it with --with-deps, which prepares an environment, or with "
                    f"--with {package} if that is not enough"
                )
            elif not (declares and is_prepared):
                # Nothing says so: somebody else may have taken the name of a module on the index.
                is_package = declares or package != top.replace("_", "-")
                start = "run it" if is_package else "if that is a package of the index, run it"
                advice += f"; {start} with --with {package}, which prepares an environment"
            else:
                advice += (
                    f"; the environment has {package}, as declared, but no such module: declare "
                    "another version or package"
                )
        if best_declaration is not None:
            advice += (
                f" ({best_declaration.source} declares it)"
                if _declares(best_declaration, top)
                else (f" ({best_declaration.source} declares the packages)")
            )
        yield PlanProblem("module-missing", safe_text(advice), "", "warning")
        return


def distribution_of(module: str) -> str:
    """The name of the package on an index that has a Python module: `yaml` is in `pyyaml`."""
    names: dict[str, str] = toml_table(__file__, "distributions.toml")
    return names.get(module, module.replace("_", "-"))


def _own_module(tree: FileTree, module: str) -> str:
    """The path of a module of the skill: a file, or the folder of a package; "" if it has none."""
    candidates = (f"{module}.py", f"{module}/__init__.py")
    try:
        for path, _ in islice(walk(tree), _MOST_FILES):
            for end in candidates:
                if path == end or path.endswith(f"/{end}"):
                    return path.removesuffix("/__init__.py")
    except OSError:
        pass  # A folder that cannot be listed has no module that the program could read.
    return ""


def _declares(declaration: DeclaredPackages, name: str) -> bool:
    """Whether a package is declared that has this module."""
    names = (name, distribution_of(name))
    return any(_is_same(module, item) for module in names for item in declaration.packages)


def _is_same(module: str, package: str) -> bool:
    match = _NAME.match(package)
    plain = match[0] if match else package
    return plain.lower().replace("-", "_") == module.lower().replace("-", "_") or plain == module

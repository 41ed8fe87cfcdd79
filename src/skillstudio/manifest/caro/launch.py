"""Start a recipe: its steps in order, each as one program without a shell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.files.paths import glob
from skillstudio.files.tree import FileTree
from skillstudio.interface.model import Requirement, Variable, token
from skillstudio.manifest.caro.commands import refusals, terminal_exec
from skillstudio.manifest.caro.project import level
from skillstudio.manifest.caro.words import NeedsShell, split
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.launching import LaunchedProcess, LaunchSpec, Mock
from skillstudio.manifest.placeholders import DOUBLE
from skillstudio.manifest.values import dig, has_type, mappings, sequence, strings, text
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span, decode

_TESTS = "tests"
"""The folder with the tests of recipes: YAML files with `mock_commands` at the top or in the items
of `tests`, each a glob for the whole command, with its output."""
_MOST_TESTS = 100
_LARGEST_TEST = 256 * 1024  # Maximum size of a test file, in bytes.
_MODULE = (
    "the module of a skill.toml can only be planned: its contract names no function that gives "
    "memory to write the arguments to"
)


def launch(manifest: Manifest, skill: Skill, operation: str) -> LaunchSpec | None:
    """The steps of a recipe, started in the workspace; modules cannot be started."""
    value = manifest.document.value
    recipe = _recipe(manifest, skill, operation) if operation else None
    if recipe is not None:
        return _of_recipe(manifest, recipe, skill, operation)
    exports = {name for _, name in strings(value, "executable", "exports")}
    is_module = dig(value, "provides", "executable") is True and not operation
    return LaunchSpec("", refusal=_MODULE) if is_module or operation in exports else None


def _recipe(manifest: Manifest, skill: Skill, id: str) -> Any:
    for part in skill.manifests:
        is_recipe = part.part == "recipe" and part.dialect.id == manifest.dialect.id
        if is_recipe and text(part.document.value, "id") == id:
            return part.document.value
    return None


def _of_recipe(manifest: Manifest, recipe: Any, skill: Skill, id: str) -> LaunchSpec:
    value = manifest.document.value
    mocks = _mocks(skill.tree, id)
    default = text(value, "recipes", "default_confirmation") or "prompt"
    terminal = terminal_exec(manifest)
    steps = tuple(
        _step(step, f"/operations/{token(id)}", default, terminal)
        for _, step in mappings(recipe, "steps")
    )
    commands = {
        item: None
        for _, check in mappings(recipe, "preconditions")
        if text(check, "check") == "command_exists"
        for _, item in strings(check, "args")
    }
    commands.update((tool, None) for _, tool in strings(value, "platform", "required_tools"))
    return LaunchSpec(
        id,
        {"any": steps},
        placeholders=DOUBLE,
        folder="workspace",
        requirements=tuple(Requirement("command", name) for name in commands),
        variables=tuple(_variables(value, recipe)),
        mocks=mocks,
        notes=tuple(_notes(recipe)),
    )


def _step(step: Any, at: str, default: str, terminal: dict[str, Any] | None) -> LaunchedProcess:
    command = text(step, "command") or ""
    name = text(step, "id") or text(step, "name") or command
    confirmation = text(step, "confirmation") or default
    seconds = dig(step, "timeout")
    argv: tuple[str, ...] = ()
    needs_shell = ""
    try:
        argv = split(command)
    except NeedsShell as why:
        needs_shell = str(why)
    return LaunchedProcess(
        argv,
        f"{at}/terms/recipe-confirmation/{token(name)}",
        name,
        level(confirmation),
        seconds if has_type(seconds, "number") else None,
        command,
        next((message for _, message in refusals(command, terminal)), ""),
        needs_shell,
    )


def _variables(value: Any, recipe: Any) -> Iterator[Variable]:
    """Variables that the recipe checks and the skill may read; a final `*` matches any suffix."""
    required_names = [
        item
        for _, check in mappings(recipe, "preconditions")
        if text(check, "check") == "env_set"
        for _, item in strings(check, "args")
    ]
    for name in dict.fromkeys(required_names):
        yield Variable(name, True)
    for _, name in strings(value, "capabilities", "env_read"):
        if name not in required_names:
            yield Variable(name, False)


def _notes(recipe: Any) -> Iterator[str]:
    for _, check in mappings(recipe, "preconditions"):
        script = text(check, "script")
        if script:
            yield f"the check {script} is not run"
    for what in ("verification", "rollback"):
        count = len(sequence(recipe, what))
        if count:
            were = "s of {} are" if count > 1 else " of {} is"
            yield f"{count} command{were.format(what)} not run"


def _mocks(tree: FileTree, recipe: str) -> tuple[Mock, ...]:
    """The mocks of a recipe and those for all recipes, in the order of the files."""
    if tree.kind(_TESTS) != "folder":
        return ()
    paths = [path for end in ("yaml", "yml") for path in glob(tree, f"{_TESTS}/**/*.{end}")]
    files = sorted(paths)[:_MOST_TESTS]
    return tuple(mock for path in files for mock in _of_file(tree, path, recipe))


def _of_file(tree: FileTree, path: str, recipe: str) -> Iterator[Mock]:
    try:
        if tree.size(path) > _LARGEST_TEST:
            return
        yaml_text, _ = decode(tree.read(path))
    except OSError:
        return
    value = read(Source(yaml_text, path), "yaml", Span(0, len(yaml_text))).value
    cases = [value, *(case for _, case in mappings(value, "tests"))]
    for case in cases:
        if (text(case, "recipe") or text(case, "recipe_id") or recipe) == recipe:
            yield from _of_case(case)


def _of_case(case: Any) -> Iterator[Mock]:
    for _, mock in mappings(case, "mock_commands"):
        pattern, code = text(mock, "command"), dig(mock, "exit_code")
        if pattern:
            is_code = isinstance(code, int) and not isinstance(code, bool)
            yield Mock(pattern, text(mock, "stdout") or "", code if is_code else 0)

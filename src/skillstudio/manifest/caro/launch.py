"""Start a recipe: its steps in order, each as one program without a shell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from skillstudio.interface.model import Requirement, Variable, token
from skillstudio.manifest.caro.commands import programs
from skillstudio.manifest.caro.mocks import mocks
from skillstudio.manifest.caro.recipe_project import LEVELS
from skillstudio.manifest.caro.words import NeedsShell, split
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.launching import Confirmation, LaunchedProcess, Launching
from skillstudio.manifest.placeholders import DOUBLE
from skillstudio.manifest.values import dig, mapping, mappings, sequence, strings, text

_MODULE = (
    "the module of a skill.toml can only be planned: its contract names no function that gives "
    "memory to write the arguments to"
)


def launch(manifest: Manifest, skill: Skill, operation: str) -> Launching | None:
    """The steps of a recipe, started in the workspace; modules cannot be started."""
    value = manifest.document.value
    recipe = _recipe(manifest, skill, operation) if operation else None
    if recipe is not None:
        return _of_recipe(value, recipe, skill, operation)
    exports = {name for _, name in strings(value, "executable", "exports")}
    is_module = dig(value, "provides", "executable") is True and not operation
    return Launching("", refused=_MODULE) if is_module or operation in exports else None


def _recipe(manifest: Manifest, skill: Skill, id: str) -> Any:
    for part in skill.manifests:
        is_recipe = part.part == "recipe" and part.dialect.id == manifest.dialect.id
        if is_recipe and text(part.document.value, "id") == id:
            return part.document.value
    return None


def _of_recipe(value: Any, recipe: Any, skill: Skill, id: str) -> Launching:
    known = mocks(skill.tree, id)
    default = text(value, "recipes", "default_confirmation") or "prompt"
    terminal = mapping(value, "capabilities", "terminal_exec")
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
    return Launching(
        id,
        {"any": steps},
        placeholders=DOUBLE,
        folder="workspace",
        requirements=tuple(Requirement("command", name) for name in commands),
        variables=tuple(_variables(value, recipe)),
        mocks=known,
        notes=tuple(_notes(recipe)),
    )


def _step(step: Any, at: str, default: str, terminal: dict[str, Any]) -> LaunchedProcess:
    command = text(step, "command") or ""
    name = text(step, "id") or text(step, "name") or command
    said = text(step, "confirmation") or default
    seconds = dig(step, "timeout")
    is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
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
        cast(Confirmation, said if said in LEVELS else "prompt"),
        seconds if is_number else None,
        command,
        _refused(command, terminal),
        needs_shell,
    )


def _refused(command: str, terminal: dict[str, Any]) -> str:
    """Why skill.toml does not allow a command, by the lists that `check` uses too."""
    if terminal.get("allowed") is False:
        return "skill.toml says terminal_exec.allowed = false, so no command may run"
    blocked = {each for each in sequence(terminal, "blocked") if isinstance(each, str)}
    allowed = {each for each in sequence(terminal, "commands") if isinstance(each, str)}
    for program in programs(command):
        if program is None:
            if allowed:
                return "the program is only known at run time; name it directly"
        elif program in blocked or program.rpartition("/")[2] in blocked:
            return f"{program} is in terminal_exec.blocked of skill.toml"
        elif allowed and program not in allowed:
            return f"{program} is not in terminal_exec.commands of skill.toml"
    return ""


def _variables(value: Any, recipe: Any) -> Iterator[Variable]:
    """Variables that the recipe checks and the skill may read; a final `*` matches any suffix."""
    needed = [
        item
        for _, check in mappings(recipe, "preconditions")
        if text(check, "check") == "env_set"
        for _, item in strings(check, "args")
    ]
    for name in dict.fromkeys(needed):
        yield Variable(name, True)
    for _, name in strings(value, "capabilities", "env_read"):
        if name not in needed:
            yield Variable(name, False)


def _notes(recipe: Any) -> Iterator[str]:
    for _, check in mappings(recipe, "preconditions"):
        script = text(check, "script")
        if script:
            yield f"the check {script} is not run"
    for key, what in (("verification", "verification"), ("rollback", "rollback")):
        count = len(sequence(recipe, key))
        if count:
            yield f"{count} command{'s' if count > 1 else ''} of {what} {_are(count)} not run"


def _are(count: int) -> str:
    return "are" if count > 1 else "is"

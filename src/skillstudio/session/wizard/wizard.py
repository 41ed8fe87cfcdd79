"""A new skill before it is made: where it is to lie, its template, the answers, the preview.

There is no screen here. What takes long, `begin`, `begin_with_scripts`, `look` and `draw`, is told
all it needs and returns a value, so a thread may do it. `look` and `draw` share the process that
renders, so only one of them runs at a time; `interrupt` and `close` may be called meanwhile.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from skillstudio.dryrun.isolation.confinement import confinement
from skillstudio.files.placing import NotPlaced
from skillstudio.resources import is_installed
from skillstudio.scaffold.new.catalogue import TemplateNotFound, list_templates, open_template
from skillstudio.scaffold.new.copier_file import TemplateFault
from skillstudio.scaffold.new.creation import create, draft, name_of, where_fault
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.renderer import RendererMissing
from skillstudio.scaffold.new.scripts.gathering import NoScripts
from skillstudio.scaffold.new.scripts.interview import ScriptInterview
from skillstudio.scaffold.new.template import MISSING, Template
from skillstudio.session.wizard.scripts import script_summaries
from skillstudio.session.wizard.state import (
    WHERE,
    LoadedTemplate,
    WizardInput,
    WizardPreview,
    WizardState,
)
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.around import skill_around

MAX_QUESTIONS = 100
"""A template that asks more is none for a screen."""
_USUAL = "new-skill"


class TemplateChoice(NamedTuple):
    """A template to choose, or what is wrong with one, and where."""

    name: str
    template: Template | None = None
    fault: str = ""


def list_offers() -> list[TemplateChoice]:
    """The templates at hand by name, those that cannot be used with their faults. Reads disk."""
    listing = list_templates()
    found = [TemplateChoice(name, template) for name, template in listing.templates.items()]
    for fault in listing.faults:
        folder = os.path.dirname(fault.path) if fault.path.endswith((".yml", ".yaml")) else ""
        found.append(TemplateChoice(os.path.basename(folder or fault.path), None, str(fault)))
    return sorted(found, key=lambda each: each.name)


def base_for(folder: str) -> str:
    """The folder that new skills are put in from: not in a skill or an installation."""
    base = os.getcwd() if is_installed(folder) else os.path.abspath(folder)
    while around := skill_around(os.path.join(base, _USUAL)):
        base = os.path.dirname(around)
    return base


class Wizard:
    """The state of one new skill. Close it: it keeps a process."""

    def __init__(self, base: str, names: Mapping[str, str] | None = None) -> None:
        """`base` is where a relative folder begins; `names` the folders of skills by name."""
        self.base = base
        self.names = dict(names or {})
        self.where = _free_name(base)
        self._answers: dict[tuple[str, str], dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._interview: Interview | None = None
        self._busy: Interview | None = None
        """The interview that a thread works with."""

    @property
    def template(self) -> Template | None:
        """The template that was chosen."""
        return self._interview.template if self._interview is not None else None

    @property
    def given(self) -> dict[str, Any]:
        """The answers to the questions of this template; those to others are kept, too."""
        template = self.template
        if template is None:
            return {}
        return self._answers.setdefault((template.origin, template.shown), {})

    @property
    def typed(self) -> WizardInput:
        """What the fields hold now."""
        return WizardInput(self.where, dict(self.given))

    def answer(self, name: str, value: Any) -> None:
        """Keep what stands in a field; MISSING for one that is as the template has it."""
        if name == WHERE:
            self.where = value
        elif value is MISSING:
            self.given.pop(name, None)
        else:
            self.given[name] = value

    def destination(self, where: str) -> str:
        """The folder that is meant, absolute."""
        return os.path.normpath(os.path.join(self.base, os.path.expanduser(where)))

    def place(self, destination: str) -> str:
        """A destination in few words: below the base from its name on, else in full."""
        inside = os.path.relpath(destination, self.base) if os.path.isabs(destination) else ".."
        if inside.split(os.sep)[0] == os.pardir:
            return destination
        return os.path.join(os.path.basename(self.base), inside).replace(os.sep, "/")

    # What a thread does.

    def begin(self, which: str | Template) -> LoadedTemplate:
        """Read a template that was listed, or one by its path or address."""
        try:
            if isinstance(which, str):
                with open_template(os.path.expanduser(which)) as template:
                    interview = Interview(template, "", confinement())
            else:
                interview = Interview(which, "", confinement())
        except (TemplateNotFound, TemplateFault) as error:
            return LoadedTemplate(None, str(error))
        count = len(interview.template.questions)
        if count > MAX_QUESTIONS:
            return LoadedTemplate(
                None, f"asks {count} questions, too many for a screen; skillstudio new takes them"
            )
        return LoadedTemplate(interview)

    def begin_with_scripts(self, folder: str) -> LoadedTemplate:
        """Read a folder of scripts, of which none is run."""
        try:
            interview = ScriptInterview(os.path.expanduser(folder), "")
        except NoScripts as error:
            return LoadedTemplate(None, str(error))
        return LoadedTemplate(interview, scripts=tuple(script_summaries(interview.gathered)))

    def look(self, typed: WizardInput) -> WizardState:
        """Ask every question with the answers as they are, and look at the destination."""
        destination = self.destination(typed.where)
        fault = _where_fault(typed.where, destination)
        try:
            with self._working() as interview:
                interview.folder = name_of(destination) if typed.where.strip() else ""
                asked = tuple(interview.walk(typed.given))
                name = interview.name_question
        except (TemplateFault, RendererMissing) as error:
            return WizardState(typed, destination, (), fault, trouble=str(error))
        found = next((each.answer for each in asked if each.name == name), "")
        namesake = self.names.get(found, "") if isinstance(found, str) else ""
        return WizardState(typed, destination, asked, fault, name, namesake)

    def draw(self, state: WizardState) -> WizardPreview:
        """Render the template and check the result; nothing is written."""
        answers = {each.name: each.answer for each in state.asked if each.answer is not MISSING}
        try:
            with self._working() as interview:
                interview.folder = name_of(state.destination)
                made = draft(interview, answers, _settings(state.destination))
        except (TemplateFault, RendererMissing) as error:
            return WizardPreview(state, None, str(error))
        except OSError as error:
            return WizardPreview(
                state, None, f"the settings cannot be read: {error.strerror or error}"
            )
        return WizardPreview(state, made)

    def create(self, preview: WizardPreview) -> str:
        """Write what was previewed where nothing is yet; why it was not, "" where it was."""
        if preview.draft is None:
            return preview.trouble
        try:
            create(preview.draft, preview.state.destination)
        except NotPlaced as error:
            return str(error)
        return ""

    # The process that renders.

    def take(self, interview: Interview) -> None:
        """Go on with a template that was read."""
        self.close()
        self._interview = interview

    def interrupt(self) -> None:
        """End what is being rendered now; what waits for it hears of a fault."""
        with self._lock:
            if self._busy is not None:
                self._busy.end()

    def close(self) -> None:
        """Let go of the template and its process; the answers are kept."""
        with self._lock:
            old, self._interview = self._interview, None
            busy = old is not None and old is self._busy
        if old is not None and busy:
            # Its thread closes it: the streams are in use there.
            old.end()
        elif old is not None:
            old.close()

    @contextmanager
    def _working(self) -> Iterator[Interview]:
        """The interview, in use until the end; closed then where it was let go meanwhile."""
        with self._lock:
            interview = self._busy = self._interview
        if interview is None:
            raise TemplateFault("no template is chosen")
        try:
            yield interview
        finally:
            with self._lock:
                self._busy = None
                gone = self._interview is not interview
            if gone:
                interview.close()


def _free_name(base: str) -> str:
    number, name = 1, _USUAL
    while os.path.lexists(os.path.join(base, name)):
        number += 1
        name = f"{_USUAL}-{number}"
    return name


def _where_fault(where: str, destination: str) -> str:
    return where_fault(destination) if where.strip() else "is empty: name a new folder"


def _settings(destination: str) -> SkillSettings:
    """The settings that hold where the skill will lie. Raises OSError."""
    from skillstudio.settings.read import read_settings
    from skillstudio.settings.settings import find_settings
    from skillstudio.text.source import Source, decode

    file = find_settings(os.path.dirname(destination))
    if file is None:
        return NO_SETTINGS
    with open(file, "rb") as stream:
        text, _ = decode(stream.read())
    inside = os.path.relpath(destination, os.path.dirname(file)).replace(os.sep, "/")
    return read_settings(Source(text, file)).for_skill(inside)

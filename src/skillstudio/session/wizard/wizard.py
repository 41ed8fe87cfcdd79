"""The wizard for a new skill: its folder, its template, the answers, the preview.

`begin`, `begin_with_scripts`, `look` and `draw` may be called in a thread. `look` and `draw` share
the process that renders, so only one of them runs at a time; `interrupt` and `close` may be called
meanwhile.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from skillstudio.dryrun.isolation.landlock import confinement
from skillstudio.files.paths import make_relative
from skillstudio.files.placing import NotPlaced
from skillstudio.resources import is_installed
from skillstudio.scaffold.destination import where_fault
from skillstudio.scaffold.new.catalogue import TemplateNotFound, list_templates, open_template
from skillstudio.scaffold.new.copier_file import TemplateFault
from skillstudio.scaffold.new.creation import as_written, create, draft, name_of
from skillstudio.scaffold.new.interview import Interview
from skillstudio.scaffold.new.renderer import RendererMissing
from skillstudio.scaffold.new.scripts.drafting import ScriptInterview
from skillstudio.scaffold.new.scripts.gathering import NoScripts
from skillstudio.scaffold.new.template import MISSING, Template
from skillstudio.session.examples import free_path
from skillstudio.session.wizard.state import (
    WHERE,
    LoadedTemplate,
    WizardInput,
    WizardPreview,
    WizardState,
    script_summaries,
)
from skillstudio.session.workspace import Workspace
from skillstudio.skill.discover import skill_around

MAX_QUESTIONS = 100
_USUAL = "new-skill"


class TemplateChoice(NamedTuple):
    """A template to choose, or the problem of an invalid one."""

    name: str
    template: Template | None = None
    fault: str = ""


def list_offers() -> list[TemplateChoice]:
    """The available templates by name, including invalid ones. Reads the disk."""
    listing = list_templates()
    offers = [TemplateChoice(name, template) for name, template in listing.templates.items()]
    for fault in listing.faults:
        folder = os.path.dirname(fault.path) if fault.path.endswith((".yml", ".yaml")) else ""
        offers.append(TemplateChoice(os.path.basename(folder or fault.path), None, str(fault)))
    return sorted(offers, key=lambda offer: offer.name)


def base_for(folder: str) -> str:
    """The parent folder for new skills: outside of skills and of the installation."""
    base = os.getcwd() if is_installed(folder) else os.path.abspath(folder)
    while around := skill_around(os.path.join(base, _USUAL)):
        base = os.path.dirname(around)
    return base


class Wizard:
    """The state of one new skill. It has a process, so it must be closed."""

    def __init__(self, base: str, names: Mapping[str, str] | None = None) -> None:
        """`base` is the parent of relative folders; `names` the folders of skills by name."""
        self.base = base
        self.names = dict(names or {})
        self.where = os.path.basename(free_path(os.path.join(base, _USUAL)))
        self._answers: dict[tuple[str, str], dict[str, Any]] = {}
        self._lock = threading.Lock()
        self._interview: Interview | None = None
        self._busy: Interview | None = None

    @property
    def template(self) -> Template | None:
        """The chosen template."""
        return self._interview.template if self._interview is not None else None

    @property
    def answers(self) -> dict[str, Any]:
        """The answers to the questions of the chosen template."""
        template = self.template
        if template is None:
            return {}
        return self._answers.setdefault((template.origin, template.location), {})

    @property
    def content(self) -> WizardInput:
        """The current content of the fields."""
        return WizardInput(self.where, dict(self.answers))

    def answer(self, name: str, value: Any) -> None:
        """Store the content of a field; MISSING for the template's default."""
        if name == WHERE:
            self.where = value
        elif value is MISSING:
            self.answers.pop(name, None)
        else:
            self.answers[name] = value

    def destination(self, where: str) -> str:
        """The absolute path of a typed folder."""
        return os.path.normpath(os.path.join(self.base, os.path.expanduser(where)))

    def place(self, destination: str) -> str:
        """A destination for people: relative to the base's parent if it is below the base."""
        inside = make_relative(destination, self.base) if os.path.isabs(destination) else ".."
        if inside.split(os.sep)[0] == os.pardir:
            return destination
        return os.path.join(os.path.basename(self.base), inside).replace(os.sep, "/")

    def begin(self, which: str | Template) -> LoadedTemplate:
        """Read a listed template, or one by its path or address."""
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
            message = f"{count} questions are too many for the wizard; use `skillstudio new`"
            return LoadedTemplate(None, message)
        return LoadedTemplate(interview)

    def begin_with_scripts(self, folder: str) -> LoadedTemplate:
        """Read a folder of scripts without running any."""
        try:
            interview = ScriptInterview(os.path.expanduser(folder), "")
        except NoScripts as error:
            return LoadedTemplate(None, str(error))
        return LoadedTemplate(interview, scripts=tuple(script_summaries(interview.script_folder)))

    def look(self, content: WizardInput) -> WizardState:
        """Evaluate every question with the given answers, and check the destination."""
        destination = self.destination(content.where)
        fault = (
            where_fault(destination) if content.where.strip() else "enter a name for a new folder"
        )
        try:
            with self._use_interview() as interview:
                interview.folder = name_of(destination) if content.where.strip() else ""
                questions = tuple(interview.walk(content.answers))
                name = interview.name_question
        except (TemplateFault, RendererMissing) as error:
            return WizardState(content, destination, (), fault, trouble=str(error))
        answer = next((question.answer for question in questions if question.name == name), "")
        namesake = self.names.get(answer, "") if isinstance(answer, str) else ""
        return WizardState(content, destination, questions, fault, name, namesake)

    def draw(self, state: WizardState) -> WizardPreview:
        """Render the template and check the result, without writing it."""
        answers = {
            question.name: question.answer
            for question in state.questions
            if question.answer is not MISSING
        }
        try:
            with self._use_interview() as interview:
                interview.folder = name_of(state.destination)
                parent, name = os.path.split(state.destination)
                skill_draft = draft(interview, answers, Workspace(parent).settings(name))
        except (TemplateFault, RendererMissing) as error:
            return WizardPreview(state, None, str(error))
        except OSError as error:
            message = f"the settings cannot be read: {error.strerror or error}"
            return WizardPreview(state, None, message)
        return WizardPreview(state, as_written(skill_draft, state.destination))

    def create(self, preview: WizardPreview) -> str:
        """Write the previewed files to a new folder; return why that failed, else ""."""
        if preview.draft is None:
            return preview.trouble
        try:
            create(preview.draft, preview.state.destination)
        except NotPlaced as error:
            return str(error)
        return ""

    def take(self, interview: Interview) -> None:
        """Choose a template that was read."""
        self.close()
        self._interview = interview

    def interrupt(self) -> None:
        """End the current rendering, which then reports a fault."""
        with self._lock:
            if self._busy is not None:
                self._busy.end()

    def close(self) -> None:
        """Close the template and its process; the answers are kept."""
        with self._lock:
            old, self._interview = self._interview, None
            busy = old is not None and old is self._busy
        if old is not None and busy:
            # Its thread closes it, because the streams are in use there.
            old.end()
        elif old is not None:
            old.close()

    @contextmanager
    def _use_interview(self) -> Iterator[Interview]:
        """The interview while it is used; it is closed afterwards if another one was chosen."""
        with self._lock:
            interview = self._busy = self._interview
        if interview is None:
            raise TemplateFault("no template is chosen")
        try:
            yield interview
        finally:
            with self._lock:
                self._busy = None
                was_replaced = self._interview is not interview
            if was_replaced:
                interview.close()

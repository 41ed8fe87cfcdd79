"""The rows of the form, without a widget: the visible fields with their diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.focus import around
from skillstudio.manifest.registry import schema_of
from skillstudio.session.form.fields import FormField, fields
from skillstudio.text.diagnostic import SEVERITIES, Diagnostic, Set
from skillstudio.text.node import Document, join_pointer

Key = tuple[int, str]  # A row: the number of its section, and the pointer.


class Section(NamedTuple):
    """The manifests of a file that share one document."""

    title: str
    document: Document
    manifests: tuple[Manifest, ...]


class FormRow(NamedTuple):
    """One line of the form."""

    section: int
    field: FormField
    open: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()  # The diagnostics of this field, the worst first.
    inside: tuple[Diagnostic, ...] = ()  # The diagnostics of fields below it that are not visible.

    @property
    def key(self) -> Key:
        return self.section, self.field.pointer

    @property
    def parent(self) -> Key:
        return self.section, self.field.pointer.rpartition("/")[0]


class Sheet:
    """The manifests of one file as rows; remembers which the user opened and closed."""

    def __init__(self) -> None:
        self.sections: tuple[Section, ...] = ()
        self.rows: list[FormRow] = []
        self._open_states: dict[Key, bool] = {}

    def forget(self) -> None:
        """Open the rows that are open by default, as for another file."""
        self._open_states.clear()

    def set_open(self, key: Key, open_: bool) -> None:
        """Open or close a container, with the next `show`."""
        self._open_states[key] = open_

    def forget_below(self, key: Key) -> None:
        """Forget which rows were open in a list whose items were renumbered."""
        section, pointer = key
        for row_key in [
            k for k in self._open_states if k[0] == section and k[1].startswith(pointer + "/")
        ]:
            del self._open_states[row_key]

    def reveal(self, key: Key) -> None:
        """Open all parents of a row."""
        section, pointer = key
        while pointer:
            pointer = pointer.rpartition("/")[0]
            self._open_states[section, pointer] = True

    def show(self, manifests: Sequence[Manifest], diagnostics: Sequence[Diagnostic]) -> None:
        """Make the rows of a file's manifests, with the diagnostics of that file."""
        self.sections = _sections(manifests)
        self.rows = []
        for number, section in enumerate(self.sections):
            self.rows += self._rows(number, section, diagnostics)

    def index(self, key: Key) -> int | None:
        """Return the index of a row."""
        return next((at for at, row in enumerate(self.rows) if row.key == key), None)

    def row(self, key: Key) -> FormRow | None:
        """Return a visible row."""
        return next((row for row in self.rows if row.key == key), None)

    def place_of(self, diagnostic: Diagnostic) -> Key | None:
        """Return the row of a diagnostic, visible or not."""
        for number, section in enumerate(self.sections):
            pointer = _pointer(section, diagnostic)
            if pointer is not None:
                return number, pointer
        return None

    def at_offset(self, offset: int) -> Key | None:
        """Return the row at an offset of the text."""
        for number, section in enumerate(self.sections):
            start, end = section.document.span
            if start <= offset <= end:
                here = around(section.document, offset)
                return number, join_pointer(here.pointer) if here else ""
        return None

    def _rows(
        self, number: int, section: Section, diagnostics: Sequence[Diagnostic]
    ) -> list[FormRow]:
        is_open = partial(self._is_open, number)
        rows = []
        if len(self.sections) > 1:
            head = FormField("", section.title, "group", present=True, size=0)
            rows.append(FormRow(number, head, is_open(head)))
        if not rows or rows[0].open:
            schemas = [schema_of(manifest.dialect, manifest.part) for manifest in section.manifests]
            section_fields = fields(section.document, schemas, is_open)
            rows += [FormRow(number, field, is_open(field)) for field in section_fields]
        return _with_diagnostics(rows, section, diagnostics)

    def _is_open(self, number: int, field: FormField) -> bool:
        if not field.is_container:
            return False
        # The values of a short list are in its own row.
        has_values = field.kind == "list" and field.item and not field.item.is_container
        default = field.present and field.place == "key" and (field.size > 0 or not field.pointer)
        return self._open_states.get(
            (number, field.pointer), default and not (has_values and field.summary)
        )


def _sections(manifests: Sequence[Manifest]) -> tuple[Section, ...]:
    together: dict[int, list[Manifest]] = {}
    for manifest in manifests:
        together.setdefault(manifest.document.span.start, []).append(manifest)
    return tuple(
        Section(
            " + ".join(dict.fromkeys(manifest.dialect.title for manifest in group)),
            group[0].document,
            tuple(group),
        )
        for group in together.values()
    )


def _with_diagnostics(
    rows: list[FormRow], section: Section, diagnostics: Sequence[Diagnostic]
) -> list[FormRow]:
    at = {row.field.pointer: index for index, row in enumerate(rows)}
    row_diagnostics: dict[int, list[Diagnostic]] = {}
    inside: dict[int, list[Diagnostic]] = {}
    for diagnostic in sorted(
        diagnostics, key=lambda diagnostic: SEVERITIES.index(diagnostic.severity or "error")
    ):
        pointer = _pointer(section, diagnostic)
        if pointer is None:
            continue
        ancestor = pointer
        while ancestor not in at and ancestor:
            ancestor = ancestor.rpartition("/")[0]
        if ancestor in at:
            (row_diagnostics if ancestor == pointer else inside).setdefault(
                at[ancestor], []
            ).append(diagnostic)
    return [
        row._replace(
            diagnostics=tuple(row_diagnostics.get(index, ())), inside=tuple(inside.get(index, ()))
        )
        if index in row_diagnostics or index in inside
        else row
        for index, row in enumerate(rows)
    ]


def _pointer(section: Section, diagnostic: Diagnostic) -> str | None:
    """The pointer of a diagnostic's field in a section.

    A missing key is reported at its parent; its fix has the key. A diagnostic of a parser has only
    a span.
    """
    span = section.document.span
    dialects = {manifest.dialect.id for manifest in section.manifests}
    if diagnostic.dialect and diagnostic.dialect not in dialects:
        return None
    if diagnostic.pointer or diagnostic.rule == "key-missing":
        edits = [edit for fix in diagnostic.fixes for edit in fix.edits]
        edit = edits[0] if len(edits) == 1 else None
        if isinstance(edit, Set) and section.document.at(edit.pointer) is None:
            return edit.pointer
        return diagnostic.pointer
    if diagnostic.span is None or not span.start <= diagnostic.span.start <= span.end:
        return "" if diagnostic.dialect else None
    here = around(section.document, diagnostic.span.start)
    return join_pointer(here.pointer) if here else ""

"""The record of a skill's template: where it came from, the answers, and what it rendered.

The file has the name and the keys of Copier's answers file; `_skillstudio` is ours. It contains the
rendered files, so that an update needs nothing but the repository of the skill: the old version of
an included template, or of a folder, is nowhere else.
"""

from __future__ import annotations

import base64
import json
import os
import textwrap
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio import __version__
from skillstudio.files.paths import below, make_relative
from skillstudio.files.tree import FileTree
from skillstudio.files.workspace import workspace_of
from skillstudio.scaffold.new.copier_file import NotYaml, read_value
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.rendering import RenderedSkill
from skillstudio.scaffold.new.template import MISSING
from skillstudio.skill.discover import TEMPLATE_RECORD
from skillstudio.text.conflict import conflicts
from skillstudio.text.yaml_text import yaml_text

FILE = TEMPLATE_RECORD
INCLUDED_PREFIX = "skillstudio:"
"""The start of the source of an included template; its version is that of skillstudio."""
IGNORE_FILE = ".skillignore"
_HEAD = "# Written for `skillstudio update`: commit it with the skill, and do not edit it.\n"
_LARGEST = 16 << 20  # Bytes of a record, and of the files in it.
_SHORTEST_SECRET = 4
_RESTORE = "restore it from the version control of the skill"


class RecordRefused(Exception):
    """A record that cannot be used; the message says why."""


class TemplateRecord(NamedTuple):
    """What is known about the template of a skill."""

    source: str
    """`skillstudio:NAME`, an address, a name, or a path relative to the skill; "" if unknown."""
    version: str  # A tag or commit, or the version of skillstudio for an included template.
    answers: dict[str, Any]
    folder: str = ""  # The name of the folder that the template was rendered for.
    files: dict[str, bytes] | None = None
    """The rendered files; None if another program has written the record."""
    executable: frozenset[str] = frozenset()
    ref: str = ""  # The branch, or HEAD, of the template that updates follow.


def record_of(
    interview: Interview,
    questions: Sequence[AskedQuestion],
    rendered_skill: RenderedSkill,
    destination: str,
) -> TemplateRecord:
    """The record of a skill that is created or updated now, without sensitive answers."""
    template = interview.template
    version = __version__ if template.origin == "package" else template.commit
    return TemplateRecord(
        _source(interview, destination),
        version,
        {
            question.name: question.answer
            for question in questions
            if question.is_shown and not question.question.secret and question.answer is not MISSING
        },
        interview.folder,
        {
            path: _replace_all(data, _secrets(questions))
            for path, data in rendered_skill.files.items()
        },
        rendered_skill.executable,
        template.ref,
    )


def with_secrets(data: bytes, questions: Sequence[AskedQuestion]) -> bytes:
    """A recorded file with the sensitive answers instead of their placeholders."""
    return _replace_all(data, [(to, secret) for secret, to in _secrets(questions)])


def _secrets(questions: Sequence[AskedQuestion]) -> list[tuple[bytes, bytes]]:
    """The sensitive answers, and what is recorded instead; longer ones first."""
    pairs = [
        (
            str(question.answer).encode("utf-8", "replace"),
            f"<{question.name} is not recorded>".encode(),
        )
        for question in questions
        if question.question.secret and question.answer is not MISSING
    ]
    return sorted(
        (pair for pair in pairs if len(pair[0]) >= _SHORTEST_SECRET),
        key=lambda pair: -len(pair[0]),
    )


def _replace_all(data: bytes, pairs: Sequence[tuple[bytes, bytes]]) -> bytes:
    for old, new in pairs:
        data = data.replace(old, new)
    return data


def _source(interview: Interview, destination: str) -> str:
    template = interview.template
    if template.origin == "package":
        return f"{INCLUDED_PREFIX}{template.name}"
    if template.origin == "user":
        return template.name
    if template.origin == "git":
        return template.location
    root = getattr(template.tree, "root", "")
    skill = os.path.realpath(destination)
    if not root or below(os.path.realpath(root), workspace_of(os.path.dirname(skill))) is None:
        return ""  # A path of this machine means nothing to others.
    inside = make_relative(os.path.realpath(root), skill).replace(os.sep, "/")
    return inside if inside.startswith(".") else f"./{inside}"


def recorded_files(record: TemplateRecord, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files to write beside those of a new skill: the record, excluded from its digests."""
    ignore_bytes = files.get(IGNORE_FILE, b"")
    start = (
        ignore_bytes if not ignore_bytes or ignore_bytes.endswith(b"\n") else ignore_bytes + b"\n"
    )
    return {FILE: write_record(record), IGNORE_FILE: start + f"/{FILE}\n".encode()}


def write_record(record: TemplateRecord) -> bytes:
    """The bytes of a record."""
    contents = {
        "files": {path: _text(data) for path, data in sorted((record.files or {}).items())},
        "executable": sorted(record.executable),
    }
    data = zlib.compress(json.dumps(contents).encode(), 9)
    section = {
        "folder": record.folder,
        **({"ref": record.ref} if record.ref else {}),
        "rendered": _wrap_text(base64.b64encode(data).decode()),
    }
    head = {"_src_path": record.source} if record.source else {}
    head |= {"_commit": record.version} if record.version else {}
    values = {**head, **record.answers, "_skillstudio": section}
    return (_HEAD + yaml_text(values)).encode("utf-8", "replace")


def _wrap_text(text: str) -> str:
    return "\n".join(textwrap.wrap(text, 96)) + "\n"


def read_record(tree: FileTree) -> TemplateRecord:
    """The record of a skill. Raises RecordRefused."""
    if tree.kind(FILE) != "file":
        raise RecordRefused(f"it has no {FILE}, so its template is unknown")
    try:
        data = tree.read(FILE, _LARGEST + 1)
        if len(data) > _LARGEST:
            raise RecordRefused(f"{FILE} is larger than {_LARGEST >> 20} MiB")
    except OSError as error:
        raise RecordRefused(f"{FILE}: {error.strerror or error}") from None
    return parse_record(data, tree.name)


def parse_record(data: bytes, folder_name: str = "") -> TemplateRecord:
    """The record in a file. Raises RecordRefused."""
    try:
        text = data.decode("utf-8-sig")
        for start, _ in conflicts(text)[:1]:
            line = text.count("\n", 0, start) + 1
            raise RecordRefused(
                f"{FILE}:{line} has a conflict of a merge; keep one side of the whole file, with "
                f"git checkout --ours or --theirs {FILE}, then update again"
            )
        values = read_value(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RecordRefused(f"{FILE}:{line} is not UTF-8; {_RESTORE}") from None
    except NotYaml as fault:
        place = f"{FILE}:{fault.line}" if fault.line else FILE
        raise RecordRefused(f"{place}: {fault}; {_RESTORE}") from None
    if not isinstance(values, dict):
        raise RecordRefused(f"{FILE} is not a mapping")
    section = values.get("_skillstudio")
    section = section if isinstance(section, dict) else {}
    answers = {key: answer for key, answer in values.items() if str(key)[:1] != "_"}
    files, executable = (
        (None, frozenset[str]()) if not section else _unpack_files(section.get("rendered"))
    )
    source, version = (str(values.get(key) or "") for key in ("_src_path", "_commit"))
    folder, ref = str(section.get("folder") or folder_name), str(section.get("ref") or "")
    return TemplateRecord(source, version, answers, folder, files, executable, ref)


def _unpack_files(encoded_files: Any) -> tuple[dict[str, bytes], frozenset[str]]:
    """The rendered files, and the executable ones. Raises RecordRefused."""
    try:
        reader = zlib.decompressobj()
        data = reader.decompress(base64.b64decode(str(encoded_files)), _LARGEST)
        if reader.unconsumed_tail or not reader.eof:
            raise ValueError("too large")
        value = json.loads(data)
        files = {str(path): _bytes(content) for path, content in value["files"].items()}
        return files, frozenset(map(str, value["executable"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, zlib.error):
        raise RecordRefused(f"{FILE} is damaged; {_RESTORE}") from None


def _text(data: bytes) -> Any:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return [base64.b64encode(data).decode()]


def _bytes(text: Any) -> bytes:
    return text.encode() if isinstance(text, str) else base64.b64decode(text[0])

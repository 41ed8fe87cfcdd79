"""A skill of another dialect as a job."""

from __future__ import annotations

from skillstudio.interface.model import token
from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Dialect


def put(source: ConversionSource, draft: DocumentDraft, target: Dialect, name: str) -> None:
    """Put the name, the version, the description and the inputs."""
    draft.invent(("format",), int(target.versions[0]), "the version of the format")
    draft.invent(("job", "id"), f"jobs.{name}", "a job has an id")
    draft.carry(("job", "name"), name, *source.stating("name"))
    stating = source.stating("version")
    if stating:
        draft.carry(("job", "version"), source.text(stating[0]), *stating)
    else:
        draft.invent(("job", "version"), "0.1.0", "a job has a version")
    stating = source.stating("description")
    if stating:
        draft.carry(("job", "description"), source.text(stating[0]), *stating)
    for operation in source.interface.operations[:1]:
        for each in operation.inputs:
            leaves = source.at(f"{operation.pointer}/inputs/{token(each.name)}")
            draft.carry(("inputs", each.name, "required"), each.required, *leaves, how="a key")

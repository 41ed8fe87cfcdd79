"""What a job promises."""

from __future__ import annotations

from skillstudio.interface.model import Entrypoint, Input, Interface, Operation, Output, Term, token
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.places import Places
from skillstudio.manifest.values import mappings, members, sequence, stated_text, strings, text


def project(manifest: Manifest, _skill: Skill) -> Interface:
    """One operation without a name."""
    value = manifest.document.value
    places = Places(manifest)
    places.key("/name", "/job/name")
    places.key("/description", "/job/description")
    priority = text(value, "job", "priority")
    places.key("/terms/job-priority", "/job/priority")
    places.key("/entrypoints/any", "/command")
    for at, effect in strings(value, "effects"):
        places.value(f"/effects/{token(effect)}", at)
    inputs = []
    for at, name, given in members(value, "inputs"):
        places.key(f"/inputs/{token(name)}", at)
        places.key(f"/inputs/{token(name)}/required", f"{at}/required")
        places.key(f"/inputs/{token(name)}/description", f"{at}/about")
        required = isinstance(given, dict) and given.get("required") is True
        about = text(given, "about") or ""
        inputs.append(Input(name, {"type": "string"}, required, description=about))
    argv = tuple(each for each in sequence(value, "command") if isinstance(each, str))
    version = stated_text(manifest.document, "/format")
    programs = tuple(each for _, each in strings(value, "programs"))
    places.key("/permissions/job-programs", "/programs")
    return Interface(
        name=text(value, "job", "name") or "",
        description=text(value, "job", "description") or "",
        manifest_versions={manifest.dialect.id: version} if version else {},
        declared=True,
        operations=(
            Operation(
                "",
                inputs=tuple(inputs),
                outputs=tuple(
                    Output(text(each, "pattern") or "", text(each, "base") or "repo_root")
                    for _, each in mappings(value, "outputs")
                ),
                entrypoints=(Entrypoint("any", argv),) if argv else (),
                effects=tuple(effect for _, effect in strings(value, "effects")),
            ),
        ),
        permissions=(Term("job-programs", programs, "allow-list"),) if programs else (),
        terms=(Term("job-priority", priority, "text"),) if priority else (),
        places=places,
    )

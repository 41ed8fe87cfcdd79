"""What the manifest says a run does, in its own words, and what of that asks for consent."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.interface.model import Interface, Operation, Term

_ASKS = {"db.write", "git.write", "net.fetch", "net.http", "network", "net"}
"""Effects and permissions that change or reach what a copy of two folders does not hold."""


def declared(interface: Interface, operation: Operation) -> tuple[str, ...]:
    """Effects, permissions and hints of a run as the manifest words them, each once."""
    found = [*operation.effects]
    for term in interface.permissions:
        found += _words(term)
    if interface.execution is not None:
        found += [name for name in ("destructive", "network") if getattr(interface.execution, name)]
    return tuple(dict.fromkeys(found))


def consents(interface: Interface, operation: Operation) -> Iterator[str]:
    """Why a run that is not isolated asks first."""
    if interface.execution is not None and interface.execution.destructive:
        yield "the manifest says that a run is destructive"
    if interface.execution is not None and interface.execution.network:
        yield "the manifest says that a run uses the network"
    for effect in operation.effects:
        if effect in _ASKS:
            yield f"the manifest declares the effect {effect}"
    for term in interface.permissions:
        name = term.key if term.name == "capability" else term.label or term.name
        if name in _ASKS and term.value:
            yield f"the manifest asks for {name}"


def _words(term: Term) -> list[str]:
    name = term.key if term.name == "capability" else term.label or term.name
    if term.comparer == "switch":
        return [name] if term.value else []
    if term.comparer == "set":
        return []  # What is forbidden, such as programs that are blocked.
    if isinstance(term.value, tuple):
        return [f"{name} {each}" for each in term.value]
    return [f"{name} {term.value}"]

"""What a proto must give to a job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skillstudio.manifest.hook_values import BindingProblem
from skillstudio.manifest.values import members


def check_binding(manifest: Any, inputs: Mapping[str, object]) -> Iterator[BindingProblem]:
    """Every required input."""
    for _, name, given in members(manifest, "inputs"):
        if isinstance(given, dict) and given.get("required") is True and name not in inputs:
            yield BindingProblem("binding-input-unmapped", f"the job needs {name}", name)

"""The programs to compare with, each in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent / ".peers"
REQUIREMENTS = {
    "checkers": ["agnix==0.59.3", "check-jsonschema==0.39.0", "skills-ref==0.1.1"],
    "posting": ["posting==2.11.1", "tree-sitter<0.26"],
    "harlequin": ["harlequin==2.17.0"],
    "subschema": ["jsonsubschema==0.0.8", "greenery==4.2.3"],
    "griffe": ["griffe==2.4.1"],
}


def program(environment: str, name: str) -> str | None:
    """The path of a peer's program, installed where it is not; None where it cannot be."""
    folder = HERE / environment
    path = folder / "bin" / name
    if not path.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        done = subprocess.run([*pip, *REQUIREMENTS[environment]], check=False)
        if done.returncode:
            print(f"{name} could not be installed, so it is left out", file=sys.stderr)
    return str(path) if path.exists() else None

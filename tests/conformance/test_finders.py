"""Our finders beside the real programs, where these are at hand; see tests/oracles/finders.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.oracles.finders import REPOSITORIES, find, names_of, program_of

CASES = [(target, name) for target, named in REPOSITORIES.items() for name in named]


@pytest.mark.parametrize(("target", "name"), CASES)
def test_the_program_finds_what_its_record_says(target: str, name: str, tmp_path: Path) -> None:
    if program_of(target) is None:
        pytest.skip(f"the program of {target} is not here")
    repository = REPOSITORIES[target][name]
    assert find(target, repository, tmp_path) == names_of(repository)

"""Every leaf of manifests made at random is told of when they are migrated."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from tests.scaffold.conversion.difftest import assert_the_interfaces_differ_as_told
from tests.scaffold.conversion.leaftest import assert_every_leaf_is_told
from tests.scaffold.conversion.made import SKILLS

from skillstudio.files.listed import MemoryTree
from skillstudio.files.tree import Overlay
from skillstudio.manifest.conversion.migration import MigrationRefused
from skillstudio.manifest.locate import locate
from skillstudio.manifest.registry import dialect
from skillstudio.scaffold.conversion.migrate import downgrade, migrate
from skillstudio.scaffold.conversion.source_checks import SourceUnusable

LIMITS = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def test_downgrading_tells_of_every_leaf() -> None:
    to = dialect("provenact-bundle")
    assert to is not None
    reached = []

    @LIMITS
    @given(SKILLS["provenact-1"])
    def told(files: dict[str, bytes]) -> None:
        tree = MemoryTree(files, "notes")
        located = locate(tree)
        try:
            done = downgrade(located, to)
        except SourceUnusable:
            return
        except MigrationRefused:
            if located.skill.manifests:
                raise
            return
        new = locate(Overlay(tree, {done.path: done.new.encode()})).skill
        assert_every_leaf_is_told(done.report, located.skill, new)
        assert_the_interfaces_differ_as_told(done.report, located.skill, new)
        reached.append(done)

    told()
    assert len(reached) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("system", ["router-manifest-1", "frontmatter-1.0", "both"])
def test_migrating_tells_of_every_leaf(system: str) -> None:
    reached = []

    @settings(LIMITS, max_examples=80)
    @given(SKILLS[system])
    def told(files: dict[str, bytes]) -> None:
        tree = MemoryTree(files, "notes")
        located = locate(tree)
        try:
            done = migrate(located)
        except (MigrationRefused, SourceUnusable):
            return
        if done is not None:
            new = locate(Overlay(tree, {done.path: done.new.encode()})).skill
            assert_every_leaf_is_told(done.report, located.skill, new)
            reached.append(done)

    told()
    assert len(reached) >= 2

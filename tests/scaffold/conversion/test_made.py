"""Every leaf of manifests made at random is told of, whatever they are made into."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.scaffold.conversion.difftest import assert_the_interfaces_differ_as_told
from tests.scaffold.conversion.leaftest import assert_every_leaf_is_told
from tests.scaffold.conversion.made import SKILLS

from skillstudio.files.listed import MemoryTree
from skillstudio.files.tree import Overlay
from skillstudio.manifest.conversion.migration import MigrationRefused
from skillstudio.manifest.locate import locate
from skillstudio.manifest.registry import conversion_targets
from skillstudio.scaffold.conversion.convert import ConversionRefused, convert
from skillstudio.scaffold.conversion.migrate import migrate
from skillstudio.scaffold.conversion.source_checks import SourceUnusable

TARGETS = [each.id for each in conversion_targets() if each.carrier != "file"]
CASES = [(system, to) for system in SKILLS for to in TARGETS]
CASES.append(("provenact-1", "provenact-bundle"))
LIMITS = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


@pytest.mark.parametrize(("system", "to"), CASES)
def test_converting_tells_of_every_leaf(system: str, to: str) -> None:
    reached = []

    @LIMITS
    @given(SKILLS[system], st.booleans())
    def told(files: dict[str, bytes], beside: bool) -> None:
        located = locate(MemoryTree(files, "notes"))
        try:
            made = convert(located, to, "notes", beside)
        except SourceUnusable:
            return
        except ConversionRefused as error:
            if not re.search("no manifest|already|contains the old", str(error)):
                raise
            return
        new = locate(made.tree).skill
        if beside:
            kept = tuple(each for each in new.manifests if each.path in made.texts)
            new = new._replace(manifests=kept)
        assert_every_leaf_is_told(made.report, located.skill, new)
        if not beside:
            assert_the_interfaces_differ_as_told(made.report, located.skill, new)
        reached.append(beside)

    told()
    assert reached.count(False) >= 4


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

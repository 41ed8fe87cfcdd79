"""What is packed and unpacked is the skill that it was, to the digest."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.scaffold.packing.conftest import MANIFEST, Make

from skillstudio.files.archive_entries import MemoryContents
from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import ListedEntry, ListedTree
from skillstudio.files.placing import tree_fault
from skillstudio.manifest.project import project
from skillstudio.scaffold.packing.oci import layout
from skillstudio.scaffold.packing.packing import Format, PackPlan, archive, plan
from skillstudio.scaffold.packing.unpacking import read_packed, unpack
from skillstudio.skill.hashing.content_hash import content_hash, hash_tree

FORMATS: dict[Format, str] = {"zip": "a.zip", "tar.gz": "a.tgz", "oci": "layout"}
EXAMPLES = Path(__file__).parents[3] / "examples"

parts = st.text(
    st.sampled_from("abcXYZ019 -_.é語🙂") | st.characters(codec="utf-8", categories=["L", "N"]),
    min_size=1,
    max_size=12,
)
paths = st.lists(parts, min_size=1, max_size=4).map("/".join)
files = st.dictionaries(paths, st.tuples(st.binary(max_size=300), st.booleans()), max_size=8)


def write(packing: PackPlan, format: Format, folder: Path, compress: bool = False) -> Path:
    target = folder / FORMATS[format]
    data = archive(packing, format, compress)
    if format != "oci":
        target.write_bytes(data)
        return target
    skill = packing.analysis.skill
    for path, blob in layout(packing.root, data, skill, project(skill)).files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_bytes(blob)
    return target


def tree_of(found: dict[str, tuple[bytes, bool]]) -> ListedTree:
    held = MemoryContents()
    entries = {}
    for path, (data, executable) in found.items():
        held.data[path] = data
        entries[path] = ListedEntry("file", 0o755 if executable else 0o644, len(data), path)
    return ListedTree("plain", entries, held)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(files, st.sampled_from(sorted(FORMATS)), st.booleans())
def test_any_tree_has_the_digest_that_it_had(
    found: dict[str, tuple[bytes, bool]], format: Format, compress: bool
) -> None:
    whole = {**found, "SKILL.md": (MANIFEST.format(name="plain").encode(), False)}
    assume(not tree_fault(whole))
    tree = tree_of(whole)
    packing = plan(tree, format)
    assume(not packing.selection.exclusions)
    with tempfile.TemporaryDirectory() as folder:
        [unpacked] = read_packed(str(write(packing, format, Path(folder), compress))).skills
        target = os.path.join(folder, "new", "skill")
        unpack(unpacked, target)
        back = DiskTree(target)
        assert content_hash(back) == content_hash(tree) == packing.content_hash
        assert unpacked.content_hash == packing.content_hash
        if os.name != "nt":
            assert hash_tree(back).tree_sha256 == hash_tree(tree).tree_sha256
        again = plan(back, format)
        assert archive(again, format, compress) == archive(packing, format, compress)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "name", sorted(path.name for path in EXAMPLES.iterdir() if path.name != "history")
)
def test_every_example_comes_back(name: str, format: Format, tmp_path: Path) -> None:
    tree = DiskTree(EXAMPLES / name)
    packing = plan(tree, format)
    target = tmp_path / "new"
    unpack(read_packed(str(write(packing, format, tmp_path))).skills[0], str(target))
    assert hash_tree(DiskTree(target))[:2] == hash_tree(packing.selection.tree)[:2]
    for path in packing.selection.paths:
        assert (target / path).read_bytes() == (EXAMPLES / name / path).read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_links_come_back_from_a_tar_file(make: Make, tmp_path: Path) -> None:
    tree = make({"a/b.md": "x", "link.md": "-> a/b.md", "a/up": "-> ..", "folder": "-> a"})
    target = tmp_path / "new"
    unpack(read_packed(str(write(plan(tree, "tar.gz"), "tar.gz", tmp_path))).skills[0], str(target))
    assert hash_tree(DiskTree(target))[:2] == hash_tree(tree)[:2]
    assert os.readlink(target / "a" / "up") == ".."


def test_the_ignore_file_itself_is_kept_and_still_holds(make: Make, tmp_path: Path) -> None:
    tree = make({".skillignore": "*.log\n", "a.log": "x"})
    packing = plan(tree, "zip")
    target = tmp_path / "new"
    unpack(read_packed(str(write(packing, "zip", tmp_path))).skills[0], str(target))
    assert sorted(os.listdir(target)) == [".skillignore", "SKILL.md"]
    assert content_hash(DiskTree(target)) == content_hash(tree)

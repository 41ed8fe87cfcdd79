"""An image layout as the OCI specification has it, and what is believed of one that is read."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.scaffold.packing.conftest import CARO, Make

from skillstudio.files.archive_entries import ArchiveRefused
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.project import project
from skillstudio.scaffold.packing.oci import Layout, is_layout, layout, open_layout
from skillstudio.scaffold.packing.packing import archive, plan

FRONT = (
    "---\nname: plain\ndescription: Says things. Use when things are said.\nlicense: MIT\n"
    "compatibility: Needs git\nallowed-tools: Bash(git:*) Read\n"
    'metadata:\n  version: "1.2.0+mac"\n  author: someone\n---\nSay.\n'
)
SCHEMA = json.loads((Path(__file__).parent / "oci.schema.json").read_text())


def made(tree: DiskTree) -> Layout:
    packing = plan(tree, "oci")
    skill = packing.analysis.skill
    return layout(packing.root, archive(packing, "oci"), skill, project(skill))


def parts(found: Layout) -> tuple[Any, Any, Any]:
    """Index, manifest and config."""

    def blob(descriptor: Any) -> Any:
        return json.loads(found.files["blobs/" + descriptor["digest"].replace(":", "/")])

    index = json.loads(found.files["index.json"])
    manifest = blob(index["manifests"][0])
    return index, manifest, blob(manifest["config"])


def valid(value: Any, part: str) -> None:
    jsonschema.Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{part}"}).validate(value)


@pytest.fixture
def written(make: Make, tmp_path: Path) -> Path:
    folder = tmp_path / "layout"
    for path, data in made(make({"SKILL.md": FRONT, "scripts/run.sh": "#!x"})).files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


@pytest.mark.parametrize("files", [{"SKILL.md": FRONT}, {"skill.toml": CARO}, {"a.md": "x" * 9999}])
def test_a_layout_is_as_the_specification_demands(
    make: Make, files: dict[str, str | bytes]
) -> None:
    found = made(make(files))
    index, manifest, _ = parts(found)
    valid(index, "index")
    valid(manifest, "manifest")
    valid(json.loads(found.files["oci-layout"]), "layout")
    assert found.digest == index["manifests"][0]["digest"]
    described = [index["manifests"][0], manifest["config"], *manifest["layers"]]
    for each in described:
        data = found.files["blobs/" + each["digest"].replace(":", "/")]
        assert each["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
        assert each["size"] == len(data)
    assert set(found.files) == {"index.json", "oci-layout"} | {
        "blobs/" + each["digest"].replace(":", "/") for each in described
    }


GONE = object()


@pytest.mark.parametrize(
    ("part", "where", "value"),
    [
        ("index", ["schemaVersion"], GONE),
        ("index", ["schemaVersion"], 1),
        ("index", ["mediaType"], "application/vnd.oci.image.manifest.v1+json"),
        ("index", ["manifests"], GONE),
        ("index", ["manifests", 0, "mediaType"], GONE),
        ("index", ["manifests", 0, "digest"], GONE),
        ("index", ["manifests", 0, "size"], GONE),
        ("index", ["manifests", 0, "size"], "1"),
        ("index", ["manifests", 0, "size"], -1),
        ("index", ["manifests", 0, "digest"], "sha256:" + "A" * 64),
        ("index", ["manifests", 0, "artifactType"], "no type"),
        ("index", ["manifests", 0, "annotations", "org.opencontainers.image.ref.name"], 1),
        ("manifest", ["schemaVersion"], GONE),
        ("manifest", ["config"], GONE),
        ("manifest", ["config", "mediaType"], "a b/c"),
        ("manifest", ["config", "size"], GONE),
        ("manifest", ["layers"], GONE),
        ("manifest", ["layers"], []),
        ("manifest", ["layers", 0, "digest"], "0" * 64),
        ("manifest", ["annotations"], []),
        ("layout", ["imageLayoutVersion"], GONE),
        ("layout", ["imageLayoutVersion"], "1.0"),
    ],
)
def test_the_schema_of_the_test_refuses_what_the_specification_refuses(
    make: Make, part: str, where: list[str | int], value: object
) -> None:
    """Any one field of a good layout spoilt."""
    found = made(make({"SKILL.md": FRONT}))
    index, manifest, _ = parts(found)
    document = {"index": index, "manifest": manifest}.get(part)
    document = document or json.loads(found.files["oci-layout"])
    valid(document, part)
    *above, last = where
    inner: Any = document
    for step in above:
        inner = inner[step]
    assert last in inner or isinstance(last, int)
    if value is GONE:
        del inner[last]
    else:
        inner[last] = value
    with pytest.raises(jsonschema.ValidationError):
        valid(document, part)


def test_an_empty_config_needs_the_type_of_the_artifact() -> None:
    empty = {
        "mediaType": "application/vnd.oci.empty.v1+json", "digest": "sha256:" + "0" * 64, "size": 2
    }  # fmt: skip
    with pytest.raises(jsonschema.ValidationError, match="artifactType"):
        valid({"schemaVersion": 2, "config": empty, "layers": [empty]}, "manifest")


def test_an_agent_skill_says_what_it_is(make: Make) -> None:
    index, manifest, config = parts(made(make({"SKILL.md": FRONT})))
    assert index["manifests"][0]["annotations"] == {
        "org.opencontainers.image.ref.name": "1.2.0_mac"
    }
    assert manifest["artifactType"] == "application/vnd.agentskills.skill.v1"
    assert index["manifests"][0]["artifactType"] == manifest["artifactType"]
    assert manifest["config"]["mediaType"] == "application/vnd.agentskills.skill.config.v1+json"
    assert [each["mediaType"] for each in manifest["layers"]] == [
        "application/vnd.agentskills.skill.content.v1.tar+gzip"
    ]
    assert manifest["annotations"] == {
        "org.opencontainers.image.title": "plain",
        "org.opencontainers.image.version": "1.2.0+mac",
        "org.opencontainers.image.description": "Says things. Use when things are said.",
        "org.opencontainers.image.licenses": "MIT",
        "io.agentskills.skill.name": "plain",
    }
    assert config == {
        "schemaVersion": "1",
        "name": "plain",
        "version": "1.2.0+mac",
        "description": "Says things. Use when things are said.",
        "license": "MIT",
        "compatibility": "Needs git",
        "allowedTools": ["Bash(git:*)", "Read"],
        "metadata": {"version": "1.2.0+mac", "author": "someone"},
    }


def test_another_skill_does_not_pass_for_one(make: Make) -> None:
    tree = make({"skill.toml": CARO})
    Path(tree.path("SKILL.md")).unlink()
    index, manifest, config = parts(made(tree))
    assert manifest["artifactType"] == "application/vnd.skillstudio.skill.v1"
    assert manifest["config"]["mediaType"] == "application/vnd.oci.empty.v1+json"
    assert config == {}
    assert manifest["layers"][0]["mediaType"] == "application/vnd.oci.image.layer.v1.tar+gzip"
    assert "io.agentskills.skill.name" not in manifest["annotations"]
    assert index["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"] == "1.0.0"


def test_the_layer_is_rooted_at_the_skills_name(make: Make) -> None:
    found = made(make({"SKILL.md": FRONT}))
    _, manifest, _ = parts(found)
    layer = found.files["blobs/" + manifest["layers"][0]["digest"].replace(":", "/")]
    with tarfile.open(fileobj=io.BytesIO(layer)) as archive:
        assert archive.getnames() == ["plain/SKILL.md"]


def test_a_version_that_is_none_is_tagged_latest(make: Make) -> None:
    index, _, _ = parts(made(make()))
    assert index["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"] == "latest"


def test_a_layout_is_read_again(written: Path) -> None:
    tree = open_layout(str(written))
    assert tree.name == "plain"
    assert tree.read("SKILL.md").decode() == FRONT
    assert tree.mode("scripts/run.sh") == 0o755


Spoil = Callable[[Path], object]


def edit(change: Callable[[Any], object], path: str = "index.json") -> Spoil:
    def spoil(folder: Path) -> None:
        value = json.loads((folder / path).read_text())
        change(value)
        (folder / path).write_text(json.dumps(value))

    return spoil


def append(number: int) -> Spoil:
    """Add a byte to the blob of that size from below: config, manifest, layer."""

    def spoil(folder: Path) -> None:
        blobs = sorted((folder / "blobs/sha256").iterdir(), key=lambda each: each.stat().st_size)
        blobs[number].write_bytes(blobs[number].read_bytes()[:-1] + b"~")

    return spoil


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "index.json").unlink(), "cannot be read: No such file"),
        (
            lambda folder: (folder / "index.json").write_text("{"),
            "index.json in it is not valid JSON",
        ),
        (lambda folder: (folder / "index.json").write_text("[" * 99999), "is not valid JSON"),
        (lambda folder: (folder / "index.json").write_text("[]"), "contains 0 images"),
        (lambda folder: (folder / "index.json").write_text(" " * (5 << 20)), "larger than 4 MiB"),
        (lambda folder: shutil.rmtree(folder / "blobs"), "cannot be read: No such file"),
        (edit(lambda index: index.update(manifests=[])), "contains 0 images"),
        (edit(lambda index: index.update(manifests=index["manifests"] * 2)), "contains 2 images"),
        (
            edit(lambda index: index.update(manifests=[1])),
            "it contains a digest that is not SHA-256",
        ),
        (
            edit(lambda index: index["manifests"][0].update(digest="sha256:../../../etc/passwd")),
            "contains a digest that is not SHA-256",
        ),
        (
            edit(lambda index: index["manifests"][0].update(digest="sha256:" + "0" * 64)),
            "cannot be read: No such file",
        ),
        (edit(lambda index: index["manifests"][0].update(size=1)), "not have the stated size"),
        (edit(lambda index: index["manifests"][0].update(size="1")), "not have the stated size"),
        (
            edit(lambda value: value.update(imageLayoutVersion="2.0.0"), "oci-layout"),
            "has version 2.0.0, expected 1.0.0",
        ),
        (append(1), "does not match its name"),
        (append(2), "does not match its name"),
    ],
)
def test_a_layout_that_is_not_whole_is_refused(written: Path, spoil: Spoil, said: str) -> None:
    spoil(written)
    assert is_layout(str(written))
    with pytest.raises(ArchiveRefused) as refused:
        open_layout(str(written))
    assert str(refused.value).startswith(str(written))
    assert said in str(refused.value)


def test_an_image_that_is_no_skill_is_refused(written: Path) -> None:
    layer = {"mediaType": "application/vnd.oci.image.layer.v1.tar+zstd"}
    data = json.dumps({"layers": [layer]}).encode()
    digest = hashlib.sha256(data).hexdigest()
    (written / "blobs/sha256" / digest).write_bytes(data)
    described = {"digest": f"sha256:{digest}", "size": len(data)}
    (written / "index.json").write_text(json.dumps({"manifests": [described]}))
    with pytest.raises(ArchiveRefused, match=r"its layers do not contain a skill: .*tar\+zstd"):
        open_layout(str(written))

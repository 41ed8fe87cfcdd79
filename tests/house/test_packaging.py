"""The wheel and the source archive hold what they need and work where nothing else is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow

DATA = ("themes", "templates", "examples")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source archive; built from the archive, as users do."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_the_wheel_holds_the_data_and_no_tests(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    for folder in DATA:
        assert any(name.startswith(f"skillstudio/data/{folder}/") for name in names)
    assert "skillstudio/manifest/frontmatter/schema.json" in names
    assert any(name.endswith(".data/data/share/man/man1/skillstudio.1") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]
    assert not [name for name in names if "screenshots" in name], "maintainers draw, users do not"


def test_the_page_of_the_package_index_links_to_nothing_beside_it(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
        metadata = wheel.read(name).decode()
    _, _, page = metadata.partition("\n\n")
    assert "## Install" in page
    links = re.findall(r"\]\(([^)]*)\)", page)
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    assert not re.search(r"!\[|<!--", page)


def test_the_source_archive_holds_what_the_tests_need(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "README.md", "LICENSE", "pyproject.toml", "requirements.lock"} <= names
    assert "tests/house/test_packaging.py" in names


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel as pip installs it, which compiles all Python files in it."""
    target = tmp_path_factory.mktemp("installed")
    wheel = str(next(built.glob("*.whl")))
    pip = [sys.executable, "-m", "pip", "--quiet", "install", "--no-deps", "--no-index"]
    command = [*pip, "--compile", "--target", str(target), wheel]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(command, check=True, capture_output=True, env=environ)
    return target


def test_no_skill_of_an_installed_template_contains_compiled_files(
    installed: Path, tmp_path: Path
) -> None:
    site = next(path for path in map(Path, sys.path) if path.name == "site-packages")
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]; sys.path.append(sys.argv[2]);"
        "from skillstudio.cli.main import main;"
        "from skillstudio.resources import folder;"
        "from skillstudio.scaffold.new.catalogue import list_templates;"
        "from skillstudio.session.examples import copy_examples;"
        "names = list(list_templates().templates);"
        "made = [main(['new', name, name.replace('.', '-'), '--defaults']) for name in names];"
        "copy_examples(folder('examples'), 'examples');"
        "print(*names); sys.exit(max(made))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(installed), str(site)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    data = installed / "skillstudio" / "data"
    assert list((data / "templates").rglob("*.pyc"))
    assert list((data / "examples").rglob("*.pyc"))
    names = done.stdout.splitlines()[-1].replace(".", "-").split()
    assert {path.name for path in tmp_path.iterdir()} == {*names, "examples"}
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 50
    assert not [path for path in files if "__pycache__" in path.parts or path.suffix == ".pyc"]
    assert not [path for path in files if str(installed).encode() in path.read_bytes()]


def test_the_installed_wheel_works_without_the_checkout(installed: Path, tmp_path: Path) -> None:
    environment = tmp_path / "env"
    # The libraries are those of this environment: what is tried is the wheel.
    venv.create(environment, with_pip=False, system_site_packages=False)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = next(path for path in map(Path, sys.path) if path.name == "site-packages")
    code = (
        "import sys; sys.path[:0] = [sys.argv[1]]; sys.path.append(sys.argv[2]);"
        "import skillstudio.resources as r; print(r.folder('examples'));"
        "from skillstudio.cli.main import main;"
        "made = main(['new', 'script-tool', 'made', '--defaults']);"
        "sys.exit(made or main(['check', r.folder('examples'), 'made']))"
    )
    done = subprocess.run(
        [str(python), "-I", "-c", code, str(installed), str(site)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert str(installed) in done.stdout.splitlines()[0]
    if os.name != "nt":
        assert (tmp_path / "made" / "scripts" / "count.py").stat().st_mode & 0o100


def test_a_checkout_reads_the_folders_at_its_root() -> None:
    from skillstudio.resources import folder

    for name in DATA:
        assert Path(folder(name)) == ROOT / name

"""Packages that are built from source distributions: contained, with only the index reachable."""

from __future__ import annotations

import io
import json
import os
import tarfile
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import offered
from tests.dryrun.test_dependencies import add_wheel, environments, needing

from skillstudio.dryrun import builds, dependencies
from skillstudio.dryrun.isolation.levels import IsolationLevel, IsolationLevels, probe_isolation
from skillstudio.dryrun.network.package_index import (
    IndexRefused,
    PackageIndex,
    find_file_hosts,
    read_index,
    refuse_credentials,
)

INLINE = '# /// script\n# dependencies = ["evil"]\n# ///\n'
SCRIPT = f"{INLINE}import json, evil\nprint('word', evil.WORD)\n"
BACKEND = """\
import os, socket, urllib.request, zipfile

def attempt(what):
    try:
        return what()
    except Exception as error:
        return type(error).__name__

def write(path):
    with open(path, "w") as file:
        file.write("ran")
    return "written"

def ask(url):
    return urllib.request.urlopen(url, timeout=5).status

def metadata():
    return "Metadata-Version: 2.1\\nName: evil\\nVersion: 1.0\\n" + EXTRA

def get_requires_for_build_wheel(settings=None):
    return []

def build_wheel(folder, settings=None, metadata_directory=None):
    port, index = PORTS
    NAMES = [name for name in os.listdir(ENVIRONMENTS) if not name.endswith(".build")]
    attempt(lambda: write(MARKER))  # In /tmp, which is another one.
    attempts = {
        "system": attempt(lambda: write("/usr/marker")),
        "environment": attempt(lambda: write(os.path.join(ENVIRONMENTS, NAMES[0], "marker"))),
        "home": os.path.expanduser("~").rpartition(".build/")[2],
        "netrc": attempt(lambda: open(NETRC).read()),
        "skill": attempt(lambda: open(SKILL).read()),
        "variables": sorted(os.environ),
        "other": attempt(lambda: socket.create_connection(("127.0.0.1", port), 5)),
        "proxied": attempt(lambda: ask("http://other.example/")),
        "index": attempt(lambda: ask(f"http://127.0.0.1:{index}/simple/evil/")),
    }
    LEFT
    about = "evil-1.0.dist-info"
    name = "evil-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        wheel.writestr("evil.py", f"WORD = 'built'\\nATTEMPTS = {attempts!r}\\n")
        wheel.writestr(f"{about}/METADATA", metadata())
        tag = "Root-Is-Purelib: true\\nTag: py3-none-any\\n"
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\n" + tag)
        wheel.writestr(f"{about}/RECORD", "")
    return name
"""
PROJECT = """\
[build-system]
requires = ["tinypkg"]
build-backend = "backend"
backend-path = ["."]
"""


class Server(NamedTuple):
    """An index on loopback: its port, its files, and the paths that were asked for."""

    port: int
    files: dict[str, bytes]
    asked: list[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/simple"

    def add(self, name: str, file_name: str, data: bytes) -> None:
        """Offer a file of a project."""
        self.files[f"/files/{file_name}"] = data
        page = self.files.get(f"/simple/{name}/", b"")
        link = f'<a href="/files/{file_name}">{file_name}</a>\n'
        self.files[f"/simple/{name}/"] = page + link.encode()


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[Server, Server]]:
    """An index, and another server."""
    with Serving() as index, Serving() as other:
        add_wheel(tmp_path, "tinypkg")
        name = "tinypkg-1.0-py3-none-any.whl"
        index.add("tinypkg", name, (tmp_path / name).read_bytes())
        yield index, other


class Serving:
    """A server that runs until the end of the context."""

    def __enter__(self) -> Server:
        files: dict[str, bytes] = {}
        asked: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                data = files.get(self.path)
                self.send_response(404 if data is None else 200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write(data or b"")

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return Server(self._server.server_address[1], files, asked)

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def add_source(server: Server, **files: str) -> None:
    """Offer the source distribution `evil`."""
    data = io.BytesIO()
    about = "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n"
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, text in {"PKG-INFO": about, "pyproject.toml": PROJECT, **files}.items():
            member = tarfile.TarInfo(f"evil-1.0/{name}")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    server.add("evil", "evil-1.0.tar.gz", data.getvalue())


def backend(extra: str = "", left: str = "pass", **values: Any) -> str:
    """The program that builds `evil`."""
    names = {"PORTS": (1, 1), "MARKER": "/m", "NETRC": "/n", "SKILL": "/s", "ENVIRONMENTS": "/"}
    head = "".join(f"{name} = {value!r}\n" for name, value in {**names, **values}.items())
    return f"EXTRA = {extra!r}\n{head}{BACKEND.replace('LEFT', left)}"


@pytest.fixture
def index(
    tmp_path: Path, servers: tuple[Server, Server], monkeypatch: pytest.MonkeyPatch
) -> Server:
    """The index that pip's settings name, and nothing else."""
    settings = tmp_path / "settings/pip.conf"
    settings.parent.mkdir()
    settings.write_text(f"[global]\nindex-url = {servers[0].url}\n")
    for name in list(os.environ):
        if name.startswith(("PIP_", "UV_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", servers[0].url)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return servers[0]


BUILT = ("--with-deps", "--allow-builds")


@pytest.mark.slow
def test_a_build_reaches_only_the_index_and_changes_nothing(
    run: Run,
    tmp_path: Path,
    servers: tuple[Server, Server],
    index: Server,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offered("isolated")
    (tmp_path / "netrc").write_text("secret-of-the-user")
    skill = needing(tmp_path / "skill", SCRIPT.replace("evil.WORD", "json.dumps(evil.ATTEMPTS)"))
    program = backend(
        PORTS=(servers[1].port, index.port),
        MARKER=str(tmp_path / "marker"),
        NETRC=str(tmp_path / "netrc"),
        ENVIRONMENTS=str(tmp_path / "cache/skillstudio-environments"),
        SKILL=str(skill / "SKILL.md"),
    )
    add_source(index, **{"backend.py": program})
    monkeypatch.setenv("MY_TOKEN", "secret-of-the-shell")
    ran = run("run", skill, "scripts/go.py", *BUILT, "-v")
    assert ran.status == 0, ran.err
    printed = ran.out.partition("word ")[2].partition("\n")[0]
    attempts = json.loads(printed)
    variables = set(attempts.pop("variables"))
    assert attempts == {
        "system": "OSError", "environment": "OSError", "home": "home",
        "netrc": "FileNotFoundError", "skill": "FileNotFoundError",
        "other": "ConnectionRefusedError", "proxied": "HTTPError", "index": 200,
    }  # fmt: skip
    assert not variables & {"MY_TOKEN", "PIP_INDEX_URL", "USER"}
    assert not (tmp_path / "marker").exists()
    assert not list(tmp_path.glob("cache/skillstudio-environments/*/marker"))
    assert servers[1].asked == []
    (name,) = environments(tmp_path)
    place = tmp_path / "cache/skillstudio-environments" / name
    mark = json.loads((place / "skillstudio.json").read_text())
    assert mark["allows_builds"]
    (wheel,) = mark["installed"]
    assert (wheel["name"], wheel["version"], len(wheel["sha256"])) == ("evil", "1.0", 64)
    assert not list(place.glob("lib/python*/site-packages/*/direct_url.json"))
    # Another run with --allow-builds uses it, one without does not.
    assert "used again" in run("run", skill, "scripts/go.py", *BUILT).err
    ran = run("run", skill, "scripts/go.py", "--with-deps")
    assert ran.status == 3
    assert "has no wheel for this interpreter, --allow-builds builds it, contained, with" in ran.err
    assert environments(tmp_path) == [name]


FAILING = [
    ({"extra": "Requires-Dist: more @ http://other.example/more-1.0-py3-none-any.whl\n"},
     "other.example:80 is no host of the index and was not reached"),
    ({"left": "raise SystemExit('the compiler is missing')"}, "the compiler is missing"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("values", "why"), FAILING, ids=["URL", "error"])
def test_a_build_that_fails_leaves_nothing(
    run: Run, tmp_path: Path, index: Server, values: dict[str, str], why: str
) -> None:
    offered("isolated")
    add_source(index, **{"backend.py": backend(**values)})
    skill = needing(tmp_path / "skill", SCRIPT)
    ran = run("run", skill, "scripts/go.py", *BUILT)
    assert ran.status == 3, ran.out
    assert "the packages of scripts/go.py cannot be built; they are built contained" in ran.err
    assert why in ran.err
    assert environments(tmp_path) == []


@pytest.mark.slow
def test_a_folder_of_packages_can_be_read(
    run: Run, tmp_path: Path, index: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered("isolated")
    add_source(index, **{"backend.py": backend()})
    links = tmp_path / "links"
    links.mkdir()
    for path, data in index.files.items():
        if path.startswith("/files/"):
            (links / path.removeprefix("/files/")).write_bytes(data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    ran = run("run", needing(tmp_path / "skill", SCRIPT), "scripts/go.py", *BUILT)
    assert ran.status == 0, ran.err
    assert "word built" in ran.out
    assert index.asked == []


def test_the_skill_and_settings_of_installers_are_hidden() -> None:
    offered("isolated")
    assert not probe_isolation().hides("isolated", "/usr/share")
    levels = builds.build_levels(os.environ["PATH"], ("/usr/share",))
    assert levels.hides("isolated", "/usr/share")
    files = builds.settings_files({"PIP_CONFIG_FILE": "/a/pip.conf", "XDG_CONFIG_DIRS": "/b:c"})
    assert files == ["/etc/pip.conf", "/etc/uv", "/a/pip.conf", "/b/pip", "/b/uv"]


def test_only_wheels_are_taken_from_a_build(tmp_path: Path) -> None:
    add_wheel(tmp_path, "tinypkg")
    (wheel,) = builds._read_wheels(str(tmp_path))
    assert wheel[:2] == ("tinypkg", "1.0")
    link = tmp_path / "other-1.0-py3-none-any.whl"
    link.symlink_to(tmp_path / "tinypkg-1.0-py3-none-any.whl")
    with pytest.raises(builds.BuildFailed, match="cannot be read"):
        builds._read_wheels(str(tmp_path))
    link.unlink()
    os.mkfifo(link)
    with pytest.raises(builds.BuildFailed, match="is not a file"):
        builds._read_wheels(str(tmp_path))
    link.unlink()
    (tmp_path / "TinyPkg-2.0-py3-none-any.whl").write_text("")
    with pytest.raises(builds.BuildFailed, match="2 wheels of tinypkg"):
        builds._read_wheels(str(tmp_path))
    (tmp_path / "TinyPkg-2.0-py3-none-any.whl").rename(tmp_path / "a.pth")
    with pytest.raises(builds.BuildFailed, match="is not a wheel"):
        builds._read_wheels(str(tmp_path))
    (tmp_path / "a.pth").rename(tmp_path / "a\n-2.0-py3-none-any.whl")
    with pytest.raises(builds.BuildFailed, match="is not a wheel"):
        builds._read_wheels(str(tmp_path))


def test_builds_are_asked_for_beside_packages(run: Run, tmp_path: Path) -> None:
    skill = needing(tmp_path / "skill", SCRIPT)
    for command in (("run", skill, "scripts/go.py"), ("test", skill)):
        ran = run(*command, "--allow-builds")
        assert ran.status == 2
        assert "--with-deps prepares; give both options" in ran.err


def test_builds_need_the_level_isolated(
    run: Run, tmp_path: Path, index: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = [probe_isolation().level(name) for name in ("plan", "copy")]
    missing = [
        IsolationLevel(name, False, "no such thing", ()) for name in ("confined", "isolated")
    ]
    levels = IsolationLevels([*known, *missing], probe_isolation().host)
    monkeypatch.setattr(builds, "probe_isolation", lambda: levels)
    skill = needing(tmp_path / "skill", SCRIPT)
    for command in (("run", skill, "scripts/go.py"), ("test", skill)):
        ran = run(*command, *BUILT)
        assert ran.status == 4, ran.out
        why = "--allow-builds needs the isolation level isolated: no such thing"
        assert why in ran.err
    assert environments(tmp_path) == []
    assert index.asked == []


VARIABLES = ["NETRC", "UV_INDEX_OWN_PASSWORD", "UV_INDEX_OWN_USERNAME"]
INDEX: dict[str, Any] = {"index_url": "https://a.example/simple"}
SECRET: list[dict[str, Any]] = [
    {"client_cert": "/home/me/client.pem"},
    {"index_url": "https://me:secret-value@a.example/simple"},
    {"index_url": "https://secret-value@a.example/simple"},
    {"extra_index_urls": ["https://a.example/simple?token=secret-value"]},
    {"find_links": ["http://me:secret-value@127.0.0.1:8000/links"]},
]


def test_credentials_are_refused(
    run: Run, tmp_path: Path, index: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        with pytest.raises(IndexRefused, match=f"because {name} is set: programs that build"):
            refuse_credentials({name: "secret-value"})
    for settings in SECRET:
        with pytest.raises(IndexRefused, match="could read such credentials") as caught:
            read_index({**INDEX, **settings}, {}, "")
        assert "secret-value" not in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(IndexRefused, match="does not read UV_INDEX"):
        refuse_credentials({"UV_INDEX": "https://a.example/simple"})
    offered("isolated")
    skill = needing(tmp_path / "skill", SCRIPT)
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    ran = run("run", skill, "scripts/go.py", *BUILT)
    assert ran.status == 3
    assert "--allow-builds is refused because NETRC is set" in ran.err
    assert environments(tmp_path) == []
    assert index.asked == []


def test_an_index_becomes_options_and_hosts(tmp_path: Path) -> None:
    (tmp_path / "constraints").write_text("Six>=1\n")
    certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    (tmp_path / "cert").write_text(f"-----BEGIN PRIVATE KEY-----\nA\n{certificate}")
    settings = {
        "index_url": "https://a.example/simple",
        "extra_index_urls": ["http://127.0.0.1:8000/simple", "https://a.example/more"],
        "find_links": [str(tmp_path), "http://b.example:81/x"],
        "cert": str(tmp_path / "cert"),
        "constraints": [str(tmp_path / "constraints")],
        "pre": True,
        "only_binary": ["numpy", "scipy"],
    }
    assert read_index(settings, {}, "/home/me") == PackageIndex(
        (
            *("--index-url", "https://a.example/simple"),
            *("--extra-index-url", "http://127.0.0.1:8000/simple"),
            *("--extra-index-url", "https://a.example/more"),
            *("--find-links", str(tmp_path), "--find-links", "http://b.example:81/x"),
            *("--pre", "--only-binary", "numpy,scipy"),
        ),
        ("a.example:443", "127.0.0.1:8000", "b.example:81"),
        (str(tmp_path),),
        ("https://a.example/simple", "http://127.0.0.1:8000/simple", "https://a.example/more"),
        certificate,
        ("six>=1",),
    )
    folder = read_index({"index_url": tmp_path.as_uri()}, {}, "/home/me")
    assert (folder.hosts, folder.folders) == ((), (str(tmp_path),))


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"index_url": "file:///"}, "contains your home folder"),
    ({"find_links": ["links"]}, "uses only http, https and folders with absolute paths"),
    ({"index_url": "git+ssh://a.example/a"}, "uses only http, https and folders"),
    ({"index_url": "http://127.0.0.1:80/simple"}, "1024 or higher"),
    ({"constraints": ["https://a.example/c.txt"]}, "constraints only from files"),
    ({"cert": "/no/such.pem"}, "/no/such.pem, which pip's settings name, cannot be read: No such"),
]


@pytest.mark.parametrize(("settings", "why"), REFUSED)
def test_other_settings_are_refused(settings: dict[str, Any], why: str) -> None:
    with pytest.raises(IndexRefused, match=why):
        read_index({**INDEX, **settings}, {}, "/home/me")


def test_the_hosts_of_files_come_from_the_index_and_not_from_a_package(
    servers: tuple[Server, Server],
) -> None:
    index, other = servers
    page = (
        '<base href="https://files.example/a/"><a href="b-1.tar.gz#sha256=0">b</a>'
        '<a href="https://more.example:8443/c.whl">c</a>'
        f'<a href="http://127.0.0.1:{other.port}/d.whl">d</a><a href="http://10.0.0.1/e.whl">e</a>'
        '<a href="http://localhost:8000/f.whl">f</a><a href="http://[bad/g.whl">g</a>'
    )
    index.files["/simple/setuptools/"] = page.encode()
    index.files["/simple/evil/"] = b'<a href="https://evil.example/evil-1.0.tar.gz">evil</a>'
    found = find_file_hosts(PackageIndex(pages=(index.url,)))
    assert found == ("files.example:443", "more.example:8443")
    assert index.asked == ["/simple/setuptools/"]
    assert find_file_hosts(PackageIndex(pages=(other.url,))) == ()


def test_an_environment_that_was_built_is_not_used_without_the_option(tmp_path: Path) -> None:
    def is_usable(mark: Mapping[str, Any] | str, allows_builds: bool) -> bool:
        (tmp_path / "skillstudio.json").write_text(json.dumps(mark))
        return dependencies._is_usable(str(tmp_path), allows_builds)

    version = dependencies._VERSION
    for built in (False, True):
        mark = {"version": version, "allows_builds": built}
        assert is_usable(mark, built)
        assert not is_usable(mark, not built)
        assert not is_usable({**mark, "version": version - 1}, built)
    assert not is_usable({"version": version}, False)
    assert not is_usable("", False)

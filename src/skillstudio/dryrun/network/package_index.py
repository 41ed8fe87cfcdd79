"""The package index that pip's settings name: what a contained pip gets of it, and its hosts.

Programs that build packages can read whatever that pip gets, so settings with credentials are
refused.
"""

from __future__ import annotations

import ipaddress
import os
import re
import ssl
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener, url2pathname

from skillstudio.dryrun.network.choice import NetworkRefused, host_pattern
from skillstudio.dryrun.network.exchanges import NotApart, masked_url
from skillstudio.files.paths import below
from skillstudio.text.reading.requirements import read_requirements
from skillstudio.text.source import Source

SETTINGS = """\
import json
from pip._internal.commands import create_command
options, _ = create_command("install").parse_args([])
NAMES = ("index_url extra_index_urls find_links no_index trusted_hosts cert client_cert "
         "constraints pre require_hashes")
values = {name: getattr(options, name, None) for name in NAMES.split()}
for name in ("only_binary", "no_binary"):
    values[name] = sorted(getattr(options.format_control, name))
print(json.dumps(values))
"""
"""A program that prints pip's settings, as `read_index` reads them."""
_OPTION = "--allow-builds"
_FOR_UV = ("UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL")
_UV_CREDENTIAL = re.compile(r"UV_INDEX_\w+_(?:USERNAME|PASSWORD)")
_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?")
_LARGEST = 16 << 20  # Bytes of a page or a file of settings.
_PATIENCE = 30.0  # Seconds that an index has to answer.
_PROJECT = "setuptools"  # Every index with source distributions has it, and no skill chooses it.
_MOST_HOSTS = 8


class IndexRefused(Exception):
    """Why packages cannot be built from an index: a sentence with the fix."""


class PackageIndex(NamedTuple):
    """An index, as a contained pip gets it."""

    options: tuple[str, ...] = ()  # For pip.
    hosts: tuple[str, ...] = ()  # As for `--net`, with their ports.
    folders: tuple[str, ...] = ()  # Folders with packages, or with an index.
    pages: tuple[str, ...] = ()  # The addresses of indexes that a server has.
    certificates: str = ""  # Those of authorities, as PEM; "" for pip's own.
    constraints: tuple[str, ...] = ()  # Requirements, normalised.


def refuse_credentials(variables: Mapping[str, str]) -> None:
    """Raise IndexRefused for a variable with credentials, or one that names an index to uv only."""
    for name in sorted(name for name, value in variables.items() if value):
        if name == "NETRC" or _UV_CREDENTIAL.fullmatch(name):
            raise _credentials(f"{name} is set")
        if name in _FOR_UV:
            raise IndexRefused(
                f"{_OPTION} builds packages with pip, which does not read {name}; unset it, and "
                "name the index in PIP_INDEX_URL or pip.conf"
            )


def read_index(
    settings: Mapping[str, Any], variables: Mapping[str, str], home: str
) -> PackageIndex:
    """The index of the settings that `SETTINGS` prints. Raises IndexRefused."""
    refuse_credentials(variables)
    if settings.get("client_cert"):
        raise _credentials("pip's settings name a client certificate")
    options: list[str] = []
    hosts: list[str] = []
    folders: list[str] = []
    pages: list[str] = []
    for option, address in _addresses(settings):
        options += [option, address]
        scheme = urlsplit(address).scheme.lower()
        if scheme in ("http", "https"):
            _check_credentials(address)
            hosts.append(_host(address))
            pages += [address] if option != "--find-links" else []
        else:
            folders.append(_folder(address, home))
    if settings.get("no_index"):
        options.append("--no-index")
    for name in ("pre", "require_hashes"):
        options += [f"--{name.replace('_', '-')}"] if settings.get(name) else []
    for name in ("only_binary", "no_binary"):
        values = [str(value) for value in settings.get(name) or ()]
        options += [f"--{name.replace('_', '-')}", ",".join(values)] if values else []
    for value in settings.get("trusted_hosts") or ():
        options += ["--trusted-host", str(value)]
    return PackageIndex(
        tuple(options),
        tuple(dict.fromkeys(hosts)),
        tuple(dict.fromkeys(folders)),
        tuple(pages),
        _certificates(settings, variables),
        tuple(_constraints(settings.get("constraints") or ())),
    )


def find_file_hosts(index: PackageIndex) -> tuple[str, ...]:
    """Further hosts that an index leads to: an index often keeps its files on another one.

    Asks for a project that no skill chooses, so that no package can name hosts. Addresses of this
    machine and literal ones are left out.
    """
    try:
        context = ssl.create_default_context(cadata=index.certificates or None)
    except ssl.SSLError:
        return ()  # As below.
    opener = build_opener(ProxyHandler({}), HTTPSHandler(context=context))
    hosts: dict[str, None] = {}
    for page in index.pages:
        address = f"{page.rstrip('/')}/{_PROJECT}/"
        request = Request(address, headers={"Accept": "text/html"})  # noqa: S310 - http or https
        try:
            with opener.open(request, timeout=_PATIENCE) as response:
                text = response.read(_LARGEST).decode("utf-8", "replace")
                links = _Links(response.url)
        except (OSError, HTTPException, ValueError):
            continue  # pip reports what is wrong with an index.
        links.feed(text)
        hosts |= dict.fromkeys(host for host in map(_named_host, links.addresses) if host)
    return tuple(host for host in hosts if host not in index.hosts)[:_MOST_HOSTS]


class _Links(HTMLParser):
    """The addresses that a page of an index links to, and its own."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self._base = address
        self.addresses = {address: None}

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        link = dict(attrs).get("href")
        if not link:
            return
        try:
            address = urldefrag(urljoin(self._base, link)).url
        except ValueError:
            return
        if tag == "base":
            self._base = address
        elif tag == "a":
            # Of thousands of links to a host, one is enough.
            self.addresses[urljoin(address, "/")] = None


def _named_host(address: str) -> str:
    """The host of an address; "" for one without a name, or of this machine."""
    try:
        host = _host(address)
    except (IndexRefused, ValueError):
        return ""
    name = host.rpartition(":")[0].strip("[]")
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return "" if name == "localhost" else host
    return ""


def _addresses(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The options of pip that name where packages come from, each with an address or a folder."""
    if not settings.get("no_index"):
        if settings.get("index_url"):
            yield "--index-url", str(settings["index_url"])
        for value in settings.get("extra_index_urls") or ():
            yield "--extra-index-url", str(value)
    for value in settings.get("find_links") or ():
        yield "--find-links", str(value)


def _credentials(what: str) -> IndexRefused:
    return IndexRefused(
        f"{_OPTION} is refused because {what}: programs that build packages could read such "
        "credentials; use an index without them"
    )


def _check_credentials(address: str) -> None:
    """Raise IndexRefused for an address with a password, a token or the like."""
    plain = urldefrag(address).url
    try:
        is_plain = masked_url(plain, bytes) == plain and "@" not in urlsplit(plain).netloc
    except NotApart:
        is_plain = False
    if not is_plain:
        raise _credentials("an address in pip's settings contains credentials")


def _host(address: str) -> str:
    parts = urlsplit(address)
    name = parts.hostname or ""
    try:
        port = parts.port or (443 if parts.scheme.lower() == "https" else 80)
        host = f"[{name}]:{port}" if ":" in name else f"{name}:{port}"
        host_pattern(host, _OPTION)
    except (ValueError, NetworkRefused) as error:
        raise IndexRefused(f"{_OPTION}: the index of pip's settings: {error}") from None
    return host


def _folder(address: str, home: str) -> str:
    """The local folder of an address. Raises IndexRefused for what pip may not read inside."""
    parts = urlsplit(address)
    path = address
    if parts.scheme.lower() == "file" and parts.netloc in ("", "localhost"):
        path = url2pathname(parts.path)
    real = os.path.realpath(path)
    if not os.path.isabs(path) or not os.path.isdir(real):
        raise IndexRefused(
            f"{_OPTION} uses only http, https and folders with absolute paths as an index, not "
            f"{address}"
        )
    if real == os.path.realpath(os.sep) or (
        home and below(os.path.realpath(home), real) is not None
    ):
        raise IndexRefused(
            f"{_OPTION} is refused because pip's settings name {real}, which contains your home "
            "folder, as an index; move the packages to a folder of their own"
        )
    return path


def _certificates(settings: Mapping[str, Any], variables: Mapping[str, str]) -> str:
    """The certificates of authorities, without anything else that their file contains."""
    path = settings.get("cert")
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        path = path or variables.get(name)
    return "".join(_CERTIFICATE.findall(_text(str(path)))) if path else ""


def _constraints(paths: Sequence[Any]) -> Iterator[str]:
    """The requirements of pip's constraints. Raises IndexRefused for options, URLs and paths."""
    for path in map(str, paths):
        if urlsplit(path).scheme.lower() in ("http", "https"):
            raise IndexRefused(
                f"{_OPTION} reads constraints only from files, not from {urlsplit(path).hostname}"
            )
        source = Source(_text(path.removeprefix("file://")), "requirements.txt")
        for requirement in read_requirements(source):
            if requirement.problem:
                line, column = source.position(requirement.span.start)
                raise IndexRefused(f"{path}:{line}:{column}: {requirement.problem}")
            yield requirement.value


def _text(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except OSError as error:
        why = error.strerror or error
        raise IndexRefused(
            f"{_OPTION}: {path}, which pip's settings name, cannot be read: {why}"
        ) from None

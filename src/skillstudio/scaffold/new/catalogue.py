"""Find templates in the package, the user's folder, a path or a git repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.files.state import config_folder
from skillstudio.files.tree import FileTree
from skillstudio.resources import folder
from skillstudio.scaffold.new.copier_file import TemplateFault
from skillstudio.scaffold.new.template import Template, is_template, read_template

MAX_CLONE = 64 << 20  # Bytes that the newest commit of a template repository may have.
_SHORT = {"gh:": "https://github.com/", "gl:": "https://gitlab.com/"}
_URL = re.compile(r"(?:https|ssh|file)://[^\s]+", re.IGNORECASE)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)(?:://|::)")
_HOST = re.compile(r"[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^\s]+")  # The ssh form user@host:path.
_SECRET = re.compile(r"(?<=://)[^/@:\s]*:[^/@\s]*@|(?<=https://)[^/@\s]*@", re.IGNORECASE)
"""Credentials before a host: user and password, or with https a token."""
_VERSION = re.compile(r"v?[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}", re.ASCII)
_NEWEST = "HEAD"  # The `ref` of the newest commit.


class TemplateNotFound(Exception):
    """No template has that name or path."""


class TemplateCatalogue(NamedTuple):
    """Installed templates by name, and problems of those that cannot be used."""

    templates: dict[str, Template]
    faults: list[TemplateFault]


def user_folder() -> str:
    """The folder of the user's own templates."""
    return os.path.join(config_folder(), "templates")


def list_templates() -> TemplateCatalogue:
    """The templates of the package and the user's own, which take precedence."""
    templates: dict[str, Template] = {}
    faults: list[TemplateFault] = []
    for root, origin in ((folder("templates"), "package"), (user_folder(), "user")):
        tree = DiskTree(root)
        names = [entry.name for entry in tree.list()] if tree.kind("") == "folder" else []
        for name in names:
            inside = DiskTree(tree.path(name))
            if not is_template(inside):
                continue
            try:
                templates[name] = read_template(inside, name, origin, _shorten_path(inside.root))
            except TemplateFault as fault:
                faults.append(fault)
    return TemplateCatalogue(dict(sorted(templates.items())), faults)


def is_address(text: str) -> bool:
    """Whether a template is given as a repository URL."""
    return bool(_SCHEME.match(text) or _HOST.fullmatch(text) or text[:3].lower() in _SHORT)


@contextmanager
def open_template(which: str, ref: str = "") -> Iterator[Template]:
    """Open a template by name, path or repository URL, with a branch or tag as `ref`.

    Without one, a repository is opened at the newest of its tags that are versions, else at its
    newest commit, which is also HEAD as `ref`.
    A name takes precedence over a folder with the same name; use `./name` for the folder. Raises
    TemplateNotFound, TemplateFault.
    """
    if which.startswith("-") or ref.startswith("-"):
        raise TemplateNotFound(f"{which if which[:1] == '-' else ref} looks like an option")
    if is_address(which):
        with _clone_repository(which, ref) as (tree, name, commit, branch):
            template = read_template(tree, name, "git", without_secret(which))
            yield replace(template, commit=commit, ref=branch)
        return
    if ref:
        message = f"{which} is not a git repository URL; {ref} needs one"
        if os.path.exists(os.path.join(which, ".git")):
            message += f": {Path(which).absolute().as_uri()}"
        raise TemplateNotFound(message)
    yield _local(which)


def included_template(name: str) -> Template | None:
    """A template of the package, whether or not the user has one of the same name."""
    tree = DiskTree(os.path.join(folder("templates"), name))
    return (
        read_template(tree, name, "package", _shorten_path(tree.root))
        if is_template(tree)
        else None
    )


def _local(which: str) -> Template:
    if os.sep not in which and "/" not in which and which not in (".", ".."):
        listing = list_templates()
        if which in listing.templates:
            return listing.templates[which]
        for fault in listing.faults:
            if os.path.basename(os.path.dirname(fault.path)) == which:
                raise fault
    if os.path.isdir(which):
        tree = DiskTree(which)
        return read_template(tree, tree.name, "path", which.rstrip("/" + os.sep) or which)
    if os.path.lexists(which):
        raise TemplateNotFound(f"{which} is a file; a template is a folder with a copier.yml")
    if which and os.path.isdir(mine := os.path.join(user_folder(), which)):
        raise TemplateFault("not a template: it does not contain copier.yml", _shorten_path(mine))
    from skillstudio.text.nearest import did_you_mean

    names = list(list_templates().templates)
    hint = did_you_mean(which, names, f"; choose one of {', '.join(names)}" if names else "")
    raise TemplateNotFound(f"no template or folder is called {which}{hint}")


@contextmanager
def _clone_repository(address: str, ref: str) -> Iterator[tuple[FileTree, str, str, str]]:
    """A commit of a repository as a tree, with its name, its tag or id, and the named branch."""
    from tempfile import TemporaryDirectory

    from skillstudio.files.git import GitError, clone_newest, is_at_branch, remote_tags
    from skillstudio.files.git_tree import GitObjects, read_tree

    url = _url(address)
    address = without_secret(address)
    name = re.split(r"[/:]", url.rstrip("/"))[-1].removesuffix(".git") or "template"
    with TemporaryDirectory(prefix="skillstudio-", ignore_cleanup_errors=True) as above:
        into = os.path.join(above, "template.git")
        objects = GitObjects(into)
        try:
            opened_ref = "" if ref == _NEWEST else ref or newest_version(remote_tags(url))
            clone_newest(url, into, opened_ref, MAX_CLONE)
            tree_object = objects.get("HEAD^{tree}", 0)
            if tree_object is None:
                raise TemplateNotFound(f"{address} has no commits")
            commit = objects.get("HEAD", 0)
            version, branch = commit.id if commit else "", ref
            if opened_ref and not is_at_branch(into):
                version, branch = opened_ref, ""
            yield read_tree(into, tree_object.id, name, objects), name, version, branch
        except GitError as error:
            raise TemplateNotFound(f"{address}: {error}") from None
        finally:
            objects.close()


def newest_version(tags: Iterable[str]) -> str:
    """The tag with the highest version such as `v1.2.0`; "" if none is a version.

    Other tags, and those of pre-releases, do not count.
    """
    versions = [(key, tag) for tag in tags if (key := _version_key(tag))]
    return max(versions, default=((), ""))[1]


def is_older(tag: str, other: str) -> bool:
    """Whether both tags are versions and the first is the lower one."""
    key, other_key = _version_key(tag), _version_key(other)
    return bool(key and other_key and key < other_key)


def _version_key(tag: str) -> tuple[int, ...]:
    """The numbers of a version without zeros at the end; () if a tag is no version."""
    if not _VERSION.fullmatch(tag):
        return ()
    numbers = [int(number) for number in tag.lstrip("v").split(".")]
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _url(address: str) -> str:
    """A URL in git's form. Raises TemplateNotFound for an unsafe transport."""
    if short := _SHORT.get(address[:3].lower()):
        address = f"{short}{address[3:]}"
    address = address.removeprefix("git+")
    if _URL.fullmatch(address) or (_HOST.fullmatch(address) and not _SCHEME.match(address)):
        return address
    scheme = _SCHEME.match(address)
    way = scheme.group(1) if scheme else "that"
    why = f"unsupported transport {way}; use https, ssh or file"
    if way.lower() in ("https", "ssh", "file"):
        has_spaces = re.search(r"\s", address)
        why = "write a space as %20" if has_spaces else f"nothing follows {way}"
    raise TemplateNotFound(f"{without_secret(address)}: {why}")


def without_secret(address: str) -> str:
    """A URL without credentials."""
    return _SECRET.sub("", address)


def _shorten_path(path: str) -> str:
    """A path relative to the working directory if it is below it."""
    try:
        inside = make_relative(path)
    except ValueError:
        # On Windows the two can be on different drives.
        return path
    return (path if inside.startswith("..") else inside).replace(os.sep, "/")

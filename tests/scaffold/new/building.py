"""Templates in memory, for tests."""

from __future__ import annotations

import atexit
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import dedent
from typing import Any

from skillstudio.files.listed import MemoryTree
from skillstudio.scaffold.new.interview import AskedQuestion, Interview
from skillstudio.scaffold.new.renderer import Renderer, RenderFailure
from skillstudio.scaffold.new.rendering import RenderedSkill, render
from skillstudio.scaffold.new.template import Template, read_template


class Kept(Renderer):
    """A renderer whose process goes on to the next template, as a start takes a tenth of a second.

    What a process of its own is worth, test_renderer.py tries with real ones.
    """

    process: subprocess.Popen[bytes] | None = None

    def _start(self) -> RenderFailure | None:
        if self._process is None and Kept.process is not None and Kept.process.poll() is None:
            self._process = Kept.process
            return self._open(Kept.process)
        failure = super()._start()
        Kept.process = self._process
        return failure

    def close(self) -> None:
        self._process = None

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    @classmethod
    def stop(cls) -> None:
        if cls.process is not None:
            cls.process.kill()
            cls.process.communicate()


atexit.register(Kept.stop)


def kept(opened: Interview) -> Interview:
    """The interview with a renderer of the kept process."""
    read, contents = opened.template, opened.contents
    opened.renderer = Kept(read.envops, contents.texts, read.extensions)
    return opened


def template(copier: str, **files: str | bytes) -> Template:
    """A template of a `copier.yml` and files, in which `__` stands for `/`."""
    texts = {"copier.yml": dedent(copier).lstrip("\n"), **files}
    data = {
        path.replace("__", "/"): text.encode() if isinstance(text, str) else text
        for path, text in texts.items()
    }
    return of(data)


def of(files: dict[str, bytes]) -> Template:
    return read_template(MemoryTree(files, "t"), "t", "path", "t")


@contextmanager
def interview(copier: str, folder: str = "made", **files: str | bytes) -> Iterator[Interview]:
    with kept(Interview(template(copier, **files), folder)) as opened:
        yield opened


def walk(copier: str, folder: str = "made", **given: Any) -> dict[str, AskedQuestion]:
    """The questions of a `copier.yml` as they stand with some answers."""
    with interview(copier, folder) as opened:
        return {each.name: each for each in opened.walk(given)}


def rendered(files: dict[str, str | bytes], folder: str = "made", **given: Any) -> RenderedSkill:
    """What a template becomes, every other question answered by its default."""
    data = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    with kept(Interview(of(data), folder)) as opened:
        asked = opened.walk(given)
        return render(opened, {each.name: each.answer for each in asked})

"""The server, as far as its parts use it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Protocol, TypeVar

from skillstudio.lsp.skills import Documents, Skills

T = TypeVar("T")


class ServerHost(Protocol):
    """Documents, skills, and the worker that checks them."""

    skills: Skills

    def documents(self) -> Documents:
        """The open documents."""

    async def run(self, job: Callable[[], T], is_request: bool = True) -> T:
        """Run a job in the worker."""

    def check_folders(self, folders: Collection[str]) -> None:
        """Check open documents again."""

    def log(self, message: str) -> None:
        """Write a line to the editor's log."""

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Report what failed."""

"""Edits as splices, one module for each syntax."""

from __future__ import annotations


class EditRefused(Exception):
    """An edit that cannot be made without another change; the message says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

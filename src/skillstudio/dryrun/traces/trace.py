"""The trace of a run: its report as JSON, with tokens for sensitive values."""

from __future__ import annotations

import sys
from typing import Any, Literal

from skillstudio import __version__
from skillstudio.dryrun.plan import Launch, PrivateValues
from skillstudio.dryrun.report import RunReport, report_value
from skillstudio.dryrun.traces.key import Key
from skillstudio.interface.wording import SENSITIVE

Mode = Literal["off", "standard", "aggressive"]
MODES: tuple[Mode, ...] = ("off", "standard", "aggressive")
VERSION = "1"


def mode_of(wanted: Mode | None, is_sensitive: bool) -> Mode:
    """The mode of a trace: `aggressive` for a sensitive skill, unless `off`."""
    if is_sensitive and wanted != "off":
        return "aggressive"
    return wanted or "standard"


def make_trace(
    report: RunReport,
    mode: Mode,
    launch: Launch | None = None,
    key: Key | None = None,
    is_sensitive: bool = False,
) -> dict[str, Any]:
    """The JSON value to record, with masks or tokens. `standard` replaces sensitive inputs and all
    variables, `aggressive` whatever the caller gave or the program produced."""
    tokens = _Tokens(report.plan.skill, key)
    value = report_value(report)
    identity = value.pop("identity")
    values = launch.private if launch else PrivateValues()
    inputs = {
        name: tokens.of("input", name, values.hidden[name]) if name in values.hidden else each
        for name, each in value["inputs"].items()
    }
    made = {
        "trace": VERSION,
        "mode": mode,
        "execution": {"skill_version": identity},
        "environment": {
            "isolation": report.plan.isolation.id,
            "skillstudio": __version__,
            "platform": sys.platform,
            "repository": report.plan.roots.repository,
            "variables": {
                name: tokens.of("variable", name, each)
                for name, each in sorted((launch.env if launch else {}).items())
            },
        },
        "given": {
            "arguments": list(values.arguments),
            # Variables set with --secret are named here and given again the same way.
            "env": {
                name: SENSITIVE if name in values.secrets else each
                for name, each in values.env.items()
            },
            "secrets": list(values.secrets),
            "inputs": list(values.inputs),
            "masked": sorted(values.hidden),
        },
        "sensitive": is_sensitive,
        "key": key.id if key else None,
        **value,
        "inputs": inputs,
    }
    return _aggressive(made, values, tokens) if mode == "aggressive" else made


class _Tokens:
    """Tokens of one skill, or masks without a key."""

    def __init__(self, skill: str, key: Key | None) -> None:
        self._skill = skill
        self._key = key

    def of(self, kind: str, name: str, value: Any) -> str:
        if self._key is None:
            return SENSITIVE
        return self._key.token(self._skill, kind, name, value)

    def list(self, kind: str, values: Any) -> list[str]:
        """A token per value; the same text gives the same one in every list of its kind."""
        return [self.of(kind, "", each) for each in values]


def _aggressive(trace: dict[str, Any], values: PrivateValues, tokens: _Tokens) -> dict[str, Any]:
    """A trace without what the caller gave or the program produced: kept are the skill's own names,
    verdicts, numbers and folders. Paths become tokens, so that two runs can be compared."""
    given = trace["given"]
    contract = trace["contract"]
    inputs = {
        name: each if name in values.hidden else tokens.of("input", name, each)
        for name, each in trace["inputs"].items()
    }
    hidden = {
        **given,
        "arguments": tokens.list("argument", given["arguments"]),
        "env": {name: tokens.of("variable", name, each) for name, each in given["env"].items()},
        "masked": sorted(inputs),
    }
    return {
        **trace,
        "inputs": inputs,
        "given": hidden,
        "argv": {system: _first_words(each) for system, each in trace["argv"].items()},
        "steps": [{**each, "argv": _first_words(each["argv"])} for each in trace["steps"]],
        "problems": [{**each, "message": SENSITIVE} for each in trace["problems"]],
        "error": SENSITIVE if trace["error"] else None,
        "contract": {
            "ok": contract["ok"],
            "problems": [SENSITIVE] * len(contract["problems"]),
            "value": None if contract["value"] is None else SENSITIVE,
        },
        "effects": [
            {**each, "evidence": tokens.list("evidence", each["evidence"])}
            for each in trace["effects"]
        ],
        "outputs": [
            {**each, "paths": tokens.list("path", each["paths"])} for each in trace["outputs"]
        ],
        "changes": {
            word: [_hidden_change(each, tokens) for each in changes]
            for word, changes in trace["changes"].items()
        },
        "repeated": tokens.list("path", trace["repeated"]),
        "again": None if trace["again"] is None else tokens.list("path", trace["again"]),
        "varying": tokens.list("path", trace["varying"]),
        "suspects": [SENSITIVE] * len(trace["suspects"]),
        "limits": [SENSITIVE] * len(trace["limits"]),
        "incomplete": [SENSITIVE] * len(trace["incomplete"]),
    }


def _hidden_change(change: dict[str, Any], tokens: _Tokens) -> dict[str, Any]:
    """A changed file with a token for its path, and without its size, which may tell a secret's."""
    path = tokens.of("path", "", change["path"])
    about = SENSITIVE if change["about"] else None
    return {**change, "path": path, "size": 0, "about": about}


def _first_words(argv: list[Any]) -> list[Any]:
    """Each argv with only its program unmasked; a recipe has a list of them."""
    if argv and isinstance(argv[0], list):
        return [_first_words(each) for each in argv]
    return [*argv[:1], *[SENSITIVE] * (len(argv) - 1)]

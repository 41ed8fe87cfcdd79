"""The trace of a run: its report as JSON, with tokens for sensitive values."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from skillstudio import __version__
from skillstudio.dryrun.plan import Launch, PrivateValues
from skillstudio.dryrun.report import RunReport, report_value
from skillstudio.dryrun.traces.key import Key
from skillstudio.interface.wording import SENSITIVE

Mode = Literal["off", "standard", "aggressive"]
MODES: tuple[Mode, ...] = ("off", "standard", "aggressive")
VERSION = "1"


def mode_of(mode: Mode | None, is_sensitive: bool) -> Mode:
    """The mode of a trace: `aggressive` for a sensitive skill, unless `off`."""
    if is_sensitive and mode != "off":
        return "aggressive"
    return mode or "standard"


def make_trace(
    report: RunReport,
    mode: Mode,
    launch: Launch | None = None,
    key: Key | None = None,
    is_sensitive: bool = False,
    stream_digests: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The JSON value to record, with masks or tokens. `standard` replaces sensitive inputs and all
    variables, `aggressive` whatever the caller gave or the program produced. Contents are tokens:
    with a plain digest, anybody could try short values. `stream_digests` has digests of both
    streams."""

    def token(kind: str, name: str, value: Any) -> str:
        return key.token(report.plan.skill, kind, name, value) if key else SENSITIVE

    value = report_value(report)
    identity = value.pop("identity")
    values = launch.private if launch else PrivateValues()
    inputs = {
        name: token("input", name, values.sensitive_inputs[name])
        if name in values.sensitive_inputs
        else input_
        for name, input_ in value["inputs"].items()
    }
    trace = {
        "trace": VERSION,
        "mode": mode,
        "execution": {"skill_version": identity},
        "environment": {
            "isolation": report.plan.isolation.id,
            "skillstudio": __version__,
            "platform": sys.platform,
            "repository": report.plan.roots.repository,
            "variables": {
                name: token("variable", name, text)
                for name, text in sorted((launch.env if launch else {}).items())
            },
        },
        "given": {
            "arguments": list(values.arguments),
            # Variables set with --secret are named here and given again the same way.
            "env": {
                name: SENSITIVE if name in values.secrets else text
                for name, text in values.env.items()
            },
            "secrets": list(values.secrets),
            "inputs": list(values.inputs),
            "masked": sorted(values.sensitive_inputs),
        },
        "sensitive": is_sensitive,
        "key": key.id if key else None,
        **value,
        "inputs": inputs,
        "printed": {
            name: token("content", name, digest) for name, digest in (stream_digests or {}).items()
        },
        "changes": {
            word: [
                {
                    **change,
                    "mode": reported_change.mode or None,
                    "content": (
                        token(
                            "content",
                            f"{reported_change.root}:{reported_change.path}",
                            reported_change.content,
                        )
                        if reported_change.content
                        else None
                    ),
                }
                for change, reported_change in zip(
                    changes, (new for new in report.changes if new.change == word), strict=True
                )
            ]
            for word, changes in value["changes"].items()
        },
    }
    return _aggressive(trace, values, token) if mode == "aggressive" else trace


def _aggressive(
    trace: dict[str, Any], values: PrivateValues, token: Callable[[str, str, Any], str]
) -> dict[str, Any]:
    """A trace without what the caller gave or the program produced: kept are the skill's own names,
    verdicts, numbers and folders. Paths become tokens, so that two runs can be compared."""
    given_values = trace["given"]
    contract = trace["contract"]

    def tokens(kind: str, values: Iterable[Any]) -> list[str]:
        """A token per value; the same text gives the same one in every list of its kind."""
        return [token(kind, "", value) for value in values]

    inputs = {
        name: input_ if name in values.sensitive_inputs else token("input", name, input_)
        for name, input_ in trace["inputs"].items()
    }
    masked_values = {
        **given_values,
        "arguments": tokens("argument", given_values["arguments"]),
        "env": {name: token("variable", name, text) for name, text in given_values["env"].items()},
        "masked": sorted(inputs),
    }
    return {
        **trace,
        "inputs": inputs,
        "given": masked_values,
        "argv": {system: _first_words(argv) for system, argv in trace["argv"].items()},
        "steps": [{**step, "argv": _first_words(step["argv"])} for step in trace["steps"]],
        "problems": [{**problem, "message": SENSITIVE} for problem in trace["problems"]],
        "error": SENSITIVE if trace["error"] else None,
        "contract": {
            "ok": contract["ok"],
            "problems": [SENSITIVE] * len(contract["problems"]),
            "value": None if contract["value"] is None else SENSITIVE,
        },
        "effects": [
            {**effect, "evidence": tokens("evidence", effect["evidence"])}
            for effect in trace["effects"]
        ],
        "outputs": [
            {**output, "paths": tokens("path", output["paths"])} for output in trace["outputs"]
        ],
        "changes": {
            # A size may reveal that of a secret.
            word: [
                {
                    **change,
                    "path": token("path", "", change["path"]),
                    "size": 0,
                    "about": SENSITIVE if change["about"] else None,
                }
                for change in changes
            ]
            for word, changes in trace["changes"].items()
        },
        "repeated": tokens("path", trace["repeated"]),
        "again": None if trace["again"] is None else tokens("path", trace["again"]),
        "varying": tokens("path", trace["varying"]),
        "suspects": [SENSITIVE] * len(trace["suspects"]),
        "limits": [SENSITIVE] * len(trace["limits"]),
        "incomplete": [SENSITIVE] * len(trace["incomplete"]),
    }


def _first_words(argv: list[Any]) -> list[Any]:
    """Each argv with only its program unmasked; a recipe has a list of them."""
    if argv and isinstance(argv[0], list):
        return [_first_words(step) for step in argv]
    return [*argv[:1], *[SENSITIVE] * (len(argv) - 1)]

"""What a run needs to be run again, and when it is refused."""

from __future__ import annotations

from typing import Any

import pytest
from tests.dryrun.traces.conftest import IDENTITY, PLAN, REPORT, SECRET, a_launch, a_trace

from skillstudio.dryrun.plan import PrivateValues
from skillstudio.dryrun.traces.replay import again, another_version, missing
from skillstudio.interface.wording import SENSITIVE

HASH = IDENTITY["content_hash"]
STORE = "/nix/store/abc-tea-1.2.0"
OTHER = "sha256:" + "00" * 32
VERSIONS: list[tuple[str, dict[str, str | None] | None, dict[str, str | None] | None, str]] = [
    ("the same content", {"content_hash": HASH}, {"content_hash": HASH}, ""),
    ("other content", {"content_hash": HASH}, {"content_hash": OTHER}, "run: content_hash was"),
    ("the same place in the store", {"nix_store_path": STORE, "content_hash": HASH},
     {"nix_store_path": STORE, "content_hash": HASH}, ""),
    ("the same content outside the store", {"nix_store_path": STORE, "content_hash": HASH},
     {"content_hash": HASH}, ""),
    ("another place and content", {"nix_store_path": STORE, "content_hash": HASH},
     {"nix_store_path": "/nix/store/x", "content_hash": OTHER}, "run: nix_store_path was"),
    ("the same version number alone", {"version": "1.0.0"}, {"version": "1.0.0"}, "does not say"),
    ("nothing known of then", None, {"content_hash": HASH}, "does not say which version"),
    ("nothing known of now", {"content_hash": HASH}, None, "is unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "then", "now", "said"), VERSIONS, ids=[r[0] for r in VERSIONS])
def test_only_the_skill_that_ran_is_run_again(what: str, then: Any, now: Any, said: str) -> None:
    fault = another_version(a_trace(REPORT._replace(identity=then)), now)
    assert said in fault
    assert bool(fault) == bool(said)


def test_what_is_hidden_must_be_given_again() -> None:
    trace = a_trace()
    assert missing(trace, (), (), ()) == (
        "api_key is not in the trace: give it again with --secret api_key=@FILE",
    )
    assert missing(trace, ("api_key",), (), ()) == ()


def test_what_was_made_up_is_made_up_again() -> None:
    launch = a_launch(
        PrivateValues((), {}, (), ("kind",), {"api_key": "skillstudio-dummy-api_key"})
    )
    assert missing(a_trace(launch=launch), (), (), ()) == ()


def test_without_any_value_all_that_was_given_is_asked_for() -> None:
    told = PrivateValues(("-n", "2"), {"LEAF": "x"}, (), ("kind",), {"api_key": SECRET})
    trace = a_trace(mode="aggressive", launch=a_launch(told))
    assert missing(trace, (), (), ()) == (
        "kind is not in the trace: give it again with --secret kind=@FILE",
        "the variable LEAF is not in the trace: give --env LEAF=VALUE again",
        "the 2 arguments are not in the trace: give them after --",
    )
    assert missing(trace, ("kind",), ("LEAF",), ("-n", "2")) == ()
    found = again(trace, ("-n", "2"))
    assert (found.value, found.arguments, found.env) == ({}, ("-n", "2"), {})


def test_a_value_with_a_masked_part_is_not_taken_for_the_value() -> None:
    plan = PLAN._replace(inputs={"kind": f"Bearer {SENSITIVE}", "cups": 2})
    trace = a_trace(REPORT._replace(plan=plan), launch=a_launch(PrivateValues(inputs=("kind",))))
    assert again(trace).value == {"cups": 2}
    assert missing(trace, (), (), ()) == (
        "kind is not in the trace: give it again with --secret kind=@FILE",
    )


def test_the_same_is_given_and_the_isolation_level_is_the_least() -> None:
    told = PrivateValues(("-n",), {"LEAF": "x", "TOKEN": "t"}, ("TOKEN",), ("kind",))
    found = again(a_trace(launch=a_launch(told)))
    assert found.operation == "brew"
    assert found.value == {"kind": "green", "cups": 2}
    assert found.arguments == ("-n",)
    assert found.env == {"LEAF": "x"}
    assert (found.timeout, found.require) == (12.5, "confined")


def test_one_value_without_names_is_given_as_it_was() -> None:
    plan = PLAN._replace(inputs={"": [1, 2]})
    trace = a_trace(REPORT._replace(plan=plan), launch=a_launch(PrivateValues(inputs=("",))))
    assert again(trace).value == [1, 2]

"""What must not be committed, and what needs an answer first."""

from __future__ import annotations

from skillstudio.dryrun.redaction.guard import credential_lines, password_lines, refusal

TOKEN = "ghp_" + "a1B2c3D4e5" * 4
KEY = "AKIA" + "ABCDEFGHIJ123456"


def test_lines_that_look_like_a_credential_are_refused() -> None:
    text = f"one\ntoken {TOKEN}\nthree\n{KEY}\n"
    assert credential_lines(text) == (2, 4)
    sentence = refusal(text)
    assert "line 2: token ‹sensitive›" in sentence
    assert TOKEN not in sentence
    assert refusal("one\ntwo\n") == ""


def test_what_was_committed_before_is_not_refused_again() -> None:
    old = f"token {TOKEN}\n"
    assert refusal(f"new\n{old}", old) == ""
    assert credential_lines(f"{old}{KEY}\n", old) == (2,)
    assert password_lines("password = tea\npassword = other\n", "password = tea\n") == (2,)

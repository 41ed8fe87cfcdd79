"""What must not be committed by its form, and what needs an answer by its name."""

from __future__ import annotations

import pytest

from skillstudio.dryrun.redaction.guard import (
    credential_lines,
    is_secret_name,
    is_secret_parameter,
    password_lines,
    refusal,
)

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


NAMES = {
    True: [
        *("password", "PASSWORD", "db_password", "dbPasswd", "user-pwd", "passphrase", "secret"),
        *("client_secret", "clientSecret", "token", "access_token", "accessToken", "idToken"),
        *("refresh-token", "X-Amz-Security-Token", "api_key", "apiKey", "apikey", "API-KEY"),
        *("subscription-key", "private_key", "x.api.key", "jwt", "credentials", "AWSSecretKey"),
    ],
    False: [
        *("", "name", "key", "sort_key", "primaryKey", "publicKey", "foreign-key", "keyboard"),
        *("page_token", "nextPageToken", "nextToken", "continuation_token", "syncToken"),
        *("tokens", "max_tokens", "token_type", "token_count", "tokenLimit", "secret_name"),
        *("password_policy", "passwordLength", "secretId", "author", "signature", "session"),
    ],
}


@pytest.mark.parametrize(
    ("name", "is_one"), [(name, is_one) for is_one, names in NAMES.items() for name in names]
)
def test_a_name_of_a_secret(name: str, is_one: bool) -> None:
    assert is_secret_name(name) is is_one


PARAMETERS = [
    # name, value, whether it is a secret
    ("api_key", "1", True),
    ("token", "tea", True),
    ("key", "0123456789abcdef0123456789abcdef", True),
    ("key", "PROJ-1", False),
    ("key", "a-name-without-a-digit", False),
    ("sig", "Zm9vYmFy1234%2Bab%3D", True),
    ("X-Amz-Signature", "fe5f80f77d5fa3beca038a248ff027d0445342fe", True),
    ("sig", "short", False),
    ("session", "2026-spring", False),
    ("code", "US", False),
    ("q", "0123456789abcdef0123456789abcdef", False),
    ("pageToken", "0123456789abcdef0123456789abcdef", False),
    ("", "0123456789abcdef", False),
]


@pytest.mark.parametrize(("name", "value", "is_one"), PARAMETERS)
def test_a_parameter_that_is_a_secret(name: str, value: str, is_one: bool) -> None:
    assert is_secret_parameter(name, value) is is_one

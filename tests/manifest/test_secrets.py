"""What looks like a credential. None of these is one."""

from __future__ import annotations

import pytest

from skillstudio.manifest.secrets import (
    is_secret_name,
    is_secret_parameter,
    looks_like_secret,
)

RANDOM = "a1B2c3D4e5F6g7H8i9J0"
DIGEST = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
"""SHA-256 of nothing, in Base64 for addresses without its filling."""


@pytest.mark.parametrize(
    "text",
    [
        "ghp_" + RANDOM * 2,
        "github_pat_" + RANDOM * 3,
        "sk-ant-api03-" + RANDOM,
        "sk-" + RANDOM,
        "sk_live_" + RANDOM,
        "AKIA" + "A1B2C3D4E5F6G7H8",
        "AIza" + "a1B2c3D" * 5,
        "xoxb-123456789012-" + RANDOM,
        "glpat-" + RANDOM,
        "npm_" + "a1B2c3" * 6,
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----",
        "postgres://user:hunter22@db.example.org/x",
        "://u:key@",
        "Bearer " + RANDOM + "xYz9Q",
        "token=" + "xK9mP2vQ7wL4nR8tY3uB6zA1",
        "sha256=" + "xK9mP2vQ7wL4nR8tY3uB6zA1",
        "sha256=" + DIGEST + "Zz9",
        f"sha256={DIGEST} xK9mP2vQ7wL4nR8tY3uB6zA1",
        f"xsha256={DIGEST}",
        DIGEST,
        "h1:" + DIGEST,
    ],
)
def test_credentials(text: str) -> None:
    assert looks_like_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Create org-mode worklogs documenting work sessions.",
        "sha256:" + "0a1b2c3d" * 8,
        "9d2f1ae1" * 5,
        "docs/worklogs/{{session_date}}-{{topic}}.org",
        "sk-learn-preprocessing-tools-are-nice",
        "your-api-key-here-please-replace-me",
        "AzureOpenAIChatCompletionClient2024",
        "https://example.org/a/very/long/path/to/SomeDocument-2024-01-15.html",
        "https://github.com/D4Vinci/Scrapling/tree/v0.4.7",
        "https://learn.microsoft.com/en-us/azure/AI-services/v2/OpenAI-Quickstart1",
        "https://raw.githubusercontent.com/Owner/Name/0a1b2c3d4e5f60718293a4b5c6d7e8f901234567/x.md",
        "postgres://user:$PASSWORD@db/x",
        "://u:k2@",
        "://u:@",
        "postgres://user:{{password}}@db/x",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1A1A1A",
        f"tool/__init__.py,sha256={DIGEST},0",
        f"sha256-{DIGEST}=",
        f'"integrity": "sha512-{DIGEST * 2}==",',
        f"golang.org/x/mod v0.1.0 h1:{DIGEST.translate({45: 43, 95: 47})}=\n",
        f"a.py,sha256={DIGEST},12\nb.py,sha256={DIGEST},9\n",
        "550e8400-e29b-41d4-a716-446655440000",
    ],
)
def test_no_credentials(text: str) -> None:
    assert not looks_like_secret(text)


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

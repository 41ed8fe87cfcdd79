"""What looks like a credential. None of these is one."""

from __future__ import annotations

import pytest

from skillstudio.manifest.secrets import looks_like_secret

RANDOM = "a1B2c3D4e5F6g7H8i9J0"


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
        "postgres://user:$PASSWORD@db/x",
        "://u:k2@",
        "://u:@",
        "postgres://user:{{password}}@db/x",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1A1A1A",
        "550e8400-e29b-41d4-a716-446655440000",
    ],
)
def test_no_credentials(text: str) -> None:
    assert not looks_like_secret(text)

"""A waiver is added to the settings, and nothing else of them changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.settings.read import read_settings
from skillstudio.skill.versions.waiving import WaiverRefused, waive, workspace_settings
from skillstudio.text.source import Source
from skillstudio.text.splicing import apply

ONE, TWO = "0123456789ab", "ba9876543210"


def waived(text: str, fingerprint: str = ONE, reason: str = "looked at") -> str:
    return apply(text, waive(Source(text, "skillstudio.toml"), fingerprint, reason))


TABLE = f'[[waive]]\nfingerprint = "{ONE}"\nreason = "looked at"\n'


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("", TABLE),
        ('targets = ["spec"] # why\n', f'targets = ["spec"] # why\n\n{TABLE}'),
        ('[rules]\na = "off"', f'[rules]\na = "off"\n\n{TABLE}'),
        ('[rules]\r\na = "off"\r\n', '[rules]\r\na = "off"\r\n\r\n' + TABLE.replace("\n", "\r\n")),
        (
            f'[[waive]]\nfingerprint = "{TWO}"\nreason = "x" # y\n\n[policy]\neffects = []\n',
            f'[[waive]]\nfingerprint = "{TWO}"\nreason = "x" # y\n\n{TABLE}\n'
            "[policy]\neffects = []\n",
        ),
    ],
)
def test_a_waiver_is_added(text: str, made: str) -> None:
    assert waived(text) == made


@pytest.mark.parametrize("text", ["waive = []\n", f'waive = [{{fingerprint="{TWO}", reason="x"}}]'])
def test_a_list_in_one_line_takes_it_too(text: str) -> None:
    made = read_settings(Source(waived(text), "skillstudio.toml"))
    assert made.waivers[-1][:2] == (ONE, "looked at")
    assert not made.diagnostics


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip))
def test_any_reason_is_read_back(reason: str) -> None:
    text = "[policy]\neffects = []\n"
    made = read_settings(Source(waived(text, reason=reason), "skillstudio.toml"))
    assert [(w.fingerprint, w.reason) for w in made.waivers] == [(ONE, reason.strip())]


@pytest.mark.parametrize(
    ("text", "fingerprint", "reason", "said"),
    [
        ("", "0123", "x", "0123 is not a fingerprint"),
        ("", "0123456789AB", "x", "is not a fingerprint"),
        ("", ONE, " \n", "needs a reason"),
        (TABLE, ONE, "again", f"{ONE} is already waived: looked at"),
        ("a = \n", ONE, "x", "skillstudio.toml:1:3: .*fix it first"),
        ("waive = 3\n", ONE, "x", "`waive` is not a list of tables"),
    ],
)
def test_what_cannot_be_written_is_refused(
    text: str, fingerprint: str, reason: str, said: str
) -> None:
    with pytest.raises(WaiverRefused, match=said):
        waived(text, fingerprint, reason)


def test_the_file_is_the_one_that_holds_else_the_root_of_the_repository(tmp_path: Path) -> None:
    folder = tmp_path / "repo" / "skills" / "one"
    folder.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    root = (tmp_path / "repo").resolve()
    assert workspace_settings(str(folder)).path == str(root / "skillstudio.toml")
    (root / "skills" / "skillstudio.toml").write_text("")
    assert workspace_settings(str(folder)).path == str(root / "skills" / "skillstudio.toml")

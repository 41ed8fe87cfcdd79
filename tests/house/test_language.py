"""The language rules: no forbidden words in texts, docstrings and comments, and correct plurals."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src/skillstudio"


class Word(NamedTuple):
    """A forbidden word or phrase: a regular expression and the term to use instead."""

    pattern: str
    instead: str
    only_shown: bool = False
    """Whether docstrings and comments may use it."""


FORBIDDEN = (
    Word(r"told", "reported, known, described"),
    Word(r"tells? (?:of|apart)", "reports, distinguishes"),
    Word(r"(?:say|says|said|saying) of", "says about, reports"),
    Word(r"(?:stands?|stood|standing)(?! for\b)(?!-)", "is, appears, is located"),
    Word(r"held against|not held", "compared with, not checked"),
    Word(r"(?:must|may|can|should|still|longer|not) hold|holds? (?:true|good)", "is true, applies"),
    Word(r"holds?(?=[.,;:]|$)", "is true, applies"),
    Word(r"what (?:comes|came|goes|went) (?:out|in|into)", "the output, the input"),
    Word(r"by (?:itself|themselves)", "by default, automatically, separately"),
    Word(
        r"takes? no(?! (?:\w+ )?(?:arguments?|options?|parameters?|values?|input|effect|time)\b)",
        "accepts no, rejects, has no",
    ),
    Word(r"without a word", "silently"),
    Word(r"made[- ]up(?! of\b)", "generated"),
    Word(r"(?:mend|mends|mended|mending)", "fix"),
    Word(r"(?:is|are|was|were|be|been) gone", "was removed, does not exist"),
    Word(
        r"(?:is|are|was|were|be) there"
        r"(?=(?: already| yet| now| too| twice| at all| once)?(?:[.,;:)]|$| and | but | when ))",
        "exists, is present",
    ),
    Word(r"carr(?:y|ies|ied) over", "copies, keeps"),
    Word(
        r"lies|lain|(?:lie|lay|lying) (?:in|on|at|below|beside|outside|within|there|elsewhere)",
        "is in, is located",
    ),
    Word(r"behind(?! (?:a|the) (?:dialog|modal|screen|proxy))", "after"),
    Word(r"(?:begin|begins|began|begun) (?:a|the) (?:new )?(?:skill|draft)", "creates"),
    Word(r"(?:begin|begins|began|begun) with a template", "is created from"),
    Word(r"(?:the )?(?:other|two|both|either) doors?", "the CLI, the TUI"),
    Word(r"(?:this|that|these|another|other|each|every|one) rooms?(?! for\b)", "module, package"),
    Word(r"--profile|skillstudio profiles", "--target, skillstudio targets"),
    Word(r"consumers?", "target"),
    Word(r"rungs?|ladder", "isolation level"),
    Word(r"holes?", "known gap"),
    Word(r"manifest systems?", "dialect"),
    Word(r"witness(?:es)?", "counterexample", only_shown=True),
    Word(r"(?:take|takes|taken|taking) (?:it|them|this|a change) on", "waive"),
    Word(r"(?:bring|brings|brought|bringing) (?:it |them |changes )?into", "apply"),
    Word(r"(?:is|are|was|were) asked for", "required, requested"),
    Word(r"kept runs?", "recorded run"),
    Word(r"findings?", "problem", only_shown=True),
    Word(r"under the cursor", "selected"),
    Word(r"set out(?! to\b)", "rendered"),
    Word(r"looks? again", "rescan"),
    Word(r"desks?", "session"),
)
_ANY = re.compile(
    # The test for the start of a word comes first: most characters are inside of one.
    r"(?<![\w-])(?:"
    + "|".join(
        f"(?P<w{number}>{word.pattern})".replace(" ", r"\s+")
        for number, word in enumerate(FORBIDDEN)
    )
    + r")(?![\w-])",
    re.IGNORECASE,
)
_CODE = re.compile(r"``[^`]*``|`[^`\n]*`|\{[^{}\n]*\}|https?://\S+")
_SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:]? [a-z]{2,}")
_PATTERN = re.compile(r"\(\?|\\[sdwb]|\[\^")
_ONE = re.compile(r"(?<![\w.,:/+-])1 (?!(?:is|was|has|does|as|plus|minus|less|across)\b)[a-z]+s\b")
_SINGULARS = frozenset(("process", "address", "class", "access", "pass", "status", "focus"))


class Text(NamedTuple):
    """A text of the project with the line it starts on."""

    path: str
    line: int
    text: str
    shown: bool
    """Whether people see it in the terminal, in help or in the docs."""


def forbidden(text: Text) -> Iterator[str]:
    """`path:line: "word": use …` for each forbidden word and wrong plural of a text."""
    plain = _CODE.sub(lambda match: "`" + " " * (len(match[0]) - 2) + "`", text.text)
    for match in _ANY.finditer(plain):
        word = FORBIDDEN[int(str(match.lastgroup)[1:])]
        if text.shown or not word.only_shown:
            line = text.line + text.text.count("\n", 0, match.start())
            found = " ".join(match[0].split())
            yield f'{text.path}:{line}: "{found}": use "{word.instead}"'
    for match in _ONE.finditer(text.text) if text.shown else ():
        noun = match[0].split()[-1]
        if noun not in _SINGULARS:
            line = text.line + text.text.count("\n", 0, match.start())
            yield f'{text.path}:{line}: "{match[0]}": use the singular, "1 {noun[:-1]}"'


def texts(path: Path) -> Iterator[Text]:
    """The texts of a file that people read."""
    name = str(path.relative_to(ROOT))
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from _python(name, content)
    elif path.suffix == ".json":
        yield from _json(name, content)
    elif path.suffix == ".toml":
        lines = [(number, line) for number, line in enumerate(content.split("\n"), 1)]
        yield from (Text(name, n, line, True) for n, line in lines if _is_prose(line))
    elif path.suffix == ".md":
        yield from _markdown(name, content)


def _is_prose(line: str) -> bool:
    return bool(_SENTENCE.search(line)) and not line.startswith(("source = ", "bad = ", "good = "))


def _python(path: str, content: str) -> Iterator[Text]:
    inner: set[int] = set()
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner.add(id(node.value))
            if isinstance(node.value.value, str):
                yield Text(path, node.lineno, node.value.value, False)
        elif isinstance(node, ast.JoinedStr):
            parts = node.values
            inner.update(id(part) for part in parts)
            written = [str(p.value) if isinstance(p, ast.Constant) else "{}" for p in parts]
            yield from _literal(path, node.lineno, "".join(written))
        elif isinstance(node, ast.Constant) and id(node) not in inner:
            yield from _literal(path, node.lineno, node.value)
    block: list[str] = []
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1 and block:
                yield Text(path, last - len(block) + 1, "\n".join(block), False)
                block = []
            block.append(token.string)
            last = token.start[0]
    if block:
        yield Text(path, last - len(block) + 1, "\n".join(block), False)


def _literal(path: str, line: int, text: object) -> Iterator[Text]:
    if isinstance(text, str) and _SENTENCE.search(text) and not _PATTERN.search(text):
        yield Text(path, line, text, True)


def _json(path: str, content: str) -> Iterator[Text]:
    def walk(value: Any, shown: bool) -> Iterator[str]:
        if isinstance(value, dict):
            for key, each in value.items():
                known = key in ("description", "title", "x-message", "x-enum-descriptions")
                yield from walk(each, shown or known)
        elif isinstance(value, list):
            for each in value:
                yield from walk(each, False)
        elif isinstance(value, str) and shown:
            yield value

    for text in walk(json.loads(content), False):
        at = content.find(json.dumps(text, ensure_ascii=False))
        yield Text(path, content.count("\n", 0, max(at, 0)) + 1, text, True)


def _markdown(path: str, content: str) -> Iterator[Text]:
    fenced = False
    for number, line in enumerate(content.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield Text(path, number, line, True)


def _files() -> list[Path]:
    found = [path for path in SOURCE.rglob("*") if path.suffix in (".py", ".json", ".toml")]
    return sorted([*found, *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])


@pytest.mark.slow
def test_no_forbidden_word_is_used() -> None:
    found = [each for path in _files() for text in texts(path) for each in forbidden(text)]
    assert found == [], "\n".join(["", *found])


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("no client was told", "told"),
        ("the key name stands twice", "stands"),
        ("something stands against a run", "stands"),
        ("the two are held against each other", "held against"),
        ("whether the contract still holds", "holds"),
        ("what must hold before a run", "must hold"),
        ("what comes out is read", "what comes out"),
        ("off by itself", "by itself"),
        ("this question takes no answer", "takes no"),
        ("agents drop it\nwithout a\n word", "without a word"),
        ("values are made up", "made up"),
        ("Mend this", "Mend"),
        ("the file is gone", "is gone"),
        ("the folder is there already", "is there"),
        ("the file that was there.", "was there"),
        ("titles are carried over", "carried over"),
        ("it lies in an archive", "lies"),
        ("the text behind it", "behind"),
        ("as the other door does", "the other door"),
        ("another room starts it", "another room"),
        ("what a consumer accepts", "consumer"),
        ("the highest rung", "rung"),
        ("5 stated holes", "holes"),
        ("the manifest system", "manifest system"),
        ("a witness is shown", "witness"),
        ("a major step is asked for", "is asked for"),
        ("2 findings", "findings"),
        ("1 changes, 2 files", "1 changes"),
    ],
)
def test_a_forbidden_word_is_named_with_its_place(text: str, word: str) -> None:
    (found,) = forbidden(Text("a.py", 7, text, True))
    line = 7 + text[: text.index(word.split()[0])].count("\n")
    assert found.startswith(f'a.py:{line}: "{word}": use ')


@pytest.mark.parametrize(
    "text",
    [
        "there is no file",
        "is there a newer version",
        "takes no arguments",
        "takes no positional arguments",
        "* stands for any name",
        "a stand-in",
        "standard output",
        "a list holds at most 5 items",
        "made up of two parts",
        "the list behind the dialog",
        "`told`, `lies` and {witness} are names",
        "no room for more",
        "1 process, 1 change, 2 changes, 1.1 changes, 21 changes",
    ],
)
def test_a_common_use_is_accepted(text: str) -> None:
    assert list(forbidden(Text("a.py", 1, text, True))) == []


def test_code_may_use_the_names_of_the_field() -> None:
    assert list(forbidden(Text("a.py", 1, "The finding with its witness.", False))) == []


def test_every_kind_of_text_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    files = {
        "a.py": '"""It is told."""\n\nX = 1\n"""It is told."""\n# it is\n# told\n'
        'Y = f"{X} was told so"\nZ = r"told\\s (?:told so)"\n',
        "a.toml": 'message = "it was told"\nsource = "as it was told"\n',
        "a.json": '{"told": 1,\n "description": "it was told"}',
        "a.md": "It was told.\n```\nit was told\n```\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    found = [
        each.split(" ")[0]
        for name in files
        for text in texts(tmp_path / name)
        for each in forbidden(text)
    ]
    assert sorted(found) == [
        "a.json:2:",
        "a.md:1:",
        "a.py:1:",
        "a.py:4:",
        "a.py:6:",
        "a.py:7:",
        "a.toml:1:",
    ]

#!/usr/bin/env python3
"""Count the lines and words of a text file. The last line of output is JSON."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """An argument parser that reports errors as JSON."""

    def error(self, message: str) -> NoReturn:
        sys.exit(answer({"status": "error", "error": message}))


def count(text: str, top: int) -> dict[str, Any]:
    """Return the numbers of lines and words, and the `top` most frequent words, ties sorted."""
    words = re.findall(r"[^\W_]+", text.casefold())
    frequent = sorted(Counter(words).items(), key=lambda each: (-each[1], each[0]))[:top]
    return {
        "lines": len(text.splitlines()),
        "words": len(words),
        "frequent": [{"word": word, "times": times} for word, times in frequent],
    }


def answer(value: dict[str, Any]) -> int:
    """Print the result and return the exit status."""
    print(json.dumps(value))
    return 0 if value["status"] == "ok" else 1


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(description=__doc__)
    parser.add_argument("file", type=Path, help="a UTF-8 text file")
    parser.add_argument("--top", type=int, default=3, help="number of frequent words to list")
    options = parser.parse_args(arguments)
    try:
        text = options.file.read_text(encoding="utf-8")
    except OSError as error:
        return answer({"status": "error", "error": f"{options.file}: {error.strerror}"})
    except UnicodeDecodeError:
        return answer({"status": "error", "error": f"{options.file}: not UTF-8"})
    return answer({"status": "ok", **count(text, max(options.top, 0))})


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Keep short notes in a SQLite file."""

import argparse
import sqlite3
from contextlib import closing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="the file of the notes")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="Keep a note")
    add.add_argument("text", help="what to keep")
    add.add_argument("--weight", type=float, default=1.0, help="how much it matters")
    find = commands.add_parser("find", help="Find notes with a word in them")
    find.add_argument("word", help="the word")
    find.add_argument("--limit", type=int, default=10, help="how many notes to print")
    options = parser.parse_args()
    with closing(sqlite3.connect(options.database)) as notes:
        notes.execute("CREATE TABLE IF NOT EXISTS note (text TEXT, weight REAL)")
        if options.command == "add":
            notes.execute("INSERT INTO note VALUES (?, ?)", (options.text, options.weight))
            notes.commit()
        else:
            rows = notes.execute(
                "SELECT text FROM note WHERE instr(text, ?) ORDER BY weight DESC LIMIT ?",
                (options.word, options.limit),
            )
            for (text,) in rows:
                print(text)


if __name__ == "__main__":
    main()

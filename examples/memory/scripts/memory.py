"""Store memories in a SQLite file.

usage: memory.py search QUERY [LIMIT]
       memory.py store TYPE CATEGORY TITLE TAGS_CSV IMPORTANCE [CONTENT]
       memory.py health | types

The last line of standard output is always JSON.
"""

import hashlib
import json
import os
import re
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

TYPES = [
    ("semantic", "permanent", "Facts and knowledge that stay true"),
    ("episodic", "90 days", "What happened in a session, and when"),
    ("procedural", "permanent", "How something is done, step by step"),
    ("working", "1 day", "What matters only for the task at hand"),
]
STALE_DAYS = {"semantic": 365, "episodic": 90, "procedural": 365, "working": 1}
DAY = 86_400
SCHEMA = """
create table if not exists memories (
    id integer primary key,
    digest text not null unique,
    type text not null,
    category text not null,
    title text not null,
    tags text not null,
    importance integer not null,
    content text not null,
    used_at real not null
)
"""


class Refused(Exception):
    """An invalid call; the message gives the reason."""


def database():
    default = Path.home() / ".local" / "share" / "skill-memory" / "memory.db"
    path = Path(os.environ.get("SKILL_MEMORY_DB") or default)
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    connection.execute(SCHEMA)
    columns = {column["name"] for column in connection.execute("pragma table_info(memories)")}
    if "content" not in columns:
        # Version 0.1.0 of this skill stored only titles.
        connection.execute("alter table memories add column content text not null default ''")
    return connection


def whole(text, name, least, most):
    if not re.fullmatch(r"[0-9]{1,6}", text) or not least <= int(text) <= most:
        raise Refused(f"{name} must be a whole number from {least} to {most}")
    return int(text)


def words(text):
    return {word.casefold() for word in re.findall(r"\w+", text)}


def relevance(query, row):
    """Return the share of the query's words in a memory; words of title and tags count double."""
    heading = words(f"{row['title']} {row['tags']} {row['category']}")
    body = words(row["content"])
    score = sum(1.0 if word in heading else 0.5 if word in body else 0.0 for word in query)
    return round(score / len(query), 3)


def search(connection, query="", limit="5"):
    wanted = words(query)
    if not wanted:
        raise Refused("the query must hold a word")
    most = whole(limit or "5", "limit", 1, 100)
    ranked = [(relevance(wanted, row), row) for row in connection.execute("select * from memories")]
    ranked = [pair for pair in ranked if pair[0] > 0]
    ranked.sort(key=lambda pair: (-pair[0], -pair[1]["importance"], pair[1]["id"]))
    found = ranked[:most]
    now = time.time()
    with connection:
        connection.executemany(
            "update memories set used_at = ? where id = ?", [(now, row["id"]) for _, row in found]
        )
    return {
        "data": [
            {
                "id": row["id"],
                "title": row["title"],
                "content": row["content"],
                "relevance_score": score,
            }
            for score, row in found
        ]
    }


def store(connection, kind="", category="", title="", tags="", importance="", content=""):
    if kind not in STALE_DAYS:
        raise Refused(f"memory_type must be one of {', '.join(STALE_DAYS)}")
    if not title.strip():
        raise Refused("the title must not be empty")
    weight = whole(importance, "importance", 1, 10)
    tags = ",".join(tag.strip() for tag in tags.split(",") if tag.strip())
    digest = hashlib.sha256(json.dumps([kind, category, title, content]).encode()).hexdigest()
    with connection:
        connection.execute(
            "insert into memories (digest, type, category, title, tags, importance, content,"
            " used_at) values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (digest) do update set"
            " tags = excluded.tags, importance = excluded.importance, used_at = excluded.used_at",
            (digest, kind, category, title, tags, weight, content, time.time()),
        )
    row = connection.execute("select id from memories where digest = ?", (digest,)).fetchone()
    return {"id": row["id"]}


def health(connection):
    rows = connection.execute("select type, importance, used_at from memories").fetchall()
    now = time.time()
    stale = sum(now - row["used_at"] > STALE_DAYS[row["type"]] * DAY for row in rows)
    average = round(sum(row["importance"] for row in rows) / len(rows), 2) if rows else 0
    mostly_stale = stale * 2 > len(rows)
    return {
        "data": [
            {"metric": "total", "value": len(rows), "status": "ok"},
            {"metric": "average_importance", "value": average, "status": "ok"},
            {"metric": "stale", "value": stale, "status": "warn" if mostly_stale else "ok"},
        ]
    }


def types(connection):
    names = ("type", "lifespan", "description")
    return {"data": [dict(zip(names, each, strict=True)) for each in TYPES]}


OPERATIONS = {
    "search": (search, 2),
    "store": (store, 6),
    "health": (health, 0),
    "types": (types, 0),
}


def answer(arguments):
    if not arguments or arguments[0] not in OPERATIONS:
        raise Refused(f"the operation must be one of {', '.join(OPERATIONS)}")
    operation, most = OPERATIONS[arguments[0]]
    if len(arguments) - 1 > most:
        raise Refused(f"{arguments[0]} takes at most {most} arguments")
    with closing(database()) as connection:
        return operation(connection, *arguments[1:])


def main():
    try:
        result = {"status": "ok", **answer(sys.argv[1:])}
    except (Refused, sqlite3.Error, OSError) as error:
        result = {"status": "error", "error": str(error)}
    print(json.dumps(result))
    sys.exit(0 if result["status"] == "ok" else 1)


if __name__ == "__main__":
    main()

"""Show the tables and first rows of an untrusted SQLite file.

It is opened read-only and immutable, so nothing is written or locked; only the schema and plain
tables are read, none of its functions are called, and work and sizes are limited.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from time import thread_time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from skillstudio.preview.source import ByteSource, DiskSource
from skillstudio.preview.spans import Line, StyledSpan, align_rows, line, size_words
from skillstudio.preview.view import FileView, ViewRequest
from skillstudio.preview.views.table import render_cell

if TYPE_CHECKING:
    import sqlite3

_TABLES = 50
_ROWS = 20
_COLUMNS = 30
_COUNTED_ROWS = 1_000  # Rows of a table that are counted; then "more than" is shown.
_LARGEST_VALUE = 256 << 10
_LARGEST_IN_MEMORY = 16 << 20
_STEP = 1_000  # SQLite instructions between two checks of the clock.
_SECONDS = 0.06  # CPU seconds for one statement; the first one reads the whole schema.
_BLOB = 16
_VIRTUAL_COLUMN = 2  # SQLite's code for a virtual generated column.


def database_view(request: ViewRequest) -> FileView:
    return request.lazy_view(database_lines)


def warm(_kind: str) -> None:
    import sqlite3  # noqa: F401


def database_lines(source: ByteSource, notes: list[str]) -> Iterator[Line]:
    """The tables with their columns and first rows, or messages where unreadable."""
    import sqlite3

    try:
        connection = _connect(source)
    except (sqlite3.Error, OSError, ValueError, MemoryError) as error:
        yield line(("it cannot be opened as a database: ", "error"), _error_text(error))
        return
    if isinstance(source, DiskSource) and os.path.lexists(f"{source.path}-wal"):
        notes.append("changes in its -wal file are not shown")
    try:
        _limit(connection)
        yield from _tables(connection)
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
        yield line(("it cannot be read: ", "error"), _error_text(error))
    finally:
        connection.close()


def _connect(source: ByteSource) -> sqlite3.Connection:
    import sqlite3

    if isinstance(source, DiskSource):
        # SQLite would follow a link or block on a pipe that replaced the file.
        if not stat.S_ISREG(os.lstat(source.path).st_mode):
            raise ValueError("it was replaced")
        uri = f"file:{quote(source.path.replace(os.sep, '/'))}?mode=ro&immutable=1"
        return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    if source.size > _LARGEST_IN_MEMORY:
        raise ValueError("it is too large to be read into memory")
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.deserialize(source.read(0, source.size))
    return connection


def _limit(connection: sqlite3.Connection) -> None:
    import sqlite3

    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LARGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    allowed_actions = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ)

    def authorise(action: int, first: str | None, *_: str | None) -> int:
        is_columns = action == sqlite3.SQLITE_PRAGMA and first == "table_xinfo"
        return sqlite3.SQLITE_OK if action in allowed_actions or is_columns else sqlite3.SQLITE_DENY

    # Before the first statement, which reads the whole schema.
    _start(connection)
    for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "query_only=ON", "mmap_size=0"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("PRAGMA cache_size=-2000")
    connection.set_authorizer(authorise)


def _start(connection: sqlite3.Connection) -> None:
    """Start the time limit of the next statement."""
    until = thread_time() + _SECONDS
    connection.set_progress_handler(lambda: thread_time() > until, _STEP)


def _tables(connection: sqlite3.Connection) -> Iterator[Line]:
    _start(connection)
    query = "SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view') LIMIT ?"
    schema_rows = connection.execute(query, (_TABLES + 1,)).fetchall()
    if not schema_rows:
        yield line(("it has no tables", "quiet"))
    for name, kind, sql in schema_rows[:_TABLES]:
        title = str(name)
        if title.startswith("sqlite_"):
            continue
        words = str(sql or "").upper().split()
        if kind == "view" or words[:2] == ["CREATE", "VIRTUAL"]:
            what = "a view" if kind == "view" else "a virtual table"
            yield line((title, "heading"), (f"  {what}: it runs code, so it is not read", "quiet"))
        else:
            yield from _table(connection, title)
        yield ()
    if len(schema_rows) > _TABLES:
        yield line((f"more than {_TABLES} tables; the first are shown", "quiet"))


def _table(connection: sqlite3.Connection, name: str) -> Iterator[Line]:
    import sqlite3

    quoted_name = _quote_name(name)
    _start(connection)
    try:
        column_rows = connection.execute(f"PRAGMA table_xinfo({quoted_name})").fetchall()
        # Generated columns run untrusted code that cannot be interrupted.
        columns = [str(row[1]) for row in column_rows if row[6] != _VIRTUAL_COLUMN]
        computed_count = len(column_rows) - len(columns)
        selection = ", ".join(map(_quote_name, columns[:_COLUMNS])) or "NULL"
        cursor = connection.execute(f"SELECT {selection} FROM {quoted_name} LIMIT {_ROWS}")  # noqa: S608
        rows = [[_value(cell) for cell in row] for row in cursor]
        # count(*) is one instruction that cannot be interrupted; single rows can.
        counted_rows = connection.execute(f"SELECT 1 FROM {quoted_name} LIMIT {_COUNTED_ROWS + 1}")  # noqa: S608
        count = sum(1 for _ in counted_rows)
    except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
        yield line((name, "heading"), ("  cannot be read: ", "error"), _error_text(error))
        return
    qualifier = "more than " if count > _COUNTED_ROWS else ""
    summary = f"  {qualifier}{min(count, _COUNTED_ROWS):,} row{'' if count == 1 else 's'}"
    if len(columns) > _COLUMNS:
        summary += f", {len(columns)} columns, the first {_COLUMNS} are shown"
    if computed_count:
        summary += (
            f", {computed_count} computed column{'' if computed_count == 1 else 's'} not read"
        )
    yield line((name, "heading"), (summary, "quiet"))
    for row in align_rows([list(map(render_cell, columns[:_COLUMNS])), *rows] if columns else []):
        yield (StyledSpan("  "), *row)
    if count > len(rows):
        yield line(("  …", "quiet"))


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _error_text(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        # SQLite's messages quote arbitrary bytes of the file.
        return bytes(error.object).decode("utf-8", "replace")
    message = str(error) or "it needs too much memory"
    return "it takes too long" if message == "interrupted" else message


def _value(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        ellipsis = "…" if len(value) > _BLOB else ""
        return f"x'{value[:_BLOB].hex()}{ellipsis}' ({size_words(len(value))})"
    return render_cell(str(value))

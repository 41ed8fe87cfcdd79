"""Render templates in a process that `renderer.py` starts and can kill at any time.

Templates are untrusted programs: they can loop for ever, exhaust memory and probe objects. So the
process has Jinja's immutable sandbox, no files, no environment, and limits. With Landlock and a
policy from the parent it confines itself before rendering: no sockets, no programs, and read
access only to what Python and Jinja import. It runs as a script with only Jinja on its path, so
nothing of skillstudio may be imported here.

Requests are JSON lines: `open` (delimiters and files), then any number of `render` (a context and
items). `open` and each item get one line in reply: `text`, or `error` with `kind`, `name`, `line`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
import time
from collections.abc import Callable
from typing import Any

MEMORY = 512 << 20  # Bytes of address space; Python and Jinja use about a fifth.
CPU = 120  # CPU seconds after which the system ends the process, in case its parent died.
MAX_TEXT = 8 << 20  # Characters rendered for all items of one request.
MAX_REPEAT = 1 << 20  # Items or characters that a repetition may produce.
MAX_BITS = 1 << 16  # Bits of a number that a power or a shift may produce.


class TemplateTooLarge(Exception):
    """A template exceeds a limit."""


def main() -> int:
    """Answer requests until the input ends."""
    sys.path.extend(sys.argv[1:])
    sandbox: Any = None
    _limit()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["op"] == "open":
            try:
                sandbox = environment(request)
                if request["confine"]:
                    _confine(*map(bytes.fromhex, request["confine"]))
                _say({"text": ""})
            except OSError as error:
                _say(_error("options", f"the renderer cannot be confined: {error.strerror}"))
                return 1
            except Exception as error:
                # Jinja checks its options with assertions.
                _say(_error("options", f"Jinja rejects the options in _envops: {error}"))
        else:
            _answer(sandbox, request)
    return 0


def _limit() -> None:
    # Import first: it needs more files and memory than templates may use.
    import ctypes  # noqa: F401

    import jinja2.sandbox  # noqa: F401

    try:
        import resource
    except ImportError:
        # Windows: only the parent's timeout and the limits below apply.
        return
    limits = [("RLIMIT_AS", MEMORY), ("RLIMIT_CPU", CPU), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0)]
    for name, value in limits:
        limit = getattr(resource, name, None)
        if limit is not None:
            _, hard = resource.getrlimit(limit)
            ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
            try:
                resource.setrlimit(limit, (ceiling, ceiling))
            except (ValueError, OSError):
                # macOS rejects some of them; the others still apply.
                continue


def _confine(landlock: bytes, calls: bytes) -> None:
    """Irrevocably give up the network, other programs, and files except those of Python and Jinja.

    Raises OSError.
    """
    import ctypes

    # The time zone is read from a file once.
    time.localtime()

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long

    class RendererFilter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))

    def check_result(result: int) -> int:
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    create, add, restrict, no_new_privileges, set_seccomp, by_filter = 444, 445, 446, 38, 22, 2
    read_files_and_folders = 0b1100
    check_result(libc.prctl(no_new_privileges, ctypes.c_ulong(1), 0, 0, 0))
    size = ctypes.c_size_t(len(landlock))
    ruleset = check_result(libc.syscall(ctypes.c_long(create), landlock, size, 0))
    for folder in (os.path.dirname(os.__file__), *sys.argv[1:]):
        folder_handle = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        rule = read_files_and_folders.to_bytes(8, sys.byteorder) + folder_handle.to_bytes(
            4, sys.byteorder
        )
        check_result(
            libc.syscall(ctypes.c_long(add), ctypes.c_int(ruleset), 1, ctypes.c_char_p(rule), 0)
        )
        os.close(folder_handle)
    check_result(libc.syscall(ctypes.c_long(restrict), ctypes.c_int(ruleset), 0))
    os.close(ruleset)
    program = RendererFilter(len(calls) // 8, calls)
    check_result(libc.prctl(set_seccomp, by_filter, ctypes.byref(program), 0, 0))


def environment(request: dict[str, Any]) -> Any:
    """The sandbox of one template, with its delimiters and its files for `include`."""
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class BoundedSandbox(ImmutableSandboxedEnvironment):
        """A sandbox that limits operators with large results."""

        intercepted_binops = frozenset(["*", "**", "%"])

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            _check_operation(operator, left, right)
            return super().call_binop(context, operator, left, right)

    options = dict(request["envops"])
    lenient = options.pop("undefined", "") == "jinja2.Undefined"
    files: dict[str, str] = request["files"]

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        return (files[name], name, lambda: True) if name in files else None

    sandbox = BoundedSandbox(
        loader=jinja2.FunctionLoader(load),
        undefined=jinja2.Undefined if lenient else jinja2.StrictUndefined,
        extensions=request["extensions"],
        cache_size=0,
        **options,
    )
    sandbox.filters.update(FILTERS)
    return sandbox


def _check_operation(operator: str, left: Any, right: Any) -> None:
    if operator == "*":
        for many, times in ((left, right), (right, left)):
            is_repetition = isinstance(many, (str, list, tuple)) and isinstance(times, int)
            if is_repetition and len(many) * times > MAX_REPEAT:
                raise TemplateTooLarge(f"a repetition produces more than {MAX_REPEAT} items")
        if isinstance(left, int) and isinstance(right, int):
            _bound_bits(left.bit_length() + right.bit_length())
    elif operator == "**" and isinstance(left, int) and isinstance(right, int):
        _bound_bits(left.bit_length() * max(right, 0))
    elif operator == "%" and isinstance(left, str) and _widest(left) > MAX_REPEAT:
        raise TemplateTooLarge(f"a format width is more than {MAX_REPEAT}")


def _bound_bits(bits: int) -> None:
    if bits > MAX_BITS:
        raise TemplateTooLarge(f"a number is longer than {MAX_BITS} bits")


def _widest(format: str) -> int:
    """The largest number in a format string."""
    digits = "".join(character if character.isdecimal() else " " for character in format)
    return max((int(number[:20]) for number in digits.split()), default=0)


def _answer(sandbox: Any, request: dict[str, Any]) -> None:
    context, budget = request["context"], MAX_TEXT
    for kind, text in request["items"]:
        reply = render_item(sandbox, context, kind, text, budget)
        budget -= len(reply.get("text", ""))
        _say(reply)


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def render_item(sandbox: Any, context: Any, kind: str, text: str, limit: int) -> dict[str, Any]:
    """One item: the text of a template (`text`) or the name of a file (`file`), rendered."""
    import jinja2
    from jinja2.exceptions import SecurityError

    try:
        template = sandbox.get_template(text) if kind == "file" else sandbox.from_string(text)
        pieces: list[str] = []
        for piece in template.generate(context):
            limit -= len(piece)
            if limit < 0:
                most = MAX_TEXT >> 20
                raise TemplateTooLarge(f"the template produces more than {most} MiB of text")
            pieces.append(piece)
        return {"text": "".join(pieces)}
    except jinja2.TemplateSyntaxError as error:
        return _error("syntax", error.message or "cannot be read", error.name, error.lineno)
    except jinja2.TemplateNotFound as error:
        return _at(error, "missing", f"the template includes {error.name!r}, which does not exist")
    except jinja2.UndefinedError as error:
        return _at(error, "undefined", error.message or "an undefined name is used")
    except SecurityError as error:
        return _at(error, "unsafe", str(error))
    except MemoryError as error:
        return _at(error, "large", f"needs more than {MEMORY >> 20} MiB of memory")
    except RecursionError as error:
        return _at(error, "large", "calls itself endlessly or is nested too deeply")
    except (TemplateTooLarge, OverflowError) as error:
        return _at(error, "large", str(error))
    except Exception as error:
        # Whatever a filter or a method raises is reported as the template's error.
        return _at(error, "failed", f"{type(error).__name__}: {error}")


def _at(error: BaseException, kind: str, message: str) -> dict[str, Any]:
    """An error with its line in the template, from the traceback."""
    name = line = None
    trace = error.__traceback__
    while trace is not None:
        if "__jinja_exception__" in trace.tb_frame.f_globals:
            where = trace.tb_frame.f_code.co_filename
            name, line = (None if where == "<template>" else where), trace.tb_lineno
        trace = trace.tb_next
    return _error(kind, message, name, line)


def _error(
    kind: str, message: str, name: str | None = None, line: int | None = None
) -> dict[str, Any]:
    return {"error": message[:500], "kind": kind, "name": name, "line": line}


def _to_json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False)


def _truth(value: Any) -> bool:
    """Whether a value is true by Ansible's rules: a few words and 1."""
    word = value.lower() if isinstance(value, str) else value
    return word in ("yes", "on", "true", "1", 1, True)


def _flags(multiline: bool, ignorecase: bool) -> int:
    return (re.MULTILINE if multiline else 0) | (re.IGNORECASE if ignorecase else 0)


def _search(
    value: Any, regex: str, *groups: str, multiline: bool = False, ignorecase: bool = False
) -> Any:
    """The first match of a pattern, or its groups named as `\\1`; \"\" without a match."""
    match = re.search(regex, str(value), _flags(multiline, ignorecase))
    if match is None:
        return ""
    names = [group.lstrip("\\g").strip("<>") for group in groups]
    group_values = [match.group(int(name) if name.isdigit() else name) for name in names]
    return group_values if group_values else match.group()


def _replace(
    value: Any, regex: str, by: str = "", multiline: bool = False, ignorecase: bool = False
) -> str:
    return re.sub(regex, by, str(value), flags=_flags(multiline, ignorecase))


def _strftime(format: str, second: float | None = None, utc: bool = False) -> str:
    """Format a time in seconds since the epoch (default: now)."""
    return time.strftime(format, (time.gmtime if utc else time.localtime)(second))


FILTERS: dict[str, Callable[..., Any]] = {
    "bool": _truth,
    "quote": lambda value: shlex.quote(str(value)),
    "regex_replace": _replace,
    "regex_search": _search,
    "strftime": _strftime,
    "to_json": _to_json,
    "to_nice_json": lambda value, indent=4: _to_json(value, min(int(indent), 16)),
}
"""Copier's filters besides Jinja's own, as documented by Ansible.

A pattern that backtracks for ever ends with this process.
"""


if __name__ == "__main__":
    sys.exit(main())

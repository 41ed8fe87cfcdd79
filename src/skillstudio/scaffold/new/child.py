"""The process in which templates are rendered; `renderer.py` starts it, and may end it any time.

A template comes from anywhere and is a program: it can run for ever, fill the memory and ask
objects for what they should not give. So it gets a process of its own, with Jinja's immutable
sandbox, no files, no environment, and limits. Where the kernel has Landlock and the parent hands
over a policy, it confines itself before it renders: it opens no socket and starts no program, and
can read only what Python and Jinja import. It is run as a script with nothing on its path but
Jinja, so nothing of this program is imported here.

One request a line comes in, as JSON: `open` (delimiters and files), then any number of `render`
(a context and items). The opening and each item are answered by one line: `text`, or `error` with
its `kind`, `name` and `line`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

MEMORY = 512 << 20
"""Bytes of address space; Python and Jinja take about a fifth of it."""
CPU = 120
"""Seconds of computing after which the system ends the process, should its parent have gone."""
MAX_TEXT = 8 << 20
"""Characters that all items of one request may render to."""
MAX_REPEAT = 1 << 20
"""Items or characters that a repetition may make: more is a bomb, or a slip."""
MAX_BITS = 1 << 16
"""Bits of a number that a power or a shift may make."""


class TemplateTooLarge(Exception):
    """A template makes more than is allowed."""


def main() -> int:
    """Answer requests until the input ends."""
    sys.path.extend(sys.argv[1:])
    made: Any = None
    _limit()
    for line in sys.stdin.buffer:
        request = json.loads(line)
        if request["op"] == "open":
            try:
                made = environment(request)
                if request["confine"]:
                    _confine(*map(bytes.fromhex, request["confine"]))
                _say({"text": ""})
            except OSError as error:
                _say(_error("options", f"the renderer cannot be confined: {error.strerror}"))
                return 1
            except Exception as error:
                # Jinja asserts what its options must be.
                _say(_error("options", f"Jinja refuses the options of _envops: {error}"))
        else:
            _answer(made, request)
    return 0


def _limit() -> None:
    # The imports come first: they need more files and memory than any template may.
    import ctypes  # noqa: F401

    import jinja2.sandbox  # noqa: F401

    try:
        import resource
    except ImportError:
        # Windows; there the parent's clock and the bounds below are what holds.
        return
    limits = [("RLIMIT_AS", MEMORY), ("RLIMIT_CPU", CPU), ("RLIMIT_FSIZE", 0), ("RLIMIT_CORE", 0)]
    for name, value in limits:
        limit = getattr(resource, name, None)
        if limit is not None:
            _, hard = resource.getrlimit(limit)
            allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
            try:
                resource.setrlimit(limit, (allowed, allowed))
            except (ValueError, OSError):
                # macOS refuses some of them; the others still hold.
                continue


def _confine(landlock: bytes, calls: bytes) -> None:
    """Give up files, the network and other programs for good. Raises OSError.

    The policy comes from the room that confines dry runs. What Python and Jinja import on the way
    can still be read, and nothing else.
    """
    import ctypes
    import time

    # The time zone is read from a file, once.
    time.localtime()

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long

    class RendererFilter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("lines", ctypes.c_char_p))

    def checked(result: int) -> int:
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    create, add, restrict, no_new_privileges, set_seccomp, by_filter = 444, 445, 446, 38, 22, 2
    read_files_and_folders = 0b1100
    checked(libc.prctl(no_new_privileges, ctypes.c_ulong(1), 0, 0, 0))
    size = ctypes.c_size_t(len(landlock))
    made = checked(libc.syscall(ctypes.c_long(create), landlock, size, 0))
    for folder in (os.path.dirname(os.__file__), *sys.argv[1:]):
        opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        rule = read_files_and_folders.to_bytes(8, sys.byteorder) + opened.to_bytes(4, sys.byteorder)
        beneath = ctypes.c_char_p(rule)
        checked(libc.syscall(ctypes.c_long(add), ctypes.c_int(made), 1, beneath, 0))
        os.close(opened)
    checked(libc.syscall(ctypes.c_long(restrict), ctypes.c_int(made), 0))
    os.close(made)
    program = RendererFilter(len(calls) // 8, calls)
    checked(libc.prctl(set_seccomp, by_filter, ctypes.byref(program), 0, 0))


def environment(request: dict[str, Any]) -> Any:
    """The sandbox of one template: its delimiters, and its files for `include` and the like."""
    import jinja2
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Bounded(ImmutableSandboxedEnvironment):
        """A sandbox in which no operator makes much of little."""

        intercepted_binops = frozenset(["*", "**", "%"])

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            _bound(operator, left, right)
            return super().call_binop(context, operator, left, right)

    options = dict(request["envops"])
    lenient = options.pop("undefined", "") == "jinja2.Undefined"
    files: dict[str, str] = request["files"]

    def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
        return (files[name], name, lambda: True) if name in files else None

    made = Bounded(
        loader=jinja2.FunctionLoader(load),
        undefined=jinja2.Undefined if lenient else jinja2.StrictUndefined,
        extensions=request["extensions"],
        cache_size=0,
        **options,
    )
    made.filters.update(FILTERS)
    return made


def _bound(operator: str, left: Any, right: Any) -> None:
    if operator == "*":
        for many, times in ((left, right), (right, left)):
            if (
                isinstance(many, (str, list, tuple))
                and isinstance(times, int)
                and len(many) * times > MAX_REPEAT
            ):
                raise TemplateTooLarge(f"a repetition makes more than {MAX_REPEAT} items")
        if isinstance(left, int) and isinstance(right, int):
            _bound_bits(left.bit_length() + right.bit_length())
    elif operator == "**" and isinstance(left, int) and isinstance(right, int):
        _bound_bits(left.bit_length() * max(right, 0))
    elif operator == "%" and isinstance(left, str) and _widest(left) > MAX_REPEAT:
        raise TemplateTooLarge(f"a width in a format is more than {MAX_REPEAT}")


def _bound_bits(bits: int) -> None:
    if bits > MAX_BITS:
        raise TemplateTooLarge(f"a number is longer than {MAX_BITS} bits")


def _widest(format: str) -> int:
    """The greatest number that stands in a format."""
    digits = "".join(each if each.isdecimal() else " " for each in format)
    return max((int(each[:20]) for each in digits.split()), default=0)


def _answer(made: Any, request: dict[str, Any]) -> None:
    context, left = request["context"], MAX_TEXT
    for kind, text in request["items"]:
        said = rendered(made, context, kind, text, left)
        left -= len(said.get("text", ""))
        _say(said)


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def rendered(made: Any, context: Any, kind: str, text: str, limit: int) -> dict[str, Any]:
    """One item: the text of a template (`text`) or the name of a file (`file`), rendered."""
    import jinja2
    from jinja2.exceptions import SecurityError

    try:
        found = made.get_template(text) if kind == "file" else made.from_string(text)
        pieces: list[str] = []
        for piece in found.generate(context):
            limit -= len(piece)
            if limit < 0:
                raise TemplateTooLarge(f"the template makes more than {MAX_TEXT >> 20} MiB of text")
            pieces.append(piece)
        return {"text": "".join(pieces)}
    except jinja2.TemplateSyntaxError as error:
        return _error("syntax", error.message or "cannot be read", error.name, error.lineno)
    except jinja2.TemplateNotFound as error:
        return _at(error, "missing", f"the template has no file {error.name!r} to take in")
    except jinja2.UndefinedError as error:
        return _at(error, "undefined", error.message or "a name is not defined")
    except SecurityError as error:
        return _at(error, "unsafe", str(error))
    except MemoryError as error:
        return _at(error, "large", f"needs more than {MEMORY >> 20} MiB of memory")
    except RecursionError as error:
        return _at(error, "large", "calls itself without end, or is nested too deeply")
    except (TemplateTooLarge, OverflowError) as error:
        return _at(error, "large", str(error))
    except Exception as error:
        # Whatever a filter or a method raises is the template's fault, and is told as such.
        return _at(error, "failed", f"{type(error).__name__}: {error}")


def _at(error: BaseException, kind: str, message: str) -> dict[str, Any]:
    """An error with the line of the template at which it came up; Jinja puts it on the trace."""
    name: str | None = None
    line: int | None = None
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


def _quote(value: Any) -> str:
    import shlex

    return shlex.quote(str(value))


def _truth(value: Any) -> bool:
    """Whether a value means yes, as Ansible has it: a few words and 1."""
    word = value.lower() if isinstance(value, str) else value
    return word in ("yes", "on", "true", "1", 1, True)


def _flags(multiline: bool, ignorecase: bool) -> int:
    import re

    return (re.MULTILINE if multiline else 0) | (re.IGNORECASE if ignorecase else 0)


def _search(
    value: Any, regex: str, *groups: str, multiline: bool = False, ignorecase: bool = False
) -> Any:
    """What a pattern finds first, or its groups named as `\\1`; an empty text where it does not."""
    import re

    found = re.search(regex, str(value), _flags(multiline, ignorecase))
    if found is None:
        return ""
    names = [group.lstrip("\\g").strip("<>") for group in groups]
    taken = [found.group(int(name) if name.isdigit() else name) for name in names]
    return taken if taken else found.group()


def _replace(
    value: Any, regex: str, by: str = "", multiline: bool = False, ignorecase: bool = False
) -> str:
    import re

    return re.sub(regex, by, str(value), flags=_flags(multiline, ignorecase))


def _strftime(format: str, second: float | None = None, utc: bool = False) -> str:
    """A moment in seconds since the epoch, now where none is given, by a format."""
    import time

    return time.strftime(format, (time.gmtime if utc else time.localtime)(second))


FILTERS: dict[str, Callable[..., Any]] = {
    "bool": _truth,
    "quote": _quote,
    "regex_replace": _replace,
    "regex_search": _search,
    "strftime": _strftime,
    "to_json": _to_json,
    "to_nice_json": lambda value, indent=4: _to_json(value, min(int(indent), 16)),
}
"""Filters that Copier's templates use besides Jinja's own, by what Ansible documents of them.

An author's pattern may try for ever; it ends with this process.
"""


if __name__ == "__main__":
    sys.exit(main())

"""Read `copier.yml` with positions and limits, and without custom tags."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

LARGEST = 256 << 10  # Bytes in a `copier.yml`.
MAX_NODES = 20_000  # Values in a `copier.yml`, counting aliased values each time.
MAX_DEPTH = 50

_JOINED_KEYS = ("_exclude", "_jinja_extensions", "_secret_questions")
"""Lists that are concatenated over the documents of a file."""
_INCLUDE = "!include"


class CopierPosition(NamedTuple):
    """A line and column, both from 1."""

    line: int
    column: int


class TemplateFault(Exception):
    """A problem of a template: `path:line:column: message`."""

    def __init__(self, message: str, path: str = "", place: CopierPosition | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.place = place

    def __str__(self) -> str:
        where = f"{self.path}:{self.place.line}:{self.place.column}" if self.place else self.path
        return f"{where}: {self.message}" if where else self.message


class NotYaml(ValueError):
    """Why a text is no YAML value, and the line, from 1, or 0 if it is not known."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class CopierFile(NamedTuple):
    """The keys of a `copier.yml`, and the positions of all values."""

    path: str
    values: dict[str, Any]
    places: dict[tuple[str, ...], CopierPosition]

    def place(self, *keys: str) -> CopierPosition:
        """The position of a value, else of the nearest value around it."""
        while keys:
            if keys in self.places:
                return self.places[keys]
            keys = keys[:-1]
        return CopierPosition(1, 1)

    def fault(self, message: str, *keys: str) -> TemplateFault:
        """A fault at a value."""
        return TemplateFault(message, self.path, self.place(*keys))


def read_copier_file(data: bytes, path: str) -> CopierFile:
    """Parse a `copier.yml`; later documents override earlier ones. Raises TemplateFault."""
    import yaml

    if len(data) > LARGEST:
        raise TemplateFault(f"larger than {LARGEST >> 10} KiB", path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TemplateFault("not UTF-8", path, CopierPosition(line, 1)) from None
    copier_file = CopierFile(path, {}, {})
    try:
        for root in yaml.compose_all(text, Loader=yaml.SafeLoader):
            _take(copier_file, root, iter(range(MAX_NODES)))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = error.problem or error.context or "cannot be read"
        raise TemplateFault(message, path, _at(mark) if mark else None) from None
    except yaml.YAMLError as error:
        raise TemplateFault(str(error).splitlines()[0], path) from None
    except RecursionError:
        raise TemplateFault("nested too deeply", path) from None
    return copier_file


def read_value(text: str) -> Any:
    """Parse a YAML value within the same limits. Raises NotYaml."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is None:
            return None
        _walk("", root, iter(range(MAX_NODES)), frozenset())
        return _plain(yaml.SafeLoader("").construct_document(root))
    except TemplateFault as fault:
        raise NotYaml(fault.message, fault.place.line if fault.place else 0) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        raise NotYaml(error.problem or "cannot be read as YAML", line) from None
    except (yaml.YAMLError, AttributeError, TypeError, OverflowError, RecursionError):
        raise NotYaml("cannot be read as YAML") from None


def _take(copier_file: CopierFile, root: Any, budget: Iterator[int]) -> None:
    import yaml

    if isinstance(root, yaml.ScalarNode) and root.tag == "tag:yaml.org,2002:null":
        return
    _walk(copier_file.path, root, budget, frozenset())
    if not isinstance(root, yaml.MappingNode):
        raise TemplateFault("not a mapping of questions", copier_file.path, _at(root.start_mark))
    try:
        # The loader only constructs values from nodes here.
        value = yaml.SafeLoader("").construct_document(root)
    except (ValueError, TypeError, OverflowError, AttributeError) as error:
        # PyYAML raises the last one for an invalid date.
        raise TemplateFault(str(error), copier_file.path, _at(root.start_mark)) from None
    for key, new_value in _plain(value).items():
        earlier = copier_file.values.get(key) if key in _JOINED_KEYS else None
        should_join = isinstance(earlier, list) and isinstance(new_value, list)
        copier_file.values[key] = earlier + new_value if should_join else new_value
    for key, node in root.value:
        copier_file.places[(str(key.value),)] = _at(key.start_mark)
        if isinstance(node, yaml.MappingNode):
            for inner, value in node.value:
                copier_file.places[(str(key.value), str(inner.value))] = _text_at(value)
        else:
            copier_file.places[(str(key.value), "default")] = _text_at(node)


def _walk(path: str, node: Any, budget: Iterator[int], above: frozenset[int]) -> None:
    """Raise for custom tags, recursive aliases, and too many values."""
    import yaml

    place = _at(node.start_mark)
    if next(budget, None) is None:
        raise TemplateFault(f"more than {MAX_NODES} values, counting aliases", path, place)
    if id(node) in above or len(above) > MAX_DEPTH:
        raise TemplateFault("nested too deeply, or a recursive alias", path, place)
    if node.tag == _INCLUDE:
        raise TemplateFault("!include of other files is not supported", path, place)
    if not node.tag.startswith("tag:yaml.org,2002:") or "python" in node.tag:
        raise TemplateFault(f"the tag {node.tag[:100]} is not supported", path, place)
    inside = above | {id(node)}
    if isinstance(node, yaml.MappingNode):
        for value in chain.from_iterable(node.value):
            _walk(path, value, budget, inside)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _walk(path, value, budget, inside)


def _at(mark: Any) -> CopierPosition:
    return CopierPosition(mark.line + 1, mark.column + 1)


def _text_at(node: Any) -> CopierPosition:
    """The start of a value's text: for a block, the line after its indicator."""
    place = _at(node.start_mark)
    is_block = getattr(node, "style", None) in ("|", ">")
    return CopierPosition(place.line + 1, 1) if is_block else place


def _plain(value: Any) -> Any:
    """The value with JSON types only; dates become strings."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)

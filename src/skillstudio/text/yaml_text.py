"""Write a value as YAML that reads the same."""

from __future__ import annotations

from typing import Any

_TEXT = "tag:yaml.org,2002:str"
_NEXT_LINE = "\x85"  # A line break of YAML 1.1, which PyYAML folds unless it is escaped.


def yaml_text(value: Any) -> str:
    """A value as YAML: texts of several lines as blocks, no references, keys in their order.

    Raises yaml.YAMLError for a value that YAML cannot express.
    """
    from yaml import SafeDumper, ScalarNode, dump

    class ValueDumper(SafeDumper):
        def ignore_aliases(self, _: Any) -> bool:
            return True

    def represent(dumper: SafeDumper, text: str) -> ScalarNode:
        block = "|" if "\n" in text else None
        return dumper.represent_scalar(_TEXT, text, style='"' if _NEXT_LINE in text else block)

    ValueDumper.add_representer(str, represent)
    document: str = dump(value, Dumper=ValueDumper, sort_keys=False, allow_unicode=True)
    return document

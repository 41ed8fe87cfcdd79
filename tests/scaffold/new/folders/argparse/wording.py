"""Words that the other scripts share; it is no program."""


def plural(count: int, word: str) -> str:
    """A count with its word."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"

"""jsonsubschema in its own environment: whether each of two schemas includes the other.

`python subschema.py OLD NEW ROUNDS` prints the milliseconds of each round, without the start.
"""

from __future__ import annotations

import json
import sys
import time

from jsonsubschema import isSubschema  # type: ignore[import-not-found]


def main() -> None:
    texts = []
    for name in sys.argv[1:3]:
        with open(name, encoding="utf-8") as file:
            texts.append(file.read())
    for _ in range(int(sys.argv[3])):
        # Read anew, as the peer keeps what it made of an object.
        old, new = (json.loads(text) for text in texts)
        begin = time.perf_counter()
        isSubschema(old, new)
        isSubschema(new, old)
        print((time.perf_counter() - begin) * 1000)


if __name__ == "__main__":
    main()

"""jsonsubschema in its own environment: whether each of two schemas includes the other.

`python subschema.py OLD NEW` prints the milliseconds of processor time that both answers took,
without the start.
"""

from __future__ import annotations

import json
import sys
import time

from jsonsubschema import isSubschema  # type: ignore[import-not-found]


def main() -> None:
    schemas = []
    for name in sys.argv[1:3]:
        with open(name, encoding="utf-8") as file:
            schemas.append(json.load(file))
    old, new = schemas
    begin = time.process_time()
    isSubschema(old, new)
    isSubschema(new, old)
    print((time.process_time() - begin) * 1000)


if __name__ == "__main__":
    main()

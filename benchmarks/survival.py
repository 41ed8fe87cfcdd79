"""How diagnostics fare while a line is half typed: `python -m benchmarks.survival`.

`survive`: both of two wrong values elsewhere are still told. `aside`: the same where neither
stands beneath the key that is being typed. `nothing untrue`: broken syntax makes no error appear
on another line that is not one.
"""

from __future__ import annotations

import argparse
import time

from tests.conformance.half_typed import table, tallies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="every so many characters")
    options = parser.parse_args()
    begin = time.perf_counter()
    print(table(tallies(options.step)))
    print(f"every {options.step}. character, {time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()

/** Which versions are older. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { isOlder } from "../src/version";

const cases: [string, string, boolean][] = [
  ["0.1.0", "0.1.0", false],
  ["0.1.0", "0.1.9", false],
  ["0.1.9", "0.2.0", true],
  ["0.2.0", "0.1.9", false],
  ["0.9.0", "0.10.0", true],
  ["0.10.0", "0.9.0", false],
  ["1.0", "1.1.0", true],
  ["1", "1.0.3", false],
  ["0.9.9", "1.0.0", true],
  ["2.0.0", "1.9.9", false],
  ["0.2.0rc1", "0.2.0", false],
  ["0.2.0.dev3", "0.2.0-beta.1", false],
  ["0.1.0-rc.1", "0.2.0-beta.1", true],
  ["v0.1.0", "0.2.0", true],
  ["", "0.2.0", false],
  ["unknown", "0.2.0", false],
  ["0.1.0", "", false],
];

for (const [version, reference, expected] of cases) {
  test(`${version || "no version"} and ${reference || "no version"}`, () => {
    assert.equal(isOlder(version, reference), expected);
  });
}

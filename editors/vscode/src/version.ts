/** Compare versions of skillstudio and of the extension. */

/**
 * Whether the major and minor numbers of a version are lower than those of another one.
 *
 * Pre-releases count as their release, also in Python's notation (`0.2.0rc1`, `0.2.0.dev3`). A text
 * that is not a version is not older.
 */
export function isOlder(version: string, reference: string): boolean {
  const [left, right] = [readVersion(version), readVersion(reference)];
  if (left === undefined || right === undefined) {
    return false;
  }
  return left.major < right.major || (left.major === right.major && left.minor < right.minor);
}

function readVersion(text: string): { major: number; minor: number } | undefined {
  const match = /^v?(\d+)(?:\.(\d+))?(?!\d)/.exec(text.trim());
  return match ? { major: Number(match[1]), minor: Number(match[2] ?? 0) } : undefined;
}

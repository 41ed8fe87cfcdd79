"""Version numbers of manifests."""

from skillstudio.text.versions import (
    SemverKey,
    compare_dotted,
    dotted,
    is_semver,
    semver_key,
    within,
)

__all__ = ["SemverKey", "compare_dotted", "dotted", "is_semver", "semver_key", "within"]

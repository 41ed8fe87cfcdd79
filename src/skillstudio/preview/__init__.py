"""Show files lazily, with limits, and never as markup."""

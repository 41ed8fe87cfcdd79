"""How a file is shown: bounded, lazy, and never parsed as markup."""

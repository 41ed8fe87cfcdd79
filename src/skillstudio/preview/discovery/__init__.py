"""Which skills a prompt would find."""

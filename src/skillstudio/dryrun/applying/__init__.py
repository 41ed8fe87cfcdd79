"""What a run changed in its copies, brought into the real folders: all of it or nothing."""

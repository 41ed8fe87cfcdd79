"""Match a prompt with the topics that skills for caro declare."""

"""A skill as an agent, an installer and a policy see it."""

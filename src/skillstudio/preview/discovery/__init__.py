"""Predict which skills match a prompt."""

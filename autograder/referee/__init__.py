"""Judging one submission."""

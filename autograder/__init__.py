"""Probes, checks and the referee that grades the notebooks."""

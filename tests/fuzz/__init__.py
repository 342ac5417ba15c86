"""Random damage to all that a stranger sends: notebooks, archives, and replies on the wire.

`python -m tests.fuzz ingest --runs 500000` is the long run; `test_fuzz.py` is a short one for every change.
"""

"""Starts the pupil: `python -I -S -B start.py CONFIG`, by this file, usually inside a sandbox.

The package around it is found by its place, which leaves the path at once: what is beside it stays out of reach.
"""

import os
import sys

if __name__ == "__main__":
    place = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, place)
    from pupil.process import main

    sys.path.remove(place)
    main()

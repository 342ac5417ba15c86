"""Random programs, run on this engine and on another, and compared after every statement.

A program is a list of statements. Each is written down once as data and printed as Python for either engine; what is
printed is what runs. `writing` makes programs, `running` compares two engines on one, `shrinking` makes a program that
shows a difference as short as it gets, `agreed` lists the differences that are meant. `python -m tests.fuzz programs`
runs many.
"""

from . import networks as networks  # adds its kinds of statement to those of `writing`

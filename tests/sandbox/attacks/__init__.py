"""What cheating earns: exactly what the answers deserve. And what it reaches: nothing outside its own sandbox.

Nearly every attack here stands in a cell that the student added before all others, in a submission whose first answer
is right (2 points) and whose second is wrong (0 of 3). An attack that steals shows as more than that; an attack that
the referee punishes by mistake shows as less.
"""

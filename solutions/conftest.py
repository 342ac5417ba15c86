"""For `pytest --nbval solutions`: the notebooks are tests, their sources and the banks of mistakes are not."""

collect_ignore_glob = ["*/*.py"]

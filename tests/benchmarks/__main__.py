"""`python -m tests.benchmarks`: set one thread *before* NumPy is imported, then measure."""

import os

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ[_variable] = "1"

if __name__ == "__main__":
    from .run import main

    raise SystemExit(main())

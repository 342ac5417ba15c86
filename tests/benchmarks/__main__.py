"""`python -m tests.benchmarks [ops]`: set one thread *before* NumPy is imported, then measure."""

import os
import sys

for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"):
    os.environ[_variable] = "1"

if __name__ == "__main__":
    if sys.argv[1:2] == ["ops"]:
        from .ops import main

        raise SystemExit(main(sys.argv[2:]))
    from .run import main

    raise SystemExit(main())

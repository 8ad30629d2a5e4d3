"""`python -m lcshap` is `lcshap`."""

import sys

from .cli import main

sys.exit(main())

"""`python -m skillstudio`."""

import sys

from skillstudio.cli.main import main

sys.exit(main())

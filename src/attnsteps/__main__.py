"""``python -m attnsteps``: train, translate, evaluate."""

import sys

from attnsteps.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

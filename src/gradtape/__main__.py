"""`python -m gradtape`: the same as the command `gradtape`."""

from gradtape.cli.main import main

raise SystemExit(main())

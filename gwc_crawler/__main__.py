"""`gwc`, also `python -m gwc_crawler`: the beginning and end of a command. `console` chooses it and its settings.

Heavy modules are loaded only where a Ctrl-C is already answered."""

from __future__ import annotations

import os
import sys

from gwc_crawler.errors import EXIT_INTERRUPTED, GWC, InputError


def main() -> None:
    """Run one command; exits with its code (docs/operate.md, *Exit codes*)."""
    sys.argv[0] = GWC
    try:
        from gwc_crawler.commands.console import run

        run(sys.argv[1:])
    except InputError as error:
        from gwc_crawler.commands import frame

        frame.refuse(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()

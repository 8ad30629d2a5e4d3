"""``python -m benchmarks``: ours and the peers' on the same games, inputs, references and budgets. See ``--help``."""

from benchmarks.harness.command import main

if __name__ == "__main__":
    main()

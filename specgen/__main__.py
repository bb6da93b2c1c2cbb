"""`python -m specgen`."""

from specgen.cli import run

if __name__ == "__main__":
    run()

"""Options and fixtures of the whole suite."""

import pytest
from hypothesis import settings

settings.register_profile("thorough", max_examples=500)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the expected files in tests/golden and tests/errors, and generated/",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected files are rewritten instead of compared."""
    return bool(request.config.getoption("--update-golden"))

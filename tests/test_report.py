"""Diagnostics in, the whole text of the error stream and the exit status out."""

import io
import json

import pytest

from specgen.diagnostics import Diagnostic, Position
from specgen.report import ErrorFormat, fault, status, write

LATE = Diagnostic("specs/x.yaml", Position(12, 5), "SG301", "buffers.method", "not yet", "try cond")
EARLY = Diagnostic("specs/x.yaml", Position(2, 1), "SG201", "", "unknown", variants=("a", "b"))
WHOLE = Diagnostic("specs/x.yaml", None, "SG406", "", "cannot be read")
OTHER = Diagnostic("specs/a.yaml", Position(9, 9), "SG302", "train.l2", "hm", severity="warning")
USAGE = Diagnostic("", None, "SG407", "", "no such option")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def written(form: ErrorFormat, *diagnostics: Diagnostic) -> str:
    stream = io.StringIO()
    write(diagnostics, form, stream)
    return stream.getvalue()


def test_text_is_sorted_and_says_each_thing_once() -> None:
    assert written(ErrorFormat.TEXT, LATE, EARLY, WHOLE, LATE, OTHER, USAGE) == (
        "specgen: error SG407: no such option\n"
        "specs/a.yaml:9:9: warning SG302: train.l2: hm\n"
        "specs/x.yaml: error SG406: cannot be read\n"
        "specs/x.yaml:2:1: error SG201: unknown (variant a, b)\n"
        "specs/x.yaml:12:5: error SG301: buffers.method: not yet\n"
        "hint: try cond\n"
    )


def test_text_stays_on_its_line_and_harmless() -> None:
    hostile = Diagnostic("a\nb.yaml", None, "SG201", "", "\x1b[31m\u2028\udc80\u00e9", "\r")
    assert written(ErrorFormat.TEXT, hostile) == (
        "a\\nb.yaml: error SG201: \\x1b[31m\\u2028\\udc80\u00e9\nhint: \\r\n"
    )


def test_colours_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.delenv("NO_COLOR", raising=False)
    long = Diagnostic("x.yaml", None, "SG201", "", "[bold] is text" + ", and long" * 9, "a hint")
    terminal = Terminal()
    write([long], ErrorFormat.TEXT, terminal)
    assert "\x1b[1;31merror SG201: \x1b[0m" in terminal.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    terminal = Terminal()
    write([long], ErrorFormat.TEXT, terminal)
    assert terminal.getvalue() == written(ErrorFormat.TEXT, long)


def test_json_is_one_array() -> None:
    assert json.loads(written(ErrorFormat.JSON, LATE, USAGE)) == [
        {
            "file": None,
            "line": None,
            "column": None,
            "code": "SG407",
            "field": "",
            "message": "no such option",
            "hint": "",
            "severity": "error",
            "variants": [],
        },
        {
            "file": "specs/x.yaml",
            "line": 12,
            "column": 5,
            "code": "SG301",
            "field": "buffers.method",
            "message": "not yet",
            "hint": "try cond",
            "severity": "error",
            "variants": [],
        },
    ]
    assert written(ErrorFormat.JSON) == "[]\n"


def test_github_commands_are_escaped() -> None:
    hostile = Diagnostic("a,b:c%.yaml", Position(1, 2), "SG201", "", "50 %\r\n::x::", "1\n2")
    assert written(ErrorFormat.GITHUB, OTHER, hostile, USAGE) == (
        "::error title=SG407::no such option\n"
        "::error file=a%2Cb%3Ac%25.yaml,line=1,col=2,title=SG201"
        "::50 %25%0D%0A::x::%0Ahint: 1%0A2\n"
        "::warning file=specs/a.yaml,line=9,col=9,title=SG302::train.l2: hm\n"
    )


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ([], 0),
        (["SG401"], 1),
        (["SG402", "SG403"], 1),
        (["SG401", "SG201"], 2),
        (["SG404"], 2),
        (["SG901", "SG401", "SG201"], 3),
    ],
)
def test_the_worst_status_counts(codes: list[str], expected: int) -> None:
    assert status(Diagnostic("x", None, code, "", "") for code in codes) == expected


def test_warnings_leave_the_status_alone() -> None:
    assert status([Diagnostic("x", None, "SG403", "", "", severity="warning")]) == 0


def test_a_fault_says_where_it_arose() -> None:
    try:
        write([], ErrorFormat.TEXT, None)  # type: ignore[arg-type]
    except AttributeError as error:
        found = fault(error, "specs/x.yaml")
    assert found.code == "SG901"
    assert found.message.startswith("AttributeError: 'NoneType' object has no attribute")
    assert "(at report.py:" in found.message

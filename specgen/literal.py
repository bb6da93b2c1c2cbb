"""Text of generated code that holds a user's values: literals and docstrings.

A value in, Python source out, in the layout that black leaves alone. This is the only door by which
what a spec says enters a script, and nothing formats the result again. Grammar: Python 3.6.
"""

import math
import re
import textwrap
import unicodedata
from typing import Any

# Of a docstring: leaves room for its quotes in 88 columns.
_LINE = 82
_NAMED_ESCAPES = {"\\": "\\\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
# Version 3.2 of the database: the one that every Python has, so the output is the same on each.
_CATEGORY = unicodedata.ucd_3_2_0.category
# Letters and marks by category, but nothing to be seen: joiners, fillers, variation selectors.
_INVISIBLE = frozenset(
    "\xad\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0"
    "\ufe00\ufe01\ufe02\ufe03\ufe04\ufe05\ufe06\ufe07\ufe08\ufe09\ufe0a\ufe0b\ufe0c\ufe0d\ufe0e\ufe0f"
)
_EXPONENT = re.compile(r"e([+-])0?")


def literal(value: Any) -> str:
    """The literal that evaluates to `value`: equal, and of the same types all the way down.

    Takes None, bool, int, finite float, str, bytes, and tuple, list and dict of these; anything
    else, a subclass among them, is a fault of the caller.
    """
    kind = type(value)
    if value is None or kind in (bool, int):
        return repr(value)
    if kind is float and math.isfinite(value):
        return _EXPONENT.sub(lambda found: "e" + found[1].strip("+"), repr(value))
    if kind is str:
        return _quoted("".join(map(_shown, value)))
    if kind is bytes:
        return "b" + _quoted("".join(map(_shown_byte, value)))
    if kind is tuple and len(value) == 1:
        return f"({literal(value[0])},)"
    if kind is tuple:
        return f"({', '.join(map(literal, value))})"
    if kind is list:
        return f"[{', '.join(map(literal, value))}]"
    if kind is dict:
        return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
    raise TypeError(f"no literal for {value!r}")


def docstring(text: str) -> str:
    """A docstring for the first column that reads as `text` does; "" where it says nothing.

    Common indentation and blank lines around the text are dropped, as documentation tools do; long
    lines are wrapped.
    """
    lines = [line.expandtabs().rstrip(" ") for line in text.splitlines()]
    while lines and not lines[0]:
        del lines[0]
    if not lines:
        return ""
    margin = min((_indentation(line) for line in lines[1:] if line), default=0)
    lines = [lines[0].lstrip(" "), *(line[margin:] for line in lines[1:])]
    body = "\n".join(map(_wrapped, lines)).rstrip("\n").replace('"""', r"\"\"\"")
    # A quote next to the delimiters would join them.
    start = " " if body.startswith('"') else ""
    end = "\n" if "\n" in body else " " if body.endswith('"') else ""
    return f'"""{start}{body}{end}"""'


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _wrapped(line: str) -> str:
    shown = "".join(map(_shown, line))
    if len(shown) <= _LINE:
        return shown
    indentation = " " * min(_indentation(shown), _LINE // 2)
    words = textwrap.wrap(
        shown.strip(" "),
        _LINE - len(indentation),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return textwrap.indent("\n".join(words), indentation)


def _quoted(body: str) -> str:
    """The escaped text in the quotes that need fewer escapes, double ones where that is equal."""
    quote = "'" if body.count('"') > body.count("'") else '"'
    return quote + body.replace(quote, "\\" + quote) + quote


def _shown(char: str) -> str:
    """The character itself where a reader can see and trust it, else its escape."""
    if char in _NAMED_ESCAPES:
        return _NAMED_ESCAPES[char]
    if char == " " or (_CATEGORY(char)[0] in "LMNPS" and char not in _INVISIBLE):
        return char
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _shown_byte(code: int) -> str:
    return _shown(chr(code)) if code < 0x80 else f"\\x{code:02x}"

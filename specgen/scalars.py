"""What a scalar of YAML means: its characters in, the value of YAML 1.2's core schema out.

YAML 1.1, and with it most parsers for Python, also reads `on`, `no`, `1:30`, `2018-01-01` and
`1_000` as something else than texts, and `1e-3` as a text. The core schema does not.
"""

import math
import re

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}

# Python refuses to print an integer of thousands of digits, and to turn it into a float. Beyond 200
# digits, where nobody means a number, a decimal one reads as a float and any other as a text.
_DECIMAL = re.compile(r"[-+]?[0-9]{1,200}")
_OCTAL = re.compile(r"0o[0-7]{1,200}")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]{1,200}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")

_SURROGATE = re.compile("[\ud800-\udfff]")

# ruamel.yaml still ends a line at the characters at which YAML 1.1 did; in YAML 1.2 they are like
# any other. While it scans, characters of a plane for private use stand for them.
_STAND_INS = {code: 0xF0000 + code for code in (0x85, 0x2028, 0x2029)}
_STOOD_FOR = {stand_in: code for code, stand_in in _STAND_INS.items()}


def masked(text: str) -> str:
    """The text of a file as ruamel.yaml is to scan it; of the same length, line by line."""
    return text.translate(_STAND_INS)


def plain(scanned: str) -> Scalar:
    """The value of a scalar that is written without quotes."""
    if scanned in _WORDS:
        return _WORDS[scanned]
    if scanned[0] not in "+-.0123456789":
        return scanned.translate(_STOOD_FOR)
    if _DECIMAL.fullmatch(scanned):
        return int(scanned)
    if _OCTAL.fullmatch(scanned):
        return int(scanned[2:], 8)
    if _HEXADECIMAL.fullmatch(scanned):
        return int(scanned[2:], 16)
    if _FLOAT.fullmatch(scanned):
        return float(scanned)
    return scanned.translate(_STOOD_FOR)


def quoted_text(scanned: str) -> str | None:
    """The text of a quoted or block scalar; None where half of a surrogate pair stands alone.

    JSON, which is YAML, writes one character beyond U+FFFF as the escapes of a pair.
    """
    text = scanned.translate(_STOOD_FOR)
    if not _SURROGATE.search(text):
        return text
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return None

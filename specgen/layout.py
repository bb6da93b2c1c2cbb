"""The stage before an Output: the text of a module in, the same module in black's layout out.

The mode is fixed and the user's configuration is not read, so that the bytes depend on nothing but
the text. What comes out must compile, without a warning, for the Python that the module is for.
"""

import ast
import io
import tokenize
import warnings
from functools import lru_cache

import black
from black.mode import TargetVersion
from black.parsing import InvalidInput

LINE_LENGTH = 100

Python = tuple[int, int]


# Between the definitions of a module, where black wants two blank lines.
_GAP = "\n\n\n"


def lay_out(text: str, python: Python) -> str:
    """The text in its final layout; raises where `python`, the oldest to run it, cannot read it.

    Most definitions are the same in all scripts, and black takes more time than all other stages
    together: so the text is laid out by definitions, each of them once.
    """
    try:
        pieces = [_formatted(piece, python) for piece in text.strip("\n").split(_GAP)]
        final = _GAP.join(piece.strip("\n") for piece in pieces) + "\n"
    except InvalidInput:  # a gap within a text of the user's
        final = _formatted(text, python)
    with warnings.catch_warnings():
        # An unknown escape is only a warning, but it means a literal that went wrong.
        warnings.simplefilter("error")
        compile(ast.parse(final, feature_version=python), "<generated>", "exec", dont_inherit=True)
    return final


@lru_cache(maxsize=1024)
def _formatted(text: str, python: Python) -> str:
    mode = black.Mode(
        line_length=LINE_LENGTH,
        target_versions={TargetVersion[f"PY{python[0]}{python[1]}"]},
        magic_trailing_comma=False,  # a partial ends its lines with one, however short they are
    )
    return black.format_str(text, mode=mode)


def differ_in_layout_only(one: str, other: str) -> bool:
    """Whether two modules have the same syntax tree and the same comments."""
    try:
        return _content(one) == _content(other)
    except (SyntaxError, ValueError, tokenize.TokenError):
        return False


def _content(text: str) -> tuple[str, list[str]]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string.lstrip("# ") for token in tokens if token.type == tokenize.COMMENT]
    return ast.dump(ast.parse(text)), comments

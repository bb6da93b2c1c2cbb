"""The stage before an Output: the text of a module in, the same module in black's layout out.

The mode is fixed and the user's configuration is not read, so that the bytes depend on nothing but
the text. What comes out must compile, without a warning, for the Python that the module is for.
"""

import ast
import io
import tokenize
import warnings

import black
from black.mode import TargetVersion

LINE_LENGTH = 100

Python = tuple[int, int]


def lay_out(text: str, python: Python) -> str:
    """The text in its final layout; raises where `python`, the oldest to run it, cannot read it."""
    mode = black.Mode(
        line_length=LINE_LENGTH,
        target_versions={TargetVersion[f"PY{python[0]}{python[1]}"]},
    )
    final = black.format_str(text, mode=mode)
    with warnings.catch_warnings():
        # An unknown escape is only a warning, but it means a literal that went wrong.
        warnings.simplefilter("error")
        compile(ast.parse(final, feature_version=python), "<generated>", "exec", dont_inherit=True)
    return final


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

"""Answers from the one table: what a target supports, and which key means something under what.

A key and a choice in, a verdict in words out. The checks refuse by it; the schema's descriptions
and README's table are made here too, so that the three cannot disagree.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from specgen.support_table import ANY, OTHER, TABLE, Never, NotYet, Row, Since, Support
from specgen.targets import TARGETS
from specgen.wording import listed

KEYS = tuple(dict.fromkeys(row.key for row in TABLE))
DEPENDENT_KEYS = tuple(dict.fromkeys(key for row in TABLE for key in row.gives_meaning_to))


@dataclass(frozen=True)
class Refusal:
    """Why a choice or a key cannot stand, and what can.

    `of_key` is True where no value would do.
    """

    reason: str
    hint: str
    of_key: bool = False


def unsupported(key: str, choice: str, target: str) -> Refusal | None:
    """Why the target does not support the choice; None where it does."""
    rows = _rows(key)
    for row in rows:
        if is_chosen(row.choices, choice):
            called = {ANY: "this key", OTHER: "this value"}.get(row.choices[0], choice)
            refusal = _refusal(called, row.on(target), target, _working(rows, target))
            return refusal and replace(refusal, of_key=ANY in row.choices)
    return None


def meaningless(key: str, chosen: Mapping[str, str | None]) -> Refusal | None:
    """Why the key has no effect; None where it has one.

    `chosen` has the choice in force of each key that `givers` names, None where there is none.
    """
    wanted = givers(key)
    if not wanted or any(is_chosen(choices, chosen[giver]) for giver, choices in wanted.items()):
        return None
    under = [f"{_spoken(giver)} {chosen[giver]}" for giver in wanted if chosen[giver] is not None]
    without = [_spoken(giver) for giver in wanted if chosen[giver] is None]
    lack = f"under {listed(under)}" if under else f"without {listed(without)}"
    return Refusal(f"has no effect {lack}", f"it belongs to {_fitting(key)}", of_key=True)


@cache
def givers(key: str) -> Mapping[str, tuple[str, ...]]:
    """The choices, by their key, under which `key` means something; empty where it always does."""
    found: dict[str, tuple[str, ...]] = {}
    for row in TABLE:
        if key in row.gives_meaning_to:
            found[row.key] = (*found.get(row.key, ()), *row.choices)
    return found


def is_chosen(choices: Iterable[str], choice: str | None) -> bool:
    """Whether the choice in force, None where there is none, is among `choices`."""
    return choice is not None and any(named in (choice, ANY, OTHER) for named in choices)


def describe(key: str) -> str:
    """What an editor should say of the key besides what it is for; "" where there is nothing."""
    sentences = [f"Has an effect only with {_fitting(key)}."] if givers(key) else []
    for target in TARGETS:
        for kind, words in ((NotYet, "not supported yet"), (Never, "impossible")):
            refused = [row for row in _rows(key) if isinstance(row.on(target), kind)]
            if refused:
                choices = [choice for row in refused for choice in row.choices]
                sentences.append(f"On {target} {words}: {listed(choices)}.")
    return " ".join(sentences)


def markdown() -> str:
    """The table for README, one line a row."""
    lines = [f"| key | choice | {' | '.join(TARGETS)} |", f"|{'---|' * (2 + len(TARGETS))}"]
    for row in TABLE:
        choices = ", ".join(c if " " in c else f"`{c}`" for c in row.choices)
        verdicts = " | ".join(_cell(row.on(target)) for target in TARGETS)
        lines.append(f"| `{row.key}` | {choices} | {verdicts} |")
    return "\n".join(lines) + "\n"


@cache
def _rows(key: str) -> tuple[Row, ...]:
    return tuple(row for row in TABLE if row.key == key)


def _working(rows: Iterable[Row], target: str) -> list[str]:
    return [choice for row in rows if isinstance(row.on(target), Since) for choice in row.choices]


def _refusal(called: str, support: Support, target: str, works: list[str]) -> Refusal | None:
    match support:
        case NotYet(instead):
            now = f"{listed(works)} {'work' if works[1:] else 'works'} now" if works else instead
            return Refusal(f"{called} is not supported yet on target {target}", now)
        case Never(reason, instead):
            return Refusal(f"{called} cannot work on target {target}: {reason}", instead)
        case Since():
            return None


def _fitting(key: str) -> str:
    """The choices under which the key means something, in words."""
    return ", or ".join(
        _spoken(giver) if ANY in choices else f"{_spoken(giver)} {listed(choices, 'or')}"
        for giver, choices in givers(key).items()
    )


def _spoken(key: str) -> str:
    """The key as it is called beside another one of the same mapping."""
    return key.rpartition("*.")[2]


def _cell(support: Support) -> str:
    match support:
        case Since(version):
            return f"since {version}"
        case NotYet():
            return "not yet"
        case Never(reason, _):
            return f"never: {reason}"

"""For `load`: an error of pydantic's in, a diagnostic in the words of the language out.

The table at the end says for each type of pydantic's errors what does so.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from specgen.diagnostics import Diagnostic
from specgen.document import Document, Path, dotted, quoted
from specgen.spec import Spec
from specgen.spec.unions import keys_of
from specgen.spec.walk import choices_at, model_at
from specgen.wording import hint_for, listed, meant, nearest, shown


@dataclass(frozen=True)
class Mistake:
    """One error of pydantic's: where it is, the value there, and what pydantic knows besides."""

    document: Document
    loc: tuple[str | int, ...]
    path: Path
    value: Any
    context: Mapping[str, Any]

    def at_value(self, code: str, message: str, hint: str = "") -> Diagnostic:
        """A diagnostic that points to the value."""
        position = self.document.value_at(self.path)
        return Diagnostic(self.document.file, position, code, dotted(self.path), message, hint)

    def at_key(self, code: str, message: str, hint: str = "") -> Diagnostic:
        """A diagnostic that points to the key, or if that is missing to the nearest around it."""
        position = self.document.where(self.path)
        return Diagnostic(self.document.file, position, code, dotted(self.path), message, hint)


def diagnostic_of(kind: str, mistake: Mistake) -> Diagnostic:
    """What to say of a mistake that pydantic calls `kind`."""
    return _DIAGNOSTICS[kind](mistake)


def _missing(mistake: Mistake) -> Diagnostic:
    if isinstance(mistake.path[-1], int):
        return _no_pair(replace(mistake, path=mistake.path[:-1]))
    return mistake.at_key("SG202", "this key is required")


def _unknown(mistake: Mistake) -> Diagnostic:
    parent, key = mistake.loc[:-1], str(mistake.loc[-1])
    fitting = [choice for choice, model in choices_at(parent).items() if key in keys_of(model)]
    if fitting:
        chosen = str(parent[-1]).strip("<>")
        return mistake.at_key("SG201", f"this key is for {listed(fitting)}, not for {chosen}")
    known = known_keys(parent)
    hint = meant(key, known) or (f"the keys here are {listed(known)}" if known else "")
    return mistake.at_key("SG201", "this key is unknown", hint)


def known_keys(loc: tuple[str | int, ...]) -> tuple[str, ...]:
    """The legal keys of the mapping at a location; `variants` is merged away, but legal too."""
    return keys_of(model_at(loc)) if loc else (*keys_of(Spec), "variants")


def _unlike(wanted: str, *types: type) -> Callable[[Mistake], Diagnostic]:
    """What to say of a value that is of none of the types."""
    return lambda mistake: mistake.at_value(
        "SG203",
        f"{wanted} is wanted, not {shown(mistake.value)}",
        hint_for(mistake.value, types),
    )


def _beyond(words: str, bound: str) -> Callable[[Mistake], Diagnostic]:
    """What to say of a number beyond a bound."""
    return lambda mistake: mistake.at_value(
        "SG205", f"{words} {mistake.context[bound]:.12g} is wanted, not {shown(mistake.value)}"
    )


def _malformed(wanted: str) -> Callable[[Mistake], Diagnostic]:
    """What to say of a value that has the right type only."""
    return lambda mistake: mistake.at_value(
        "SG205", f"{wanted} is wanted, not {shown(mistake.value)}"
    )


def _no_number(mistake: Mistake) -> Diagnostic:
    if type(mistake.value) is int:  # Python's integers have no end, floats have.
        return mistake.at_value("SG205", "this number is too large")
    return _unlike("a number", float)(mistake)


def _malformed_text(mistake: Mistake) -> Diagnostic:
    form, value = mistake.context["form"], mistake.value
    if isinstance(value, str):
        return replace(_malformed(form.wanted)(mistake), code=form.code)
    types = (str,) if re.search(form.pattern, shown(value)) else ()
    return _unlike(form.wanted, *types)(mistake)


def _no_pair(mistake: Mistake) -> Diagnostic:
    return mistake.at_value("SG205", f"a pair is wanted, not a list of {len(mistake.value)}")


def _no_choice(mistake: Mistake) -> Diagnostic:
    return _none_of(re.findall("'(.*?)'", mistake.context["expected"]), mistake)


def _none_of(choices: Collection[str], mistake: Mistake) -> Diagnostic:
    value = mistake.value
    if isinstance(value, str):
        message = f"{quoted(value)} is not one of {listed(choices, 'or')}"
        return mistake.at_value("SG204", message, _hint(mistake, choices))
    return mistake.at_value(
        "SG204", f"one of {listed(choices, 'or')} is wanted, not {shown(value)}"
    )


def _hint(mistake: Mistake, choices: Collection[str]) -> str:
    """What to do about a text that is not one of the choices."""
    if mistake.value == "softmax" and _is_in_last_layer(mistake):
        return "the loss takes logits; leave the softmax out"
    return meant(mistake.value, choices)


def _is_in_last_layer(mistake: Mistake) -> bool:
    match mistake.path:
        case ("model", "layers", int(layer), *_):
            return layer == len(mistake.document.data["model"]["layers"]) - 1
    return False


def _no_member_by_key(mistake: Mistake) -> Diagnostic:
    key, choices, value = mistake.context["key"], mistake.context["choices"], mistake.value
    if not isinstance(value, dict):
        message = f"a mapping with the key {key} is wanted, not {shown(value)}"
        hint = f"write {{{key}: {value}}}" if value in choices else ""
        return mistake.at_value("SG203", message, hint)
    misspelt = nearest(key, value)
    if key not in value and misspelt:
        wrong = replace(mistake, path=(*mistake.path, misspelt))
        return wrong.at_key("SG201", "this key is unknown", f"did you mean {key}?")
    if key not in value:
        missing = replace(mistake, path=(*mistake.path, key))
        return missing.at_key(
            "SG202", "this key is required", f"it is one of {listed(choices, 'or')}"
        )
    return _none_of(choices, replace(mistake, path=(*mistake.path, key), value=value[key]))


def _no_member_by_name(mistake: Mistake) -> Diagnostic:
    noun, parameters, item = mistake.context["noun"], mistake.context["parameters"], mistake.value
    if isinstance(item, dict) and len(item) != 1:
        hint = f"begin each {noun} with a dash, and indent its parameters below its name"
        message = f"one {noun} is wanted here, not a mapping of {len(item)} keys"
        return mistake.at_value("SG203", message, hint)
    if not isinstance(item, str | dict):
        return mistake.at_value("SG203", f"a {noun} is wanted, not {shown(item)}")
    name = item if isinstance(item, str) else next(iter(item))
    if name in parameters:
        hint = f"write {name}: and its parameters"
        return mistake.at_value("SG202", f"{name} needs parameters", hint)
    owners = [owner for owner, keys in parameters.items() if name in keys]
    diagnostic = _none_of(parameters, replace(mistake, value=name))
    if owners:
        return replace(
            diagnostic, hint=f"as a parameter of {listed(owners, 'or')}, indent it further"
        )
    return diagnostic


def _no_member_by_type(mistake: Mistake) -> Diagnostic:
    context, value = mistake.context, mistake.value
    diagnostic = _unlike(context["wanted"], *context["types"])(mistake)
    if isinstance(value, str) and not diagnostic.hint:
        return replace(diagnostic, hint=meant(value, context["choices"]))
    return diagnostic


_DIAGNOSTICS: Mapping[str, Callable[[Mistake], Diagnostic]] = {
    "missing": _missing,
    "extra_forbidden": _unknown,
    "int_type": _unlike("a whole number", int),
    "float_type": _no_number,
    "bool_type": _unlike("true or false", bool),
    "string_type": _unlike("a text", str),
    "tuple_type": _unlike("a list", list),
    "dict_type": _unlike("a mapping", dict),
    "model_type": _unlike("a mapping", dict),
    "greater_than": _beyond("more than", "gt"),
    "greater_than_equal": _beyond("at least", "ge"),
    "less_than": _beyond("less than", "lt"),
    "less_than_equal": _beyond("at most", "le"),
    "finite_number": _malformed("a finite number"),
    "malformed": _malformed_text,
    "string_too_short": _malformed("a text that is not empty"),
    "string_unicode": _malformed("a text without half of a surrogate pair"),
    "too_short": lambda mistake: mistake.at_value("SG205", "at least one entry is wanted here"),
    "too_long": _no_pair,
    "literal_error": _no_choice,
    "by_key": _no_member_by_key,
    "named": _no_member_by_name,
    "either": _no_member_by_type,
}

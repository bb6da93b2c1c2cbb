"""The stage before layout: Plans in, the texts of the data module and of a script out (Jinja2).

The templates decide nothing: which partial of a family is taken follows from the Plan's own words.
Whatever they print becomes a Python literal, unless it is asked for as a name or a docstring.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Undefined
from markupsafe import Markup

from specgen import literal
from specgen.names import IDENTIFIER
from specgen.places import marker
from specgen.plan import Plan
from specgen.targets import TARGETS

# Beside the package in a checkout, inside it once installed.
_FOLDERS = [Path(__file__).parent / "templates", Path(__file__).parents[1] / "templates"]


def data_module(plans: Sequence[Plan]) -> str:
    """The data module that the scripts of a spec share; all variants have the same data."""
    held = [plan.in_memory for plan in plans]
    numpy = [TARGETS[plan.target].reads_with_numpy for plan in plans]
    in_graph = [not (reads or holds) for reads, holds in zip(numpy, held, strict=True)]
    return _render(
        "data/module.py.j2",
        plans[0],
        draws=plans[0].data.is_shuffled or any(plan.model.has_weights for plan in plans),
        reads_with_numpy=any(numpy) or any(held),
        holds_rows=any(held),
        reads_epochs=not all(held),
        reads_in_graph=any(in_graph),
        decodes_in_graph=bool(plans[0].data.encoded) and any(in_graph),
    )


def script(plan: Plan) -> str:
    """The training script of one variant."""
    target = TARGETS[plan.target]
    return _render(f"{target.templates}/script.py.j2", plan, target=target)


def _render(template: str, plan: Plan, **more: Any) -> str:
    values = {"plan": plan, "data": plan.data, "marker": Markup(marker(plan.source)), **more}
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_FOLDERS),
        undefined=StrictUndefined,
        autoescape=True,  # so that text made by templates is told apart from values
        finalize=_literal,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(name=_name, docstring=_safe(literal.docstring))
    return environment


def _literal(value: Any) -> Markup:
    """What `{{ value }}` prints: text made by templates as it is, anything else as a literal."""
    if isinstance(value, Undefined):
        str(value)  # raises, and says what the template asked for
    return value if isinstance(value, Markup) else Markup(literal.literal(value))


def _name(value: str) -> Markup:
    if not re.fullmatch(IDENTIFIER, value):
        raise ValueError(f"{value!r} cannot be a name")
    return Markup(value)


def _safe(function: Callable[[str], str]) -> Callable[[str], Markup]:
    return lambda text: Markup(function(text))

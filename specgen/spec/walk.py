"""From a location in a spec to the model that describes it; `load` names the legal keys by it.

A location is pydantic's: keys, positions in lists, and the tags of the unions on the way.
"""

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, RootModel

from specgen.spec.root import Spec
from specgen.spec.unions import ByKey, Either, Named

Loc = Sequence[str | int]


def model_at(loc: Loc) -> type[BaseModel]:
    """The model of the mapping at the location."""
    model: type[BaseModel]
    model, _ = _split(_type_at(loc))
    return model


def choices_at(loc: Loc) -> Mapping[str, type[BaseModel]]:
    """The models one of which a key chose for the mapping at the location, by the key's values.

    Empty where no key does; where one does, the location ends with the tag of the model chosen.
    """
    if not loc:
        return {}
    union, marker = _split(_type_at(loc[:-1]))
    return marker.choices(union) if isinstance(marker, ByKey) else {}


def _type_at(loc: Loc) -> Any:
    here: Any = Spec
    for segment in loc:
        here = _step(here, segment)
    return here


def _step(here: Any, segment: str | int) -> Any:
    """The type that `segment` leads to from a value of the type `here`."""
    here, marker = _split(here)
    if marker is not None:
        return marker.members(here)[str(segment)]
    if get_origin(here) is tuple:
        return get_args(here)[0]
    if get_origin(here) is dict:
        return get_args(here)[1]
    if issubclass(here, RootModel):
        return _step(here.model_fields["root"].annotation, segment)
    fields = {field.alias or name: field for name, field in here.model_fields.items()}
    return fields[segment].rebuild_annotation()


def _split(annotation: Any) -> tuple[Any, ByKey | Named | Either | None]:
    """The type without `None` and `Annotated`; for a union also what tells its members apart."""
    if get_origin(annotation) is Annotated:
        bare, *metadata = get_args(annotation)
        markers = [m for m in metadata if isinstance(m, ByKey | Named | Either)]
        return (bare, markers[0]) if markers else _split(bare)
    if get_origin(annotation) in (Union, UnionType):
        return _split(next(part for part in get_args(annotation) if part is not type(None)))
    return annotation, None

"""The three kinds of unions in the language, each of which gives one error for one mistake.

pydantic's own unions try each member and report the failures of all. Those here look at the value
first, choose one member and validate with it alone; what is a model already, they pass. Each is put
into `Annotated` beside its union:

* `ByKey`: mappings, told apart by the value of one key (`{kind: npz, ...}`);
* `Named`: items of a list, a name alone or with its parameters (`flatten`, `dense: {...}`);
* `Either`: values of different types, told apart by that type (a number or a list of numbers).

Where no member can be chosen, the error's type is `by_key`, `named` or `either`, and its context
says what `load` needs for a message.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler, RootModel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from specgen.spec.base import Form

Pick = Callable[[Any], Hashable]


def keys_of(model: type[BaseModel]) -> tuple[str, ...]:
    """The keys of a mapping, as the language spells them; none of a model without fixed ones."""
    if issubclass(model, RootModel):
        return ()
    return tuple(field.alias or name for name, field in model.model_fields.items())


@dataclass(frozen=True)
class ByKey:
    """A union of models whose field `key` is a literal, by which they are told apart."""

    key: str

    def members(self, union: Any) -> dict[str, Any]:
        """The models by their tag, in the order of the union."""
        return {_tag(choice): model for choice, model in self.choices(union).items()}

    def choices(self, union: Any) -> dict[str, type[BaseModel]]:
        """The models by the value of the key that means them."""
        return {get_args(m.model_fields[self.key].annotation)[0]: m for m in get_args(union)}

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        def pick(value: Any) -> Hashable:
            if isinstance(value, BaseModel):
                return _tag(getattr(value, self.key))
            choice = value.get(self.key) if isinstance(value, dict) else None
            return _tag(choice) if isinstance(choice, str) else None

        choices = {tag: handler.generate_schema(m) for tag, m in self.members(source).items()}
        context = {"key": self.key, "choices": tuple(self.choices(source))}
        return _tagged_union(choices, pick, "by_key", context)


@dataclass(frozen=True)
class Named:
    """A union of models that have their names in `kind`; `noun` is what messages call one."""

    noun: str

    def members(self, union: Any) -> dict[str, Any]:
        """The models by their name, in the order of the union."""
        return {model.kind: model for model in get_args(union)}

    def bare(self, union: Any) -> tuple[str, ...]:
        """The names that may stand alone because their models need no parameter."""
        return tuple(
            name
            for name, model in self.members(union).items()
            if not any(field.is_required() for field in model.model_fields.values())
        )

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        members = self.members(source)
        bare = self.bare(source)

        def pick(item: Any) -> Hashable:
            if isinstance(item, BaseModel):
                return getattr(item, "kind", None)
            if isinstance(item, str):
                return item if item in bare else None
            return next(iter(item)) if isinstance(item, dict) and len(item) == 1 else None

        def parameters(item: Any) -> Any:
            if isinstance(item, BaseModel):
                return item
            return {} if isinstance(item, str) else next(iter(item.values()))

        choices: dict[str, CoreSchema] = {
            name: core_schema.no_info_before_validator_function(
                parameters, handler.generate_schema(model)
            )
            for name, model in members.items()
        }
        context = {
            "noun": self.noun,
            "bare": bare,
            "parameters": {name: keys_of(model) for name, model in members.items()},
        }
        return _tagged_union(choices, pick, "named", context)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        assert schema["type"] == "tagged-union"
        bare = schema["custom_error_context"]["bare"]
        with_parameters = {
            "type": "object",
            "properties": {name: handler(choice) for name, choice in schema["choices"].items()},
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": False,
        }
        return {"anyOf": [{"enum": list(bare)}, with_parameters]}


@dataclass(frozen=True)
class Either:
    """A union whose members differ in the type of the value; `wanted` says in words what fits."""

    wanted: str

    def members(self, union: Any) -> dict[str, Any]:
        """The members by the tag of the type that they take; an integer may stand for a float."""
        members: dict[str, Any] = {}
        for member in get_args(union):
            for taken in _types_taken(member):
                members.setdefault(_tag(taken.__name__), member)
        if _tag("float") in members:
            members.setdefault(_tag("int"), members[_tag("float")])
        return members

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        members = self.members(source)
        literals = [member for member in get_args(source) if get_origin(member) is Literal]
        words = tuple(word for literal in literals for word in get_args(literal))

        def pick(value: Any) -> Hashable:
            if words and isinstance(value, str) and value not in words:
                return None
            tag = _tag(_plain_type(value).__name__)
            return tag if tag in members else None

        choices = {tag: handler.generate_schema(member) for tag, member in members.items()}
        types = frozenset(
            taken
            for member in get_args(source)
            if not _is_formed(member)
            for taken in _types_taken(member)
        )
        context = {"wanted": self.wanted, "choices": words, "types": types}
        return _tagged_union(choices, pick, "either", context)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        assert schema["type"] == "tagged-union"
        forms: list[JsonSchemaValue] = []
        for choice in schema["choices"].values():
            form = handler(choice)
            if form not in forms:
                forms.append(form)
        return {"anyOf": forms}


def is_tag(segment: str | int) -> bool:
    """Whether a segment of a location looks like a tag, which is no part of the spec."""
    return isinstance(segment, str) and segment.startswith("<") and segment.endswith(">")


def _tag(name: str) -> str:
    return f"<{name}>"


def _tagged_union(
    choices: Mapping[str, CoreSchema], pick: Pick, error: str, context: dict[str, Any]
) -> CoreSchema:
    return core_schema.tagged_union_schema(
        dict(choices),
        discriminator=pick,
        custom_error_type=error,
        custom_error_message=error,
        custom_error_context=context,
    )


def _plain_type(value: Any) -> type:
    """The type of the value, or of the plain data that it was made of."""
    if isinstance(value, BaseModel):
        return dict
    return list if isinstance(value, tuple) else type(value)


def _is_formed(member: Any) -> bool:
    """Whether only some texts are legal, so that a value does not become legal by quotes alone."""
    if get_origin(member) is Annotated:
        return any(isinstance(mark, Form) for mark in get_args(member))
    return get_origin(member) is Literal


def _types_taken(member: Any) -> set[type]:
    """The types of plain data that a member of a union can be made of."""
    origin = get_origin(member)
    if origin is Annotated:
        return _types_taken(get_args(member)[0])
    if origin in (Union, UnionType):
        return {taken for part in get_args(member) for taken in _types_taken(part)}
    if origin is Literal:
        return {str}
    if origin is tuple:
        return {list}
    if origin is dict or (isinstance(member, type) and issubclass(member, BaseModel)):
        return {dict}
    assert member in (bool, int, float, str), member
    return {member}

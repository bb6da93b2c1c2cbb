"""What the models of all sections share: their base class and the types of values."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, RootModel, Strict, StringConstraints

T = TypeVar("T")

NAME = r"^[a-z][a-z0-9_]{0,63}$"
PATH = r"^[^\x00]+$"
FUNCTION = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*$"
DEVICE = r"^(cpu|gpu):(0|[1-9][0-9]{0,3})$"
DEVICE_OR_AUTO = r"^(auto|(cpu|gpu):(0|[1-9][0-9]{0,3}))$"
CHARACTER = r"^[^\x00\r\n]$"

Name = Annotated[str, StringConstraints(pattern=NAME)]
PathText = Annotated[str, StringConstraints(pattern=PATH)]
Function = Annotated[str, StringConstraints(pattern=FUNCTION)]
Device = Annotated[str, StringConstraints(pattern=DEVICE)]
DeviceOrAuto = Annotated[str, StringConstraints(pattern=DEVICE_OR_AUTO)]
Character = Annotated[str, StringConstraints(pattern=CHARACTER)]
Text = Annotated[str, StringConstraints(min_length=1)]

# Sizes and counts end up in 32-bit fields of TensorFlow and of file formats.
Whole = Annotated[int, Field(ge=0, le=2**31 - 1)]
Count = Annotated[int, Field(ge=1, le=2**31 - 1)]
Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(gt=0, le=1)]
BelowOne = Annotated[float, Field(ge=0, lt=1)]
ZeroToOne = Annotated[float, Field(ge=0, le=1)]

# A strict tuple would refuse the lists that a document holds; the items stay strict.
Listed = Annotated[tuple[T, ...], Strict(False)]
NotEmpty = Annotated[tuple[T, ...], Strict(False), Field(min_length=1)]
Pair = Annotated[tuple[T, T], Strict(False)]


class Model(BaseModel):
    """One mapping of a spec: strict types, no unknown keys, read-only."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)


class Wrapped(RootModel[Any]):
    """A member of a union of models that is no mapping of fixed keys; the value is in `root`."""

    model_config = ConfigDict(strict=True, frozen=True)


def unsaid(default: Any, description: str) -> Any:
    """A field that is `None` where it was not said; `default` is what the plan then takes.

    `default` is for the schema and for `default_of`; it is `None` where other things decide.
    """
    extra = {} if default is None else {"default": default}
    return Field(default=None, description=description, json_schema_extra=extra)


def default_of(model: type[Model], key: str) -> Any:
    """The default of a key as the language states it; `None` where it has none of its own."""
    field = model.model_fields[key]
    if isinstance(field.json_schema_extra, dict) and "default" in field.json_schema_extra:
        return field.json_schema_extra["default"]
    return field.get_default(call_default_factory=True)

"""What the models of all sections share: their base class and the types of values."""

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    RootModel,
    Strict,
    StringConstraints,
)
from pydantic_core import CoreSchema, core_schema

from specgen.names import IDENTIFIER, NAME

T = TypeVar("T")


@dataclass(frozen=True)
class Form:
    """Put into `Annotated` beside `str`: the form that a text must have, by a pattern and in words.

    Whatever is wrong with a value, its error has the type `malformed` and what `load` needs to say.
    """

    pattern: str
    wanted: str
    code: str = "SG205"

    def __get_pydantic_core_schema__(
        self, source: type[str], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.custom_error_schema(
            core_schema.str_schema(pattern=self.pattern, strict=True),
            custom_error_type="malformed",
            custom_error_message="malformed",
            custom_error_context={"form": self},
        )


_DEVICE = "(cpu|gpu):(0|[1-9][0-9]{0,3})"

Name = Annotated[
    str,
    Form(
        f"^{NAME}$",
        "a name of at most 64 small letters, digits and _, a letter first,",
        "SG206",
    ),
]
PathText = Annotated[str, Form(r"^[^\x00]+$", "a path, a text that is not empty and has no NUL,")]
Function = Annotated[str, Form(rf"^{IDENTIFIER}(\.{IDENTIFIER})*:{IDENTIFIER}$", "module:function")]
Device = Annotated[str, Form(f"^{_DEVICE}$", "a device as cpu:0 or gpu:0")]
DeviceOrAuto = Annotated[str, Form(f"^(auto|{_DEVICE})$", "auto, or a device as cpu:0 or gpu:0,")]
Character = Annotated[str, Form(r"^[^\x00\r\n]$", "one character that does not end a line")]
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

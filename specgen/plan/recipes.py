"""Models of a spec as plain data again: by the language's keys, defaults filled in."""

from typing import Any

from pydantic import BaseModel

from specgen.spec.base import Wrapped


def keys_of(value: Any) -> Any:
    """The value as mappings, lists and scalars; a key that stands for nothing is left out."""
    if isinstance(value, Wrapped):
        return {_kind(value): keys_of(value.root)}
    if isinstance(value, BaseModel):
        keys = {
            field.alias or name: keys_of(getattr(value, name))
            for name, field in sorted(type(value).model_fields.items(), key=_is_tag, reverse=True)
            if getattr(value, name) is not None
        }
        kind = getattr(type(value), "kind", None)
        if not isinstance(kind, str):
            return keys
        return {kind: keys} if keys else kind
    if isinstance(value, dict):
        return {key: keys_of(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [keys_of(item) for item in value]
    return value


def _is_tag(field: tuple[str, Any]) -> bool:
    """Whether the key says what the others are, and so is read first."""
    return field[0] in ("kind", "name", "schedule")


def _kind(value: Wrapped) -> str:
    return str(type(value).kind)  # type: ignore[attr-defined]

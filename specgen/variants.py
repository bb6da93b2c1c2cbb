"""From one Document to one for each of its variants, in which nothing is left to merge.

A variant says with which *how* keys its script differs. Here that is merged into what the spec says
(RFC 7386), `variants` goes away, and so does every `null`: what is not there has its default.
"""

import re
from collections import ChainMap, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from specgen.diagnostics import Diagnostic, Position
from specgen.document import Document, Path, dotted
from specgen.names import NAME
from specgen.spec.base import Model, default_of
from specgen.spec.how import Buffers, Distribute
from specgen.wording import listed, meant

HOW = ("target", "pipeline", "buffers", "devices", "distribute")

# The names that no variant may have, as they stand for something else in the names of files.
DATA = "data"  # the data module, NAME_data.py
RECORDS = "records"  # the folder of records
DEFAULT = "default"  # the script of a spec without variants
RESERVED = (DATA, RECORDS, DEFAULT)

# The mappings that start empty where a variant gives this key another value than the base has, with
# the model that knows its default. `devices.memory` is the mapping and the value in one.
_CHOOSES: Mapping[Path, tuple[str, type[Model]]] = {
    ("buffers",): ("method", Buffers),
    ("distribute",): ("strategy", Distribute),
}
_MEMORY = ("devices", "memory")


def expand(document: Document) -> tuple[list[Document], list[Diagnostic]]:
    """The merged documents in the order of their variants, and what is wrong with `variants`.

    A spec without variants is one document. What is wrong in a variant is left out of its document,
    so that the later stages find all other mistakes in the same run.
    """
    variants = document.data.get("variants")
    faults = [_diagnostic(document, *fault) for fault in _faults(variants)]
    base = {key: value for key, value in document.data.items() if key != "variants"}
    if not isinstance(variants, dict) or not variants:
        return [replace(document, data=_without_nulls(base))], faults
    keys, values = _Positions(document.keys), _Positions(document.values)
    documents = []
    for name, changes in variants.items():
        data = _patched(base, _how(changes))
        paths = list(_paths(_how(data)))
        documents.append(
            Document(
                document.file,
                _without_nulls(data),
                keys.of_variant(name, paths),
                values.of_variant(name, paths),
                name,
                frozenset(keys.said[name]),
            )
        )
    return documents, faults


def _how(said: Any) -> dict[str, Any]:
    return {key: said[key] for key in said if key in HOW} if isinstance(said, dict) else {}


def _patched(base: Any, patch: dict[str, Any], path: Path = ()) -> dict[str, Any]:
    """The base with a merge patch applied; `null` stays, and some mappings start empty."""
    kept = isinstance(base, dict) and not _chooses_anew(base, patch, path)
    result = dict(base) if kept else {}
    for key, value in patch.items():
        merges = isinstance(value, dict)
        result[key] = _patched(result.get(key), value, (*path, key)) if merges else value
    return result


def _chooses_anew(base: dict[str, Any], patch: dict[str, Any], path: Path) -> bool:
    """Whether all that the base says at this path belonged to a choice that the variant changes."""
    if path == _MEMORY:
        given = _without_nulls(patch)
        return bool(given) and given != _without_nulls(base)
    if path not in _CHOOSES:
        return False
    key, model = _CHOOSES[path]
    default = default_of(model, key)
    before, after = (default if said.get(key) is None else said[key] for said in (base, patch))
    return key in patch and bool(before != after)


def _without_nulls(value: Any, path: Path = ()) -> Any:
    """A copy whose mappings have no entry that is null; an item of a list may be.

    Entries stay whose keys are the user's names or say what a list's item is (`- dense:`): those
    have no default, and that nothing is said of them is a mistake for `load` to report.
    """
    if isinstance(value, list):
        return [_without_nulls(item, (*path, index)) for index, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    match path:
        case ("placeholders",) | ("source", "arrays") | (*_, int()) | (*_, int(), "concatenate"):
            entries = value
        case _:
            entries = {key: entry for key, entry in value.items() if entry is not None}
    return {key: _without_nulls(entry, (*path, key)) for key, entry in entries.items()}


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths of everything inside the value."""
    inside: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        inside = value.items()
    elif isinstance(value, list):
        inside = enumerate(value)
    for segment, child in inside:
        yield (*path, segment)
        yield from _paths(child, (*path, segment))


class _Positions:
    """One table of positions, in the parts of which those of the variants are put together.

    Of `variants` itself the names stay, for what is wrong with a name.
    """

    def __init__(self, table: Mapping[Path, Position]) -> None:
        self.said: defaultdict[str, dict[Path, Position]] = defaultdict(dict)
        self._how: dict[Path, Position] = {}
        self._shared: dict[Path, Position] = {}
        for path, position in table.items():
            match path:
                case ("variants", str(name), key, *_) if key in HOW:
                    self.said[name][path[2:]] = position
                case ("variants", _, _, *_):
                    pass
                case (key, *_) if key in HOW:
                    self._how[path] = position
                case _:
                    self._shared[path] = position

    def of_variant(self, name: str, paths: Iterable[Path]) -> Mapping[Path, Position]:
        """Where a variant says the *how* at these paths or else the base does; and all the rest."""
        how = self._how | self.said[name]
        return ChainMap({path: how[path] for path in paths}, self._shared)


def _faults(variants: Any) -> Iterator[tuple[str, Path, str, str]]:
    """Of each mistake in what `variants` says: code, path, message and hint."""
    here: Path = ("variants",)
    if not isinstance(variants, dict | None):
        yield "SG203", here, "a mapping of names to changes is wanted", ""
        return
    if variants == {}:
        yield "SG205", here, "at least one variant is wanted here", "or leave the key out"
    for name, changes in (variants or {}).items():
        at = (*here, name)
        if name in RESERVED:
            yield "SG206", at, "this name is reserved", f"any but {listed(RESERVED)}"
        elif not re.fullmatch(NAME, name):
            hint = "use a to z, 0 to 9 and _, up to 64 in all, and begin with a letter"
            yield "SG206", at, "this cannot be the name of a variant", hint
        if not isinstance(changes, dict | None):
            yield "SG203", at, "a mapping of changes is wanted", f"the keys are {listed(HOW)}"
            continue
        for key in changes or ():
            if key not in HOW:
                hint = meant(key, HOW) or f"it can change {listed(HOW)}"
                yield "SG201", (*at, key), "a variant cannot change this key", hint


def _diagnostic(document: Document, code: str, path: Path, message: str, hint: str) -> Diagnostic:
    position = document.value_at(path) if code in ("SG203", "SG205") else document.where(path)
    return Diagnostic(document.file, position, code, dotted(path), message, hint)

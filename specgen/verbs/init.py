"""`specgen init`: a commented first spec, which trains as it stands, and the schema for editors.

Of a made-up task, or for the data at a path.
"""

import os
import re
from pathlib import Path

from specgen import disk
from specgen.diagnostics import Diagnostic
from specgen.names import NAME, identifier, shadowed
from specgen.places import SPECS, shown
from specgen.survey import survey
from specgen.survey.found import DataError, Source
from specgen.survey.guess import Guess, Placeholder, guess
from specgen.survey.starter import starter
from specgen.verbs.request import Streams
from specgen.verbs.schema import schema_text

_SCHEMA = "specgen.schema.json"
_EXAMPLE = "example"
_MADE_UP = Source(
    Path(),
    {"kind": "synthetic", "rows": 4096},
    4096,
    (),
    ["A made-up task that can be learned. `specgen init --from PATH` writes a spec for your data."],
)
_TASK = Guess(
    Placeholder("image", {"dtype": "uint8", "shape": [8, 8], "scale": 1 / 255}, ()),
    Placeholder("label", {"dtype": "int64", "role": "label", "classes": 10}, ()),
    10,
    [410] * 10,
    {},
)


def init(streams: Streams, name: str | None, data: str | None) -> int:
    """Writes specs/NAME.yaml, for the data where they are given, and the schema beside it.

    Overwrites nothing. Data without a name give their own.
    """
    if name is None:
        name = _named_like(data) if data else _EXAMPLE
    spec, schema = Path(SPECS, f"{name}.yaml"), Path(SPECS, _SCHEMA)
    found = _unusable(name)
    if not found and os.path.lexists(spec):
        found = [Diagnostic(shown(spec), None, "SG404", "", "init overwrites no spec")]
    source, task = _MADE_UP, _TASK
    if not found and data:
        try:
            source = survey(data)
            task = guess(source)
        except DataError as error:
            found = [Diagnostic(shown(error.path), None, "SG406", "", error.why)]
        except OSError as error:
            why = f"cannot be read: {error.strerror or error}"
            found = [Diagnostic(shown(Path(error.filename or data)), None, "SG406", "", why)]
    if not found:
        files = {spec: starter(name, _SCHEMA, source, task).encode("utf-8")}
        if not os.path.lexists(schema):
            files[schema] = schema_text().encode("utf-8")
        found = disk.write(files)
        if not found:
            streams.say("".join(f"wrote {shown(path)}\n" for path in files))
    return streams.report(found)


def _named_like(data: str) -> str:
    """A name for the spec of the data: theirs up to a dot, or a pattern's up to a wildcard."""
    path = Path(os.path.abspath(data))
    begun = path.name if path.exists() else re.split(r"[*?[]", path.name)[0] or path.parent.name
    name = identifier(begun.split(".")[0], ()).rstrip("_")
    return f"{name}_set" if shadowed(name) else name


def _unusable(name: str) -> list[Diagnostic]:
    if not re.fullmatch(NAME, name):
        message = f"NAME: {name!r} is not of the form [a-z][a-z0-9_]*, of up to 64 characters"
    elif what := shadowed(name):
        message = f"NAME: a script of the name {name!r} would shadow {what}"
    else:
        return []
    return [Diagnostic("", None, "SG407", "", message)]

"""`specgen schema`: the JSON Schema that editors complete and check specs with."""

import json

from specgen.schema import json_schema
from specgen.verbs.request import Streams


def schema(streams: Streams) -> int:
    streams.say(schema_text())
    return streams.report(())


def schema_text() -> str:
    """Sorted, so that it changes only where the language does."""
    return json.dumps(json_schema(), indent=2, sort_keys=True) + "\n"

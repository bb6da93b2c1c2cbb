"""`specgen validate`: errors and warnings, and nothing else."""

from specgen import chain
from specgen.verbs.request import Selection, Streams
from specgen.verbs.results import results


def validate(streams: Streams, selection: Selection) -> int:
    _, found = results(chain.validate_spec, selection, streams.stdin)
    return streams.report(found)

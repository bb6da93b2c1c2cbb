"""`specgen plan`: the resolved plans, as one YAML stream with a document for each variant."""

from specgen import chain
from specgen.plan import as_yaml
from specgen.verbs.request import Selection, Streams
from specgen.verbs.results import results


def plan(streams: Streams, selection: Selection) -> int:
    made, found = results(chain.validate_spec, selection, streams.stdin)
    if not chain.has_errors(found):
        streams.say("---\n".join(as_yaml(plan) for result in made for plan in result.plans))
    return streams.report(found)

"""From a valid Spec to its Plan: one function a section, in the order in which they depend.

`source` is the path of the spec from the folder of its scripts. What the checks let through has a
Plan; nothing here reports a mistake.
"""

from specgen.document import Document
from specgen.plan.data import data_plan
from specgen.plan.fields import fields_of, row_id_of
from specgen.plan.how import buffers_plan, cache, device_plan, host_prefetch, parallel_calls
from specgen.plan.marks import in_full, marks_of
from specgen.plan.model import Plan
from specgen.plan.training import model_plan, train_plan
from specgen.spec.root import Spec


def resolve(spec: Spec, document: Document, source: str) -> Plan:
    """Decide everything that the script of this variant needs."""
    buffers = buffers_plan(spec)
    fields = fields_of(spec, buffers)
    keys = in_full(spec, buffers)
    return Plan(
        name=spec.name,
        variant=document.variant,
        description=(spec.description or "").strip() or None,
        source=source,
        target=spec.target,
        fields=fields,
        row_id=row_id_of(spec),
        data=data_plan(spec, fields, source),
        model=model_plan(spec, fields, source),
        train=train_plan(spec, fields),
        parallel_calls=parallel_calls(spec),
        cache=cache(spec),
        threads=spec.pipeline.threads,
        ram_budget_mb=spec.pipeline.ram_budget_mb,
        host_prefetch=host_prefetch(spec),
        buffers=buffers,
        device=device_plan(spec),
        keys=keys,
        marks=marks_of(keys, document),
    )

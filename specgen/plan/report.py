"""A Plan as YAML for people: the spec in full with who said what, then what follows from it."""

from collections.abc import Mapping
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from specgen.document import Path
from specgen.plan.data_model import Field
from specgen.plan.model import Plan

# What the order of the rows depends on, beside the data recipe.
ORDER_KEYS = ("seed", "shuffle", "batch_size", "last_batch")


def as_yaml(plan: Plan) -> str:
    """One YAML document; the mark of each value of the spec is the comment behind it."""
    document = CommentedMap()
    document["script"] = f"{plan.script}.py"
    document["data_module"] = f"{plan.name}_data.py"
    document["spec"] = _marked(plan, plan.keys, ())
    order = {"data": plan.data.recipe, "train": _order(plan), "exempt": _exempt(plan)}
    document["order"] = _plain(order)
    document["steps_an_epoch"] = _steps(plan)
    document["placeholders"] = _plain({field.key: _field(field) for field in plan.fields})
    document["bytes"] = _plain(_bytes(plan))
    document["buffers"] = _plain(_buffers(plan))
    document["devices"] = _plain(_devices(plan))
    stream = StringIO()
    yaml = YAML()
    yaml.width = 4096
    yaml.dump(document, stream)
    return stream.getvalue()


def _marked(plan: Plan, values: Mapping[str, Any], path: Path) -> CommentedMap:
    marked = CommentedMap()
    for key, value in values.items():
        here = (*path, key)
        if here in plan.marks:
            marked[key] = _plain(value)
            marked.yaml_add_eol_comment(plan.marks[here], key)
        else:
            marked[key] = _marked(plan, value, here)
    return marked


def _plain(value: Any) -> Any:
    """For ruamel.yaml: mappings in blocks, lists in a line."""
    if isinstance(value, Mapping):
        return CommentedMap({key: _plain(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        sequence = CommentedSeq(map(_plain, value))
        sequence.fa.set_flow_style()
        return sequence
    return value


def _order(plan: Plan) -> dict[str, Any]:
    return {key: plan.train.recipe["train"][key] for key in ORDER_KEYS}


def _exempt(plan: Plan) -> str | bool:
    """Why the order is not the one that packed records have; False where it is."""
    if plan.data.in_place:
        return "records.format source: an order of its own, the same for all variants"
    return False


def _steps(plan: Plan) -> str | int:
    rows, batch = plan.train_rows, plan.train.batch_size
    keep = plan.train.last_batch == "keep"
    if rows is None:
        return f"rows of train / {batch}, rounded {'up' if keep else 'down'}"
    return -(-rows // batch) if keep else rows // batch


def _field(field: Field) -> dict[str, Any]:
    widths = {"widths_of_batches": field.widths} if field.widths else {}
    return {
        "name": field.name,
        **widths,
        "disk": field.dtype,
        "wire": field.wire,
        "travels_as": " ".join(map(str, field.travels_as)),
        "compute": field.compute,
        "bytes_a_row": {
            "disk": field.bytes_as(field.dtype),
            "wire": field.wire_bytes,
            "compute": field.bytes_as(field.compute),
        },
    }


def _bytes(plan: Plan) -> dict[str, Any]:
    """Of rows at each place, and what is saved there against the compute dtype."""
    compute = sum(column.bytes_as(column.compute) for column in plan.columns)
    batch = plan.train.batch_size
    at_least = "at least " if plan.bucketed else ""
    return {
        "a_row": _at_each_place(plan, compute, 1),
        "a_batch_and_step": _at_each_place(plan, compute, batch),
        "saved_a_row": {
            "disk": _saved_on_disk(plan, compute),
            "wire": at_least + _saved(plan.wire_row_bytes, compute),
        },
    }


def _at_each_place(plan: Plan, compute: int, rows: int) -> dict[str, Any]:
    size = plan.data.row_bytes * rows
    disk = ", ".join([str(size), *_beyond(plan)]) if _beyond(plan) else size
    if plan.data.in_place:
        disk = "what the source has"
    wire = plan.wire_row_bytes * rows
    return {"disk": disk, "wire": _most(plan, wire), "compute": _most(plan, compute * rows)}


def _most(plan: Plan, size: int) -> int | str:
    """Bytes, of the largest width where batches have several."""
    return f"at most {size}" if plan.bucketed else size


def _saved(size: int, compute: int) -> str:
    return f"{compute - size} of {compute}, {1 - size / compute:.0%}"


def _saved_on_disk(plan: Plan, compute: int) -> str:
    if plan.data.in_place:
        return "all, as nothing is written"
    if plan.data.encoded:
        return "unknown before prepare"
    said = [_saved(plan.data.row_bytes, compute), *_beyond(plan)]
    if plan.data.compression != "none":
        said.append("which only prepare can tell")
    return ", ".join(said)


def _beyond(plan: Plan) -> list[str]:
    """What else there is on the disk than the values, or becomes of them there."""
    data = plan.data
    said = [f"and the encoded {field.key}" for field in data.encoded]
    if data.format == "example":
        said.append("without the names in each Example")
    if data.compression != "none":
        said.append(f"before {data.compression}")
    return said


def _buffers(plan: Plan) -> dict[str, Any]:
    batch = plan.wire_row_bytes * plan.train.batch_size
    return {
        "on_device": plan.buffers.count,
        "batches_on_device_at_the_peak": plan.buffers.batches_on_device,
        "device_bytes_at_the_peak": _most(plan, plan.buffers.batches_on_device * batch),
        "batches_ready_on_the_host": plan.host_prefetch,
        "host_bytes_ready": _most(plan, plan.host_prefetch * batch),
    }


def _devices(plan: Plan) -> dict[str, str]:
    where = {"auto": "gpu:0, or cpu:0 without one"}.get(plan.device.name, plan.device.name)
    return {
        "records, decoding, shuffling, batches": "cpu:0",
        "buffers": where if plan.buffers.count else "none",
        "casting and scaling": "cpu:0" if plan.buffers.wire == "plain" else where,
        "model, loss, optimizer": where,
    }

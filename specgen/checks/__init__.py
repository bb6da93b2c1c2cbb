"""The rules across fields: from the valid sections of a spec to what is wrong between them.

Each `check_*` yields findings and names, as its parameters, the root sections that it reads; it
runs where all of those are valid, whether or not others are. The tuple below is the rule book, in
the order of the language.
"""

from collections.abc import Callable, Iterator
from inspect import signature

from specgen.checks import (
    buckets,
    buffers,
    cells,
    devices,
    images,
    model,
    names,
    pipeline,
    placeholders,
    records,
    source,
    splits,
    support,
    train,
)
from specgen.checks.finding import Finding
from specgen.diagnostics import Diagnostic
from specgen.document import Document
from specgen.spec import Sections

Check = Callable[..., Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    support.check_choices,
    support.check_effects,
    names.check_name,
    names.check_variant_name,
    names.check_imports,
    source.check_source_place,
    source.check_skipping,
    source.check_files,
    source.check_arrays,
    placeholders.check_roles,
    placeholders.check_classes,
    placeholders.check_scaling,
    cells.check_delimiter,
    cells.check_encoding,
    cells.check_columns,
    cells.check_texts,
    cells.check_lengths,
    cells.check_stand_ins,
    buckets.check_boundaries,
    buckets.check_scaling_of_widths,
    images.check_image_source,
    images.check_image_values,
    images.check_image_sizes,
    images.check_class_names,
    images.check_image_parts,
    images.check_random_crop,
    splits.check_split_key,
    splits.check_keys,
    splits.check_strata,
    splits.check_given_parts,
    splits.check_parts,
    splits.check_rows,
    records.check_block_size,
    records.check_level,
    records.check_in_place,
    records.check_seed_in_place,
    model.check_one_model,
    model.check_import_target,
    model.check_one_input,
    model.check_layer_shapes,
    buckets.check_layers_of_widths,
    model.check_model_output,
    model.check_logits,
    train.check_length,
    train.check_sparse_label,
    train.check_numeric_label,
    train.check_metrics,
    train.check_nesterov,
    train.check_validation,
    pipeline.check_budget,
    buffers.check_depth,
    buffers.check_plain_wire,
    buckets.check_words,
    devices.check_memory,
)

_READS = {check: tuple(signature(check).parameters) for check in CHECKS}


def run_checks(sections: Sections, document: Document) -> list[Diagnostic]:
    """What is wrong between the sections, in the order of the rule book."""
    known = {**sections, "sections": sections, "document": document}
    findings = [
        finding
        for check, reads in _READS.items()
        if all(name in known for name in reads)
        for finding in check(*(known[name] for name in reads))
    ]
    # What is refused as such is not told to be wrong in another way too.
    refused = {finding.path for finding in findings if finding.code == "SG301"}
    return [
        finding.located(document)
        for finding in findings
        if finding.code == "SG301" or finding.path not in refused
    ]

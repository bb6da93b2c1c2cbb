"""The rules for records that are Examples, and for those that stay in the source."""

import pytest

from test_checks import IMAGE, LABEL, assert_says, checked

TFRECORDS = "{kind: tfrecord, pattern: '*.tfrecord'}"
IN_PLACE = {"source": TFRECORDS, "records": "{format: source}"}
PATHS = "train: a.tfrecord, test: b.tfrecord"
WHOLE_FILES = "rows in place are dealt by whole files: train alone, or method given by paths"
PACKED = "format packed deals them in every way"


@pytest.mark.parametrize(
    ("lines", "code", "field", "message", "hint"),
    [
        (
            {"records": "{format: example, compression: gzip, level: ^9}"},
            "SG303",
            "records.level",
            "TensorFlow 1.4 deflates the files of format example at level 6 alone",
            "leave it out; format packed takes any level",
        ),
        (
            {"records": "{format: ^source}"},
            "SG303",
            "records.format",
            "source.kind npz has no TFRecords to read in place",
            "packed works with every source",
        ),
        (
            {
                **IN_PLACE,
                "records": "{format: ^source}",
                "splits": "{parts: {train: 0.9, test: 0.1}}",
            },
            "SG303",
            "records.format",
            WHOLE_FILES,
            PACKED,
        ),
        (
            {
                **IN_PLACE,
                "records": "{format: ^source}",
                "splits": "{method: given, by: part, parts: {train: a, test: b}}",
            },
            "SG303",
            "records.format",
            WHOLE_FILES,
            PACKED,
        ),
        (
            {
                **IN_PLACE,
                "records": "{format: ^source}",
                "splits": "{method: stratified, parts: {train: 0.9, test: 0.1}}",
            },
            "SG303",
            "records.format",
            WHOLE_FILES,
            PACKED,
        ),
        (
            {
                **IN_PLACE,
                "records": "{format: ^source}",
                "splits": "{method: stratified, parts: {train: 1.0}}",
            },
            "SG303",
            "records.format",
            WHOLE_FILES,
            PACKED,
        ),
        (
            {**IN_PLACE, "splits": "{^seed: 1}"},
            "SG302",
            "splits.seed",
            "has no effect on rows in place",
            "it belongs to records.format packed or example",
        ),
        *(
            (
                {**IN_PLACE, "records": f"{{format: source, ^{key}: {value}}}"},
                "SG302",
                f"records.{key}",
                "has no effect under records.format source",
                "it belongs to records.format packed or example",
            )
            for key, value in (("shards", 4), ("order", "source"), ("compression", "gzip"))
        ),
    ],
)
def test_rules(lines: dict[str, str], code: str, field: str, message: str, hint: str) -> None:
    assert_says(lines, code, field, message, hint)


@pytest.mark.parametrize(
    "lines",
    [
        {"records": "{format: example, compression: zlib, level: 6, shards: 3, order: source}"},
        {"records": "{compression: gzip, level: 9}"},
        {"source": TFRECORDS},
        IN_PLACE,
        {**IN_PLACE, "records": "{format: source, rows_per_record: 7, read_cycle: 1}"},
        {**IN_PLACE, "splits": "{parts: {train: 1.0}}"},
        {
            "source": "{kind: tfrecord, compression: zlib, on_error: skip, max_errors: 2}",
            "records": "{format: source}",
            "splits": f"{{method: given, parts: {{{PATHS}}}}}",
        },
        {
            **IN_PLACE,
            "placeholders": f"{{{IMAGE[:-1]}, encoding: tensor, default: 0}}, {LABEL}}}",
        },
    ],
)
def test_what_works(lines: dict[str, str]) -> None:
    assert checked(lines) == ([], [])

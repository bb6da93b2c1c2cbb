"""`specgen init`: a commented first spec, which trains as it stands, and the schema for editors."""

import os
import re
from pathlib import Path

from specgen import disk
from specgen.diagnostics import Diagnostic
from specgen.names import NAME, shadowed
from specgen.places import SPECS, shown
from specgen.verbs.request import Streams
from specgen.verbs.schema import schema_text

_SCHEMA = "specgen.schema.json"
_STARTER = """\
# yaml-language-server: $schema={schema}
#
# What is learned and from which rows comes first, how the bytes reach the device last.
# `specgen plan` shows the value of every key that is not said here.

specgen: 1
name: {name}

# A made-up task that can be learned. Other sources read files: {{kind: npz, path: data.npz}}.
source: {{kind: synthetic, rows: 4096}}

# One for each column of the source. On the device, an input becomes x * scale, here from 0 to 1.
placeholders:
  image: {{dtype: uint8, shape: [8, 8], scale: 0.00392156862745098}}
  label: {{dtype: int64, role: label, classes: 10}}

# The same rows go to the same part in every run; stratified keeps the share of each label.
splits: {{method: stratified, parts: {{train: 0.8, validation: 0.1, test: 0.1}}}}

# The last layer gives logits: one number for each class, without a softmax.
model:
  layers:
    - flatten
    - dense: {{units: 64, activation: relu}}
    - dense: {{units: 10}}

train:
  batch_size: 64
  epochs: 5
  optimizer: {{name: adam, learning_rate: 0.001}}
  loss: sparse_categorical_crossentropy
  metrics: [accuracy]

# From here on nothing changes what is learned, only how fast. two_variable: one batch is trained on
# in device memory while the next one is copied beside it.
target: tf2
buffers: {{method: two_variable}}
"""


def init(streams: Streams, name: str) -> int:
    """Writes specs/NAME.yaml, and the schema beside it where it has none yet."""
    spec, schema = Path(SPECS, f"{name}.yaml"), Path(SPECS, _SCHEMA)
    found = _unusable(name)
    if not found and os.path.lexists(spec):
        found = [Diagnostic(shown(spec), None, "SG404", "", "init overwrites no spec")]
    if not found:
        files = {spec: _STARTER.format(schema=_SCHEMA, name=name).encode("utf-8")}
        if not os.path.lexists(schema):
            files[schema] = schema_text().encode("utf-8")
        found = disk.write(files)
        if not found:
            streams.say("".join(f"wrote {shown(path)}\n" for path in files))
    return streams.report(found)


def _unusable(name: str) -> list[Diagnostic]:
    if not re.fullmatch(NAME, name):
        message = f"NAME: {name!r} is not of the form [a-z][a-z0-9_]*, of up to 64 characters"
    elif what := shadowed(name):
        message = f"NAME: a script of the name {name!r} would shadow {what}"
    else:
        return []
    return [Diagnostic("", None, "SG407", "", message)]

"""Looking at data, to write a first spec for them: a path in, a Source out, or DataError raised."""

import glob
import os
from pathlib import Path

from specgen.survey.arrays import survey_npy, survey_npz
from specgen.survey.examples import survey_examples
from specgen.survey.found import DataError, Source, from_specs
from specgen.survey.images import images_in, survey_images
from specgen.survey.tables import survey_csv

__all__ = ["survey"]

_TABLES = (".csv", ".tsv", ".txt")
# How TFRecord files are usually named; in a folder, the first that matches counts.
_RECORDS = ("*.tfrec*", "*-of-[0-9]*", "*.tfr")


def survey(path: str) -> Source:
    """Looks at all rows. The name of a file or a folder's files says of what kind they are."""
    here = Path(path)
    suffix = here.suffix.lower()
    if not here.exists() and glob.has_magic(path):
        found = _matching(path, here)
    elif here.is_dir():
        found = _inside(here)
    elif suffix == ".npz":
        found = survey_npz(here)
    elif suffix == ".npy":
        here.stat()  # OSError where there is none
        found = survey_npy(here, sorted(here.parent.glob("*.npy")))
    elif suffix in _TABLES:
        found = survey_csv(here)
    else:
        section = {"kind": "tfrecord", "path": from_specs(here)}
        found = survey_examples(here, [here], section)
    if not found.rows:
        raise DataError(here, "there is no row in it")
    return found


def _inside(folder: Path) -> Source:
    if arrays := sorted(folder.glob("*.npy")):
        return survey_npy(folder, arrays)
    for names in _RECORDS:
        if any(folder.glob(names)):
            return _matching(os.path.join(glob.escape(str(folder)), names), folder)
    inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name[0] != "."]
    classes = {path: images_in(path) for path in inner}
    if not any(classes.values()):
        raise DataError(folder, "this folder has no .npy or TFRecord file, and no folder of images")
    return survey_images(folder, classes)


def _matching(pattern: str, path: Path) -> Source:
    files = sorted(filter(os.path.isfile, glob.glob(pattern, recursive=True)))
    if not files:
        raise DataError(path, "no file matches this pattern")
    section = {"kind": "tfrecord", "pattern": from_specs(pattern)}
    return survey_examples(path, list(map(Path, files)), section)

"""Run many scripts in one process, for an interpreter that has TensorFlow and nothing of specgen.

That may be Python 3.6, with TensorFlow 1.4.

    python run_scripts.py JOBS RESULTS

JOBS is a JSON file: by name, the path of a script and its arguments. RESULTS gets, by name, what
its `main` returned, or the traceback of what it raised.
"""

import importlib
import json
import os
import sys
import traceback

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"


def run(script, argv):
    folder, name = os.path.split(script)
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name[: -len(".py")]).main(argv)
    except BaseException:
        return traceback.format_exc()
    finally:
        sys.path.remove(folder)


def main(jobs, results):
    with open(jobs, encoding="utf-8") as file:
        found = {name: run(*job) for name, job in json.load(file).items()}
    with open(results, "w", encoding="utf-8") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])

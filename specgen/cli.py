"""The command line: arguments in, exit status out.

Only what the verbs are called with is decided here. The verbs are imported when they are called, so
that `--help` is there at once.
"""

import gc
import io
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Annotated, Any, BinaryIO, NoReturn, TextIO

import typer

from specgen import __version__, report
from specgen.diagnostics import Diagnostic
from specgen.report import ErrorFormat
from specgen.verbs.request import Selection, Streams

# Click's, wherever the installed typer has it from; raised for each way to misuse the command line.
_UsageError: Any = typer.BadParameter.__mro__[1]

_app = typer.Typer(
    add_completion=False,
    # Drawing the help with rich would double its time.
    rich_markup_mode=None,
    help="Writes standalone TensorFlow training scripts from declarative specs.",
    epilog="Exit status: 0 fine; 1 the committed files have drifted; 2 a spec, a file or the "
    "command line is wrong; 3 a fault of specgen's own; 130 interrupted. The worst one counts.",
)

Specs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SPEC",
        show_default=False,
        help="Files; folders, for every *.yaml and *.yml below; `-` for stdin. "
        "Without any: every specs/**/*.yaml and *.yml below the current folder.",
    ),
]
StdinFilename = Annotated[
    str | None,
    typer.Option(metavar="PATH", show_default=False, help="The path of the spec that `-` reads."),
]
_FOLDER = (
    "The folder of the generated files; by default `generated` beside the nearest folder `specs` "
    "above the spec, else beside the spec."
)
Folder = Annotated[
    str | None,
    typer.Option("-o", "--output", metavar="DIR", show_default=False, help=_FOLDER),
]
Errors = Annotated[ErrorFormat, typer.Option(help="How errors are written to stderr.")]


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"specgen {__version__}")
        raise typer.Exit


@_app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


@_app.command("build")
def _build(
    context: typer.Context,
    spec: Specs = None,
    stdin_filename: StdinFilename = None,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", metavar="DIR", show_default=False, help=f"{_FOLDER} `-` for stdout."
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Only this variant's script, with its data module; may be repeated. With `-o -`, "
            "`data` is the data module, `default` the script of a spec without variants.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files that this spec did not make.")
    ] = False,
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove generated files that no spec makes any more.")
    ] = False,
    error_format: Errors = ErrorFormat.TEXT,
) -> int:
    """Write the scripts that changed; nothing on an error."""
    from specgen.verbs.build import Options, build

    to_stdout = output == "-"
    if to_stdout and (force or prune):
        raise typer.BadParameter("`-o -` writes no file, so there is nothing to force or to prune")
    return build(
        _streams(context, error_format),
        _selection(spec, stdin_filename, None if to_stdout else output),
        Options(to_stdout, tuple(variant or ()), force, prune),
    )


@_app.command("check")
def _check(
    context: typer.Context,
    spec: Specs = None,
    stdin_filename: StdinFilename = None,
    output: Folder = None,
    error_format: Errors = ErrorFormat.TEXT,
) -> int:
    """Name missing, different and orphaned files."""
    from specgen.verbs.check import check

    return check(_streams(context, error_format), _selection(spec, stdin_filename, output))


@_app.command("diff")
def _diff(
    context: typer.Context,
    spec: Specs = None,
    stdin_filename: StdinFilename = None,
    output: Folder = None,
    error_format: Errors = ErrorFormat.TEXT,
) -> int:
    """Show what build would change, as a unified diff."""
    from specgen.verbs.diff import diff

    return diff(_streams(context, error_format), _selection(spec, stdin_filename, output))


@_app.command("validate")
def _validate(
    context: typer.Context,
    spec: Specs = None,
    stdin_filename: StdinFilename = None,
    error_format: Errors = ErrorFormat.TEXT,
) -> int:
    """Show errors and warnings only."""
    from specgen.verbs.validate import validate

    return validate(_streams(context, error_format), _selection(spec, stdin_filename))


@_app.command("plan")
def _plan(
    context: typer.Context,
    spec: Specs = None,
    stdin_filename: StdinFilename = None,
    error_format: Errors = ErrorFormat.TEXT,
) -> int:
    """Show the resolved plan of each variant as YAML."""
    from specgen.verbs.plan import plan

    return plan(_streams(context, error_format), _selection(spec, stdin_filename))


@_app.command("schema")
def _schema(context: typer.Context, error_format: Errors = ErrorFormat.TEXT) -> int:
    """Print the JSON Schema of specs, for editors."""
    from specgen.verbs.schema import schema

    return schema(_streams(context, error_format))


@_app.command("init")
def _init(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", show_default=False, help="`example`, or what the data are called."
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="PATH",
            show_default=False,
            help="The data that the spec is for: an .npz, .csv or TFRecord file, a pattern or a "
            "folder of TFRecord files, a folder of .npy files, or one of folders of images.",
        ),
    ] = None,
    error_format: Errors = ErrorFormat.TEXT,
) -> int:
    """Write a commented first spec, specs/NAME.yaml.

    It builds and trains as it stands. What looking at the data cannot tell is marked as a guess.
    The schema that its first line names for editors, specs/specgen.schema.json, is written beside
    it where there is none. Nothing is overwritten.
    """
    from specgen.verbs.init import init

    if data == "":
        raise typer.BadParameter("a path is empty")
    return init(_streams(context, error_format), name, data)


def _streams(context: typer.Context, error_format: ErrorFormat) -> Streams:
    given: Streams = context.obj
    return replace(given, error_format=error_format)


def _selection(
    specs: list[str] | None, stdin_filename: str | None, folder: str | None = None
) -> Selection:
    if "" in (folder, *(specs or ())):  # a variable of the shell that was not set
        raise typer.BadParameter("a path is empty")
    return Selection(tuple(specs or ()), stdin_filename, folder)


def main(args: Sequence[str], stdin: BinaryIO, stdout: TextIO, stderr: TextIO) -> int:
    """Runs one command line and returns its exit status; touches no stream but those given."""
    streams = Streams(stdin, stdout, stderr, _error_format(args))
    command = typer.main.get_command(_app)
    try:
        # typer prints its help to the process's stdout.
        with redirect_stdout(stdout):
            status = command.main(
                args=list(args), prog_name="specgen", standalone_mode=False, obj=streams
            )
        return int(status)
    except _UsageError as error:
        message = " ".join(error.format_message().split())
        return streams.report([Diagnostic("", None, "SG407", "", message, "see specgen --help")])
    except (KeyboardInterrupt, typer.Abort):
        return report.INTERRUPTED
    except OSError as error:
        message = error.strerror or str(error)
        return streams.report([Diagnostic(error.filename or "", None, "SG406", "", message)])
    except Exception as error:
        if report.debugging():
            traceback.print_exc(file=stderr)
        return streams.report([report.fault(error)])


def _error_format(args: Sequence[str]) -> ErrorFormat:
    """The form that the arguments ask for, also where they are too wrong to be parsed."""
    words = " ".join(args).replace("=", " ")
    for form in ErrorFormat:
        if f"--error-format {form.value}" in words:
            return form
    return ErrorFormat.TEXT


def run() -> NoReturn:
    """The console script: the process's own streams, in UTF-8 and with LF on every platform."""
    # A tenth of a build went into looking for garbage among trees that are all in use.
    gc.set_threshold(10_000)
    for stream, errors in ((sys.stdout, "strict"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")
    # A stream that the caller has closed is None.
    stdin = sys.stdin.buffer if sys.stdin else io.BytesIO()
    stdout, stderr = sys.stdout or io.StringIO(), sys.stderr or io.StringIO()
    status = main(sys.argv[1:], stdin, stdout, stderr)
    try:
        stdout.flush()
    except OSError:
        # Nobody reads it any more; Python would complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
    sys.exit(status)

"""Names that a generated module, or a name inside one, must not take: data, committed.

Asking the running Python would make the answer depend on its version. Only names that a spec could
spell are listed (lower case, no leading underscore). The module names of Python are the union of
`sys.stdlib_module_names` (3.10 and later; every platform's) and of what 3.6 to 3.9 install.
"""


def _names(text: str) -> frozenset[str]:
    # As literals, black would lay the names out one a line.
    return frozenset(text.split())


# Python 3.6 to 3.14.
STANDARD_LIBRARY = _names("""
    abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit
    audioop base64 bdb binascii binhex bisect builtins bz2 calendar cgi cgitb chunk cmath cmd
    code codecs codeop collections colorsys compileall compression concurrent configparser
    contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal
    difflib dis distutils doctest dummy_threading email encodings ensurepip enum errno
    faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc
    genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http
    idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3
    linecache locale logging lzma macpath macurl2path mailbox mailcap marshal math mimetypes
    mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path
    numbers opcode operator optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes
    pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile
    pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter
    runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr
    socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics
    string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny
    tarfile telnetlib tempfile termios test textwrap this threading time timeit tkinter token
    tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata
    unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib
    xml xmlrpc xxlimited xxsubtype zipapp zipfile zipimport zlib zoneinfo
    """)

# TensorFlow, Keras, NumPy and what some version of them imports, if only where it is installed.
LIBRARIES = _names("""
    absl astunparse attr backports bleach certifi chardet charset_normalizer clang cloudpickle
    dill flatbuffers funcsigs gast google grain grpc h5py html5lib idna jax jaxlib keras
    keras_applications keras_hub keras_preprocessing keras_tuner markdown markdown_it markupsafe
    matplotlib mdurl ml_dtypes mock namex numpy nvidia opt_einsum optree orbax packaging pandas
    pasta pkg_resources portpicker psutil pydot pygments requests rich scipy setuptools six
    sklearn tensorboard tensorboard_data_server tensorboard_plugin_profile
    tensorboard_plugin_wit tensorflow tensorflow_core tensorflow_cpu tensorflow_datasets
    tensorflow_estimator tensorflow_hub tensorflow_io tensorflow_io_gcs_filesystem
    tensorflow_probability tensorflow_text termcolor tf_keras torch tree typing_extensions
    urllib3 webencodings werkzeug wheel wrapt yaml zstandard
    """)

# What Python, pytest or a packaging tool imports by its name where it finds it, and the usual names
# of a user's own things beside the scripts.
TOOLS = _names("""
    conftest data pip setup sitecustomize specgen tests usercustomize
    """)

# Files of these names are devices on Windows, whatever their suffix.
WINDOWS_DEVICES = _names("""
    aux com1 com2 com3 com4 com5 com6 com7 com8 com9 con lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8
    lpt9 nul prn
    """)

# Python 3.6 to 3.14, the soft keywords among them.
KEYWORDS = _names("""
    and as assert async await break case class continue def del elif else except finally for
    from global if import in is lambda match nonlocal not or pass raise return try type while
    with yield
    """)

BUILTINS = _names("""
    abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod
    compile complex copyright credits delattr dict dir divmod enumerate eval exec exit filter
    float format frozenset getattr globals hasattr hash help hex id input int isinstance
    issubclass iter len license list locals map max memoryview min next object oct open ord pow
    print property quit range repr reversed round set setattr slice sorted staticmethod str sum
    super tuple type vars zip
    """)

# A namedtuple's own methods, which a field would hide.
TUPLE_METHODS = _names("count index")

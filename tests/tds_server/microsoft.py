"""A second opinion on our T-SQL: the parser of SQL Server 2017 itself, Microsoft's ScriptDom.

`GWC_TEST_SCRIPTDOM=DIR python -m tests.tds_server.microsoft < batches.json` prints what it finds wrong, a line of JSON
for each batch. DIR is `mssqlcli/mssqltoolsservice/bin` of the unpacked wheel that `pip download --no-deps
mssql-cli==1.0.0` brings (with .NET in it), and `pythonnet` has to be installed. Neither is a dependency: who changes
statements runs it.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

VARIABLE = "GWC_TEST_SCRIPTDOM"
NAMESPACE = "Microsoft.SqlServer.TransactSql.ScriptDom"


def start_runtime(directory: Path) -> None:
    """Start .NET in this process, and hand Python's objects to it.

    Raises:
        RuntimeError: it does not start.
    """
    pythonnet = importlib.import_module("pythonnet")
    bridge = Path(pythonnet.__file__ or "").parent / "runtime" / "Python.Runtime.dll"
    core = ctypes.CDLL(str(directory / "libcoreclr.so"))
    assemblies = ":".join(map(str, [*directory.glob("*.dll"), bridge]))
    properties = {
        b"TRUSTED_PLATFORM_ASSEMBLIES": assemblies.encode(),
        b"APP_PATHS": str(directory).encode(),
        b"NATIVE_DLL_SEARCH_DIRECTORIES": str(directory).encode(),
        b"System.Globalization.Invariant": b"true",
    }
    texts = ctypes.c_char_p * len(properties)
    host, domain, entry = ctypes.c_void_p(), ctypes.c_uint(), ctypes.c_void_p()
    names, values = texts(*properties), texts(*properties.values())
    failed = core.coreclr_initialize(
        sys.executable.encode(), b"tests", len(properties), names, values, ctypes.byref(host), ctypes.byref(domain)
    ) or core.coreclr_create_delegate(
        host, domain, b"Python.Runtime", b"Python.Runtime.Loader", b"Initialize", ctypes.byref(entry)
    )
    load = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int)(entry.value or 0)
    if failed or load(b" ", 0):
        raise RuntimeError(f".NET does not start from {directory}")
    pythonnet._LOADED = True


def faults_of(batches: Sequence[str], directory: Path) -> list[list[str]]:
    """Return for each batch what SQL Server's parser says against it."""
    start_runtime(directory)
    importlib.import_module("clr").AddReference(NAMESPACE)
    parser: Any = importlib.import_module(NAMESPACE).TSql140Parser(True)
    reader: Any = importlib.import_module("System.IO").StringReader
    return [[str(error.Message) for error in parser.Parse(reader(batch), None)[1]] for batch in batches]


if __name__ == "__main__":
    for line in faults_of(json.load(sys.stdin), Path(os.environ[VARIABLE])):
        print(json.dumps(line))

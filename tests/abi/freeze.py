#!/usr/bin/env python3
"""Freezes the plug-in ABI: python3 tests/abi/freeze.py 1_0_draft

Copies the SDK's headers to tests/abi/abi_<version>/ and writes layout_<version>_<header>.cpp, which
asserts every size, offset and enumerator. Versions that are declared stay as they are for ever. A
draft is written anew by a change that breaks it on purpose, and goes when its version is declared:
`freeze.py 1_0` freezes the version and takes its draft out of the folder and of CMakeLists.txt.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HEADERS = ["common", "operation", "model", "program", "submission", "device", "strategy", "transport",
           "cuda_call", "waking"]
NO_PLUGIN_USES = ["job*.hpp", "error.hpp"]  # what programs that embed the engine include
HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parents[1] / "core" / "include"

PREAMBLE = """// Written by freeze.py: the layout of convoy/abi/{header}.h in version {version}.
// A change here is a change of the contract. Structs may grow at their end only.
#include "tests/abi/layout.hpp"

"""


def declarations(text):
    """Structs with their field names, and enumerators, in order."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    structs = {}
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\n\} \w+;", text, flags=re.S):
        fields = []
        for field in (" ".join(part.split()) for part in body.split(";")):
            function = re.search(r"\(\*(\w+)\)", field)
            if function:
                fields.append(function.group(1))
            elif field:
                fields.append(re.search(r"(\w+)(\[[^\]]*\])*$", field).group(1))
        structs[name] = fields
    enumerators = []
    for body in re.findall(r"\benum \w+ \{(.*?)\}", text, flags=re.S):
        enumerators += re.findall(r"(\w+)\s*=", body)
    return structs, enumerators


def program(structs, enumerators):
    """A C program that prints the assertions."""
    lines = ["#include <convoy/abi.h>", "#include <stdio.h>", "int main(void) {"]
    for name in enumerators:
        lines.append(f'printf("CONVOY_VALUE({name}, %u);\\n", (unsigned){name});')
    for name, fields in structs.items():
        size = "GROWS" if "struct_size" in fields else "FROZEN"
        lines.append(f'printf("\\nCONVOY_{size}({name}, %zu);\\n", sizeof({name}));')
        for field in fields:
            lines.append(
                f'printf("CONVOY_AT({name}, {field}, %zu);\\n", offsetof({name}, {field}));'
            )
    return "\n".join(lines + ["}"])


def freeze(version):
    copy = HERE / f"abi_{version}"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(INCLUDE, copy, ignore=shutil.ignore_patterns(*NO_PLUGIN_USES))
    for header in HEADERS:
        source = INCLUDE / "convoy" / "abi" / f"{header}.h"
        with tempfile.TemporaryDirectory() as directory:
            code = pathlib.Path(directory) / "layout.c"
            code.write_text(program(*declarations(source.read_text())))
            binary = code.with_suffix("")
            subprocess.run(["cc", f"-I{INCLUDE}", code, "-o", binary], check=True)
            assertions = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
        preamble = PREAMBLE.format(header=header, version=version.replace("_", ".", 1).replace("_", " "))
        target = HERE / f"layout_{version}_{header}.cpp"
        target.write_text(preamble + assertions.lstrip("\n"))


def remove_draft(version):
    """What was frozen before the version was declared."""
    shutil.rmtree(HERE / f"abi_{version}_draft", ignore_errors=True)
    for layout in HERE.glob(f"layout_{version}_draft_*.cpp"):
        layout.unlink()
    build = HERE / "CMakeLists.txt"
    build.write_text(build.read_text().replace(f"set(frozen_version {version}_draft)",
                                               f"set(frozen_version {version})"))


def main(version):
    if not re.fullmatch(r"\d+_\d+(_draft)?", version):
        sys.exit(f"'{version}' is no version: 1_0 or 1_0_draft, for example")
    draft = version.endswith("_draft")
    declared = HERE / f"abi_{version.removesuffix('_draft')}"
    if declared.exists():
        sys.exit(f"{declared.name} is declared: it stays as it is")
    freeze(version)
    if not draft:
        remove_draft(version)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])

#!/usr/bin/env python3
"""Turns a .cu file into C++ that runs its kernels on the host: emulate_kernels.py in.cu out.cpp

A launch kernel<<<grid, block, 0, stream>>>(arguments) becomes a call of emulation::launch, which
runs the kernel for every thread of every block (see emulation.hpp).
"""

import re
import sys

# What a kernel calls when its threads wait for each other.
MEETS = ["__syncthreads", "block_sum(", "reduce_block<", "over_block(", "log_of_sum(",
         "square_block(", "over_chunks<", "over_row(", "emptiest_row(",
         "add_up_chunk(", "add_up_chunks("]
LAUNCH = re.compile(r"(\w+(?:<[^;{}()]*?>)?)\s*<<<(.*?)>>>\s*\(", re.S)


def closing(text, opening):
    """Where the parenthesis that opens at `opening` closes."""
    depth = 0
    for position in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    raise ValueError("a launch does not end")


def meets(text, kernel):
    """Whether the threads of a block of this kernel wait for each other."""
    begin = re.search(r"__global__ void " + kernel + r"\(", text).start()
    end = re.compile(r"\n}\n").search(text, begin).end()
    return any(word in text[begin:end] for word in MEETS)


def emulated(text):
    result, position = "", 0
    while launch := LAUNCH.search(text, position):
        end = closing(text, launch.end() - 1)
        name, sizes = launch.group(1), launch.group(2)
        arguments = text[launch.end():end]
        kind = "true" if meets(text, re.match(r"\w+", name).group()) else "false"
        result += text[position:launch.start()]
        result += f"emulation::launch<{kind}>({sizes}, [=] {{ {name}({arguments}); }})"
        position = end + 1
    return result + text[position:]


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = file.read()
    with open(target, "w", encoding="utf-8") as file:
        file.write('#include "tests/devices/cuda/emulated/emulation.hpp"\n' + emulated(text))


if __name__ == "__main__":
    main()

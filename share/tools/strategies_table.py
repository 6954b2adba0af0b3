#!/usr/bin/env python3
"""Writes the table of strategies in share/docs/strategies.md.

    python3 share/tools/strategies_table.py               # all rows, some minutes
    python3 share/tools/strategies_table.py --only=a,b    # those of a and b, and rows that lack
    python3 share/tools/strategies_table.py --check       # are words, lines and papers up to date?

Every installed strategy that has a source in plugins/strategies gets a row, with its defaults and
with the options in VARIANTS. What it computes, how fast it is foreseen to be and what it learns is
asked of the program (--convoy=PATH, by default that of the release build).
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "share" / "docs" / "strategies.md"
SOURCES = ROOT / "plugins" / "strategies"
BEGIN = "<!-- written by share/tools/strategies_table.py -->"
END = "<!-- end of what is written -->"

# Options without which a strategy says nothing.
DEFAULTS = {"distributed_all_reduce": "--all_reduce_spec=nccl/xring"}
# Options that make another strategy of the literature out of one, with its paper.
VARIANTS = {
    "local_sgd": [
        ("--outer_momentum=0.5", "Wang et al., SlowMo, 2020"),
        ("--outer_rate=0.7 --outer_momentum=0.9 --outer_nesterov", "Douillard et al., DiLoCo, 2023"),
    ],
}
MACHINES = [
    ("DGX-1", ["--platform=dgx1-v100", "--num_gpus=8"]),
    ("HGX H100", ["--platform=hgx-h100x8", "--num_gpus=8"]),
    ("8 hosts", ["--platform=ec2-p3.16xlarge", "--hosts=8", "--num_gpus=8"]),
]
CARD = re.compile(r"host\d+/eth0 -> network")
# What is learned, how fast, of which data, and which part of the held-out pictures is looked at.
TASKS = [
    {"model": "lenet", "data": "imagenet", "steps": 60, "global_batch": 32, "rate": 0.01, "epochs": 1},
    {"model": "resnet20", "data": "cifar10", "steps": 100, "global_batch": 64, "rate": 0.05,
     "epochs": 0.1},
]
DEVICES = 2


class Program:
    """The program, asked by command lines."""

    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], capture_output=True, text=True)

    def record(self, *arguments):
        """What a command line writes to --output_file, nothing where it refuses."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "record.json"
            done = self.run(*arguments, f"--output_file={file}")
            return json.loads(file.read_text()) if done.returncode == 0 else None

    def json(self, *arguments):
        done = self.run(*arguments)
        if done.returncode != 0:
            sys.exit(f"convoy {' '.join(arguments)} failed:\n{done.stderr}")
        return json.loads(done.stdout)


def papers_of(source):
    """The first '(Somebody et al., 2020)' in the comments of a strategy's source."""
    comments = " ".join(re.findall(r"//(.*)", source))
    found = re.search(r"\(([A-Z][^()]*, \d{4})\)", comments)
    return found.group(1) if found else ""


def rows(program):
    """(name, options, paper) of every strategy that ships."""
    for plugin in program.json("list", "--json")["plugins"]:
        source = SOURCES / f"{plugin['name']}.cpp"
        if plugin["kind"] != "strategy" or not source.exists():
            continue
        text = source.read_text()
        yield plugin["name"], DEFAULTS.get(plugin["name"], ""), papers_of(text)
        for options, paper in VARIANTS.get(plugin["name"], []):
            yield plugin["name"], options, paper


def lines_of(name):
    return len((SOURCES / f"{name}.cpp").read_text().splitlines())


def words_of(program, name, options):
    """The verdict on four devices of one host; where that is refused, of four hosts."""
    for where, flags in (("", ["--num_devices=4"]), (" (4 hosts)", ["--hosts=4", "--num_devices=1"])):
        text = program.run("check", name, "--model=lenet", *flags, *options.split()).stdout
        found = re.search(r"shared memory, 16 MiB buckets: (?!refused|wrong)(.*)", text)
        if found:
            return found.group(1) + where
    return "-"


def cheap_cells(program, row):
    name, options, paper = row
    return [f"`{' '.join(filter(None, [name, options]))}`", words_of(program, name, options),
            str(lines_of(name)), paper]


def foreseen_cells(program, name, options, parameter_bytes):
    """What the busiest of eight hosts sends per step, in bytes of all variables, and images/s."""
    sent, speeds = "-", []
    for _, flags in MACHINES:
        record = program.record("simulate", "--model=resnet50", "--batch_size=64",
                                f"--variable_update={name}", *flags, *options.split())
        if record is None:
            speeds.append("-")
            continue
        result = record["results"][-1]
        speeds.append(f"{result['images_per_second']:.0f}")
        cards = [it["bytes_per_step"] for it in result["step"]["links"] if CARD.fullmatch(it["link"])]
        if cards:
            sent = f"{max(cards) / parameter_bytes:.2f} P"
    return [sent, *speeds]


def accuracy_cell(program, name, options, task, data):
    """Trained, then evaluated from the checkpoint: asynchronous devices have no common step before."""
    common = [f"--model={task['model']}", "--device=cpu", f"--data_name={task['data']}",
              f"--data_dir={data}"]
    with tempfile.TemporaryDirectory() as folder:
        trained = program.run(
            "run", *common, f"--num_devices={DEVICES}",
            f"--batch_size={task['global_batch'] // DEVICES}", "--optimizer=momentum",
            f"--init_learning_rate={task['rate']}", "--num_warmup_batches=0",
            f"--num_batches={task['steps']}", f"--train_dir={folder}", f"--variable_update={name}",
            *options.split())
        if trained.returncode != 0:
            return "-"
        record = program.record("run", "--eval", *common, "--num_devices=1", "--batch_size=20",
                                f"--num_eval_epochs={task['epochs']}", f"--train_dir={folder}")
    return f"{100 * record['evaluations'][-1]['top_1']:.1f} %" if record else "-"


def accuracy_cells(program, name, options, cifar10):
    folders = {"imagenet": ROOT / "share/sample_data/imagenet", "cifar10": cifar10}
    return [accuracy_cell(program, name, options, task, folders[task["data"]]) for task in TASKS]


def parameter_bytes(program):
    return 4 * program.json("info", "resnet50", "--json")[0]["model"]["parameters"]


def written_rows():
    """The cells of the table as it stands."""
    table = PAGE.read_text().split(BEGIN)[1].split(END)[0].strip().splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def write(program, only, cifar10):
    kept = {cells[0]: cells for cells in written_rows()} if only else {}
    variables = parameter_bytes(program)
    head = ["strategy", "what it computes (4 devices)", "lines", "paper", "the busiest host sends",
            *[f"{name}, images/s" for name, _ in MACHINES],
            *[f"{task['model']}, {task['data']}" for task in TASKS]]
    table = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows(program):
        name, options, _ = row
        cells = cheap_cells(program, row)
        if name not in only and cells[0] in kept:
            table.append("| " + " | ".join(kept[cells[0]]) + " |")
            continue
        cells = [*cells, *foreseen_cells(program, name, options, variables),
                 *accuracy_cells(program, name, options, cifar10)]
        table.append("| " + " | ".join(cells) + " |")
        print(table[-1], flush=True)
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    PAGE.write_text(before + BEGIN + "\n\n" + "\n".join(table) + "\n\n" + END + rest.split(END)[1])


def check(program):
    """Compares the columns that need neither simulation nor training."""
    written = [cells[:4] for cells in written_rows()]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wanted = list(pool.map(lambda row: cheap_cells(program, row), rows(program)))
    problems = [f"now:     {row}" for row in wanted if row not in written]
    problems += [f"written: {row}" for row in written if row not in wanted]
    for problem in problems:
        print(problem)
    if problems:
        sys.exit("share/docs/strategies.md is not up to date: python3 share/tools/strategies_table.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--convoy", default=str(ROOT / "build" / "release" / "bin" / "convoy"))
    parser.add_argument("--check", action="store_true", help="compare the cheap columns, write nothing")
    parser.add_argument("--only", default="", help="strategies whose rows are written anew")
    given = parser.parse_args()
    program = Program(given.convoy)
    if given.check:
        check(program)
    else:
        with tempfile.TemporaryDirectory() as cifar10:
            maker = pathlib.Path(given.convoy).with_name("convoy_make_sample_data")
            subprocess.run([maker, "--cifar10", cifar10], check=True)
            write(program, given.only.split(",") if given.only else [], cifar10)


if __name__ == "__main__":
    main()

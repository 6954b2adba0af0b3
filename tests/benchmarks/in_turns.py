"""What beside_torch.py and beside_tensorflow.py share: convoy's speed, and two programs in turns."""

import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(ROOT, "build", "release", "bin", "convoy")


def run_convoy(model, batch, steps, *flags):
    """The median speed of a training run on all cores, in images per second."""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "run.json")
        subprocess.run([PROGRAM, "run", f"--model={model}", "--device=cpu", "--num_devices=1",
                        f"--batch_size={batch}", f"--num_batches={steps}",
                        "--num_warmup_batches=2", f"--output_file={record}", *flags],
                       check=True, stdout=subprocess.DEVNULL)
        with open(record, encoding="utf-8") as file:
            steps = json.load(file)["steps"]
    return statistics.median(step["images_per_sec"] for step in steps)


def run_peer(script, *arguments):
    """The last word that the script prints in a process of its own, as a number."""
    out = subprocess.run([sys.executable, script, "--peer", *map(str, arguments)], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return float(out.split()[-1])


def compare(title, peer, ways, rounds, bar):
    """Runs (convoy, peer) so many times and prints medians. Whether the ratio reaches the bar."""
    pairs = []
    for index in range(rounds):
        # In turns, so that neither is always the one that a machine gets warm for.
        speeds = {way: ways[way]() for way in ((0, 1) if index % 2 == 0 else (1, 0))}
        pairs.append((speeds[0], speeds[1]))
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    print(f"{title}  convoy {statistics.median(p[0] for p in pairs):8.2f}"
          f"  {peer} {statistics.median(p[1] for p in pairs):8.2f} images/s  ratio {ratio:.2f}"
          f"  (asked for: {bar})", flush=True)
    return ratio >= bar


def parse(parser, models):
    """The command line: models, rounds and steps beside what the parser has already."""
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(models))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=4)
    arguments = parser.parse_args()
    unknown = [model for model in arguments.models if model not in models]
    if unknown:
        parser.error(f"no such model here: {', '.join(unknown)}; there are {', '.join(models)}")
    arguments.models = arguments.models or list(models)
    arguments.rounds = max(arguments.rounds, 1)
    arguments.steps = max(arguments.steps, 1)
    return arguments

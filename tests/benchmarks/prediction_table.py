#!/usr/bin/env python3
"""Predicted against measured steps of CPU devices on this machine, as a Markdown table.

python3 tests/benchmarks/prediction_table.py [--program build/release/bin/convoy] [--output FILE]
        [--models alexnet:16,vgg16:4,resnet50:4] [--devices 1,2,4] [--strategies NAME;NAME]
        [--rounds 1] [--steps 3] [--prefix COMMAND]

Calibrates before every number of devices, because a machine's speed drifts; then predicts every
strategy and trains with it for a few steps. The table has the fastest of all steps and rounds,
predicted and measured alike: whatever disturbs a machine makes it slower; behind it, how much longer
the slowest measured step took. --prefix is put before every command that measures.
"""
import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile

# Flags of what is compared, by what the table calls it.
STRATEGIES = {
    "independent": ["--variable_update=independent"],
    "replicated": ["--variable_update=replicated"],
    "replicated, pscpu": ["--variable_update=replicated", "--all_reduce_spec=pscpu"],
    "replicated, psgpu": ["--variable_update=replicated", "--all_reduce_spec=psgpu"],
    "replicated, xring": ["--variable_update=replicated", "--all_reduce_spec=xring"],
    "replicated, collective": ["--variable_update=replicated", "--all_reduce_spec=collective"],
    "parameter_server, cpu": ["--variable_update=parameter_server", "--local_parameter_device=cpu"],
    "parameter_server, gpu": ["--variable_update=parameter_server", "--local_parameter_device=gpu"],
}
NOT_CHOSEN = {"independent"}  # trains other models than the others do


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)} ended with {done.returncode}:\n{done.stderr}")


def flags(model, batch, devices, strategy):
    return ["--device=cpu", f"--model={model}", f"--batch_size={batch}",
            f"--num_devices={devices}", *STRATEGIES[strategy]]


def predicted(options, calibration, arguments):
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "simulated.json")
        run([options.program, "simulate", *arguments, f"--calibration_file={calibration}",
             f"--output_file={record}"])
        with open(record) as file:
            return json.load(file)["results"][0]["step"]["seconds"]


def measured(options, arguments):
    """Seconds of every step."""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "run.json")
        # A learning rate with which numbers stay finite.
        run([*options.prefix, options.program, "run", *arguments, "--init_learning_rate=1e-6",
             "--num_warmup_batches=1", f"--num_batches={options.steps}", "--display_every=1",
             f"--output_file={record}"])
        with open(record) as file:
            return [step["seconds"] for step in json.load(file)["steps"]]


def measure_model(options, model, batch):
    """Rows of (model, devices, strategy, predicted, measured, slowest), fastest of the rounds each."""
    guesses = {}
    truths = {}
    for _ in range(options.rounds):
        for devices in options.devices:
            with tempfile.TemporaryDirectory() as folder:
                calibration = os.path.join(folder, "calibration.json")
                run([*options.prefix, options.program, "calibrate",
                     f"--calibration_file={calibration}"])
                for strategy in options.strategies:
                    case = (devices, strategy)
                    arguments = flags(model, batch, *case)
                    guesses.setdefault(case, []).append(predicted(options, calibration, arguments))
                    truths.setdefault(case, []).extend(steps := measured(options, arguments))
                    print("{} x {} {}: predicted {:.1f} ms, measured {:.1f} ms".format(
                        model, *case, 1e3 * guesses[case][-1], 1e3 * min(steps)),
                        file=sys.stderr)
    return [(model, *case, min(guesses[case]), min(truths[case]), max(truths[case]))
            for case in guesses]


def choices(rows):
    """Per model and number of devices: what is chosen, the best, and what the choice costs."""
    lines = []
    groups = {}
    for row in rows:
        if row[2] not in NOT_CHOSEN:
            groups.setdefault(row[:2], []).append(row)
    for (model, devices), group in groups.items():
        chosen = min(group, key=lambda row: row[3])
        best = min(group, key=lambda row: row[4])
        lines.append(f"| {model} | {devices} | {chosen[2]} | {best[2]} | "
                     f"{100 * (chosen[4] / best[4] - 1):.1f} % |")
    return lines


def report(rows):
    errors = [abs(row[3] / row[4] - 1) for row in rows]
    lines = ["| model | devices | strategy | predicted ms | measured ms | slowest step | error |",
             "|---|---|---|---|---|---|---|"]
    for model, devices, strategy, guess, truth, slowest in rows:
        lines.append(f"| {model} | {devices} | {strategy} | {1e3 * guess:.1f} | {1e3 * truth:.1f} | "
                     f"{100 * (slowest / truth - 1):+.1f} % | {100 * (guess / truth - 1):+.1f} % |")
    lines += ["", f"Mean absolute error {100 * statistics.mean(errors):.1f} %, largest "
              f"{100 * max(errors):.1f} %.", "",
              "| model | devices | chosen | fastest measured | choice slower by |",
              "|---|---|---|---|---|", *choices(rows), ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/bin/convoy")
    parser.add_argument("--output")
    parser.add_argument("--models", default="alexnet:16,vgg16:4,resnet50:4")
    parser.add_argument("--devices", default="1,2,4")
    parser.add_argument("--strategies", default=";".join(STRATEGIES))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--prefix", default="")
    options = parser.parse_args()
    options.prefix = shlex.split(options.prefix)
    options.strategies = options.strategies.split(";")
    options.devices = [int(count) for count in options.devices.split(",")]
    rows = []
    for entry in options.models.split(","):
        model, batch = entry.split(":")
        rows += measure_model(options, model, int(batch))
    text = report(rows)
    print(text)
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()

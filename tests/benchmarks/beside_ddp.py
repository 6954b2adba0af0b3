#!/usr/bin/env python3
"""Two tasks of one core each beside two processes of PyTorch's DistributedDataParallel, in turns.

    python3 tests/benchmarks/beside_ddp.py [--rounds N] [--steps N] [--transports LIST] [MODEL...]

needs PyTorch and torchvision (as beside_torch.py) and a release build. Both train the same network
with plain SGD and weight decay on made-up images, PyTorch with one thread per process, channels
last and gloo over loopback, convoy as `convoy launch --workers=2` with a ring of its own over each
transport, and once more as tasks that exchange nothing. Prints images per second of both processes
together, by the median step: medians over the rounds and of the ratios within a round, beside the
ratios that are asked for; ends with 1 when one is below it.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile

import beside_torch
import in_turns

# convoy's name: torchvision's name, batch, side of the images, and per transport the speeds that are
# asked for: over gloo's, and over that of tasks that exchange nothing
MODELS = {
    "resnet50": ("resnet50", 8, 224, {"shm": (1.5, 0.95), "grpc": (1.5, None)}),
    "alexnet": ("alexnet", 16, 227, {"shm": (1.4, 0.85), "grpc": (1.1, None)}),
    "vgg16": ("vgg16", 4, 224, {"shm": (2.0, 0.85), "grpc": (1.8, None)}),
}
TASKS = 2


def train_with_ddp(name, batch, side, steps, rank, port):
    """The median speed of all processes together, in images per second, after two steps."""
    import torch
    torch.set_num_threads(1)
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[rank]})
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
    torch.distributed.init_process_group("gloo", rank=rank, world_size=TASKS)
    network = beside_torch.torch_network(name).to(memory_format=torch.channels_last)
    network = torch.nn.parallel.DistributedDataParallel(network)
    seconds = beside_torch.step_seconds(network, batch, side, steps, False)
    torch.distributed.destroy_process_group()
    return TASKS * batch / seconds


def run_ddp(name, batch, side, steps):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, __file__, "--peer", name, batch, side, steps]
    tasks = [subprocess.Popen([str(word) for word in (*command, rank, port)],
                              stdout=subprocess.PIPE, text=True) for rank in range(TASKS)]
    words = [task.communicate()[0].split() for task in tasks]
    if any(task.returncode != 0 for task in tasks):
        raise RuntimeError("a process of PyTorch has failed")
    return float(words[0][-1])


def run_tasks(model, batch, steps, *flags):
    """The median speed of two tasks together, in images per second."""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "run.json")
        subprocess.run([in_turns.PROGRAM, "launch", f"--workers={TASKS}", "--", f"--model={model}",
                        f"--batch_size={batch}", f"--num_batches={steps}",
                        "--num_warmup_batches=2", f"--output_file={record}", *flags],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(record, encoding="utf-8") as file:
            steps = json.load(file)["steps"]
    return statistics.median(step["images_per_sec"] for step in steps)


def ways_of(model, arguments):
    name, batch, side, _ = MODELS[model]
    ways = {"gloo": lambda: run_ddp(name, batch, side, arguments.steps),
            "apart": lambda: run_tasks(model, batch, arguments.steps,
                                       "--variable_update=independent")}
    for transport in arguments.transports.split(","):
        ways[transport] = lambda transport=transport: run_tasks(
            model, batch, arguments.steps, "--variable_update=replicated",
            "--all_reduce_spec=xring", f"--transport={transport}")
    return ways


def compare(model, arguments):
    """Whether all ratios reach what is asked for."""
    ways = ways_of(model, arguments)
    rounds = []
    for index in range(arguments.rounds):
        # In turns, so that none is always the one that a machine gets warm for.
        order = list(ways) if index % 2 == 0 else list(reversed(ways))
        rounds.append({way: ways[way]() for way in order})
        print(f"{model:9} " + "  ".join(f"{way} {rounds[-1][way]:6.2f}" for way in ways), flush=True)
    reached = True
    for transport in list(ways)[2:]:
        for other, bar in zip(("gloo", "apart"), MODELS[model][3][transport]):
            ratio = statistics.median(it[transport] / it[other] for it in rounds)
            reached = reached and (bar is None or ratio >= bar)
            print(f"{model:9} {transport:5} {statistics.median(it[transport] for it in rounds):6.2f}"
                  f"  {other:5} {statistics.median(it[other] for it in rounds):6.2f} images/s"
                  f"  ratio {ratio:.2f}  (asked for: {bar or 'nothing'})", flush=True)
    return reached


def main():
    if len(sys.argv) == 8 and sys.argv[1] == "--peer":
        print(train_with_ddp(sys.argv[2], *(int(text) for text in sys.argv[3:])))
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--transports", default="shm,grpc")
    arguments = in_turns.parse(parser, MODELS)
    reached = [compare(model, arguments) for model in arguments.models]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Training speed of convoy beside PyTorch's on the CPUs of this machine, in turns.

    python3 tests/benchmarks/beside_torch.py [--bf16] [--compile] [--rounds N] [--steps N] [MODEL...]

needs PyTorch and torchvision (Debian: python3-torch, python3-torchvision; or the newest ones from
PyPI in a virtual environment, whose python then runs this) and a release build. Both train the same
network with plain SGD and weight decay on made-up images with all cores, in float32 or, with
--bf16, in bf16 with float32 masters. PyTorch runs eagerly with channels last, its fastest way on
processors with AVX-512, or with --compile by torch.compile. Prints the medians over the rounds and
of the ratios within a round, beside the ratio that is asked for; ends with 1 when one is below it.
"""

import argparse
import os
import statistics
import sys

import in_turns

# convoy's name: torchvision's name, batch, side of the images, required ratios in f32 and in bf16
MODELS = {
    "resnet50_v1.5": ("resnet50", 16, 224, 1.6, 1.5),
    "alexnet": ("alexnet", 64, 227, 1.3, 1.3),
    "vgg16": ("vgg16", 8, 224, 1.6, 1.3),
    "inception3": ("inception_v3", 8, 299, 1.45, 1.3),
    "resnet152": ("resnet152", 8, 224, 1.45, 1.3),
}
CLASSES = 1001


def sequential_alexnet(nn):
    """The one-column AlexNet that convoy trains: torchvision's adapts its last pool."""
    return nn.Sequential(
        nn.Conv2d(3, 64, 11, 4), nn.ReLU(), nn.MaxPool2d(3, 2),
        nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(), nn.MaxPool2d(3, 2),
        nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(),
        nn.Conv2d(384, 384, 3, padding=1), nn.ReLU(),
        nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(), nn.MaxPool2d(3, 2),
        nn.Flatten(), nn.Linear(9216, 4096), nn.ReLU(), nn.Dropout(),
        nn.Linear(4096, 4096), nn.ReLU(), nn.Dropout(), nn.Linear(4096, CLASSES))


def torch_network(name):
    import torch
    import torchvision
    if name == "alexnet":
        return sequential_alexnet(torch.nn)
    if name == "inception_v3":
        return torchvision.models.inception_v3(num_classes=CLASSES, aux_logits=False,
                                               init_weights=False)
    return getattr(torchvision.models, name)(num_classes=CLASSES)


def step_seconds(network, batch, side, steps, bf16):
    """Seconds of the median step of this process, after two steps of warm-up."""
    import time
    import torch
    optimizer = torch.optim.SGD(network.parameters(), lr=1e-4, weight_decay=4e-5)
    images = torch.randn(batch, 3, side, side).contiguous(memory_format=torch.channels_last)
    labels = torch.randint(0, 1000, (batch,))
    times = []
    for _ in range(steps + 2):
        start = time.perf_counter()
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bool(bf16)):
            loss = torch.nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()
        times.append(time.perf_counter() - start)
    return statistics.median(times[2:])


def train_with_torch(name, batch, side, steps, bf16, compiled):
    """The median speed of this process in images per second."""
    import torch
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    network = torch_network(name).to(memory_format=torch.channels_last)
    if compiled:
        network = torch.compile(network)
    return batch / step_seconds(network, batch, side, steps, bf16)


def compare(model, arguments):
    name, batch, side, bar, bar_bf16 = MODELS[model]
    title = f"{model:14} {'bf16' if arguments.bf16 else 'f32'} batch {batch:3}"
    ways = [lambda: in_turns.run_convoy(model, batch, arguments.steps,
                                        f"--use_fp16={str(arguments.bf16).lower()}"),
            lambda: in_turns.run_peer(__file__, name, batch, side, arguments.steps,
                                      int(arguments.bf16), int(arguments.compile))]
    return in_turns.compare(title, "torch", ways, arguments.rounds,
                            bar_bf16 if arguments.bf16 else bar)


def main():
    if len(sys.argv) == 8 and sys.argv[1] == "--peer":
        print(train_with_torch(sys.argv[2], *(int(text) for text in sys.argv[3:])))
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--compile", action="store_true")
    arguments = in_turns.parse(parser, MODELS)
    reached = [compare(model, arguments) for model in arguments.models]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())

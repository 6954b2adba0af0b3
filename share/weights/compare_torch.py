#!/usr/bin/python3
"""Compares a network in PyTorch with the same weights in convoy: the loss of one batch.

usage: compare_torch.py CONVOY NETWORK     (NETWORK: vgg11, vgg16, vgg19, resnet50, resnet50_same_pool,
                                             alexnet)

Writes random weights as safetensors, lets convoy read them through the map of that network, and
prints the loss that each of the two computes on convoy's reproducible images (--data_name=hash):
without dropout, batch norms with the statistics of the batch. PyTorch computes in float64.
"""
import json
import struct
import subprocess
import sys
import tempfile

import numpy
import torch
import torchvision

NETWORKS = {  # network: (convoy's model, map, pixels)
    "vgg11": ("vgg11", "torchvision_vgg11", 224),
    "vgg16": ("vgg16", "torchvision_vgg16", 224),
    "vgg19": ("vgg19", "torchvision_vgg19", 224),
    "resnet50": ("resnet50_v1.5", "torchvision_resnet50", 224),
    "resnet50_same_pool": ("resnet50_v1.5", "torchvision_resnet50", 224),
    "alexnet": ("alexnet", "sequential_alexnet", 227),
}


def save_file(tensors, path):
    """What safetensors.torch.save_file(tensors, path) writes."""
    header, data, end = {}, [], 0
    for name, tensor in tensors.items():
        values = tensor.detach().cpu().contiguous().numpy()
        dtype = {"float32": "F32", "int64": "I64"}[str(values.dtype)]
        header[name] = {"dtype": dtype, "shape": list(values.shape),
                        "data_offsets": [end, end + values.nbytes]}
        data.append(values.tobytes())
        end += values.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))


class Alexnet(torch.nn.Module):
    """AlexNet as convoy has it: no padding in front, 384 channels in the fourth convolution."""

    def __init__(self):
        super().__init__()
        from torch.nn import Conv2d, Dropout, Linear, MaxPool2d, ReLU, Sequential
        self.features = Sequential(
            Conv2d(3, 64, 11, 4), ReLU(), MaxPool2d(3, 2), Conv2d(64, 192, 5, padding=2), ReLU(),
            MaxPool2d(3, 2), Conv2d(192, 384, 3, padding=1), ReLU(),
            Conv2d(384, 384, 3, padding=1), ReLU(), Conv2d(384, 256, 3, padding=1), ReLU(),
            MaxPool2d(3, 2))
        self.classifier = Sequential(
            Dropout(), Linear(256 * 6 * 6, 4096), ReLU(), Dropout(), Linear(4096, 4096), ReLU(),
            Linear(4096, 1000))

    def forward(self, images):
        return self.classifier(torch.flatten(self.features(images), 1))


def make_network(name):
    if name == "alexnet":
        return Alexnet()
    if name != "resnet50_same_pool":
        return torchvision.models.get_model(name)
    network = torchvision.models.resnet50()  # with the pool that convoy has
    network.maxpool = torch.nn.Sequential(torch.nn.ZeroPad2d((0, 1, 0, 1)),
                                          torch.nn.MaxPool2d(3, 2))
    return network


def hash_images(batch, pixels, seed):
    """convoy's images of --data_name=hash."""
    index = numpy.arange(batch * 3 * pixels * pixels, dtype=numpy.uint64)
    mask = numpy.uint64(0xffffffff)
    offset = (1000000 * 2246822519 + seed * 3266489917) & 0xffffffff
    value = (index * numpy.uint64(2654435761) + numpy.uint64(offset)) & mask
    value ^= value >> numpy.uint64(16)
    value = value * numpy.uint64(0x45d9f3b) & mask
    value ^= value >> numpy.uint64(16)
    uniform = value.astype(numpy.float64) * 2.0**-32 - 0.5 + 2.0**-33
    return torch.from_numpy((2 * uniform).astype(numpy.float32)).reshape(batch, 3, pixels, pixels)


def torch_loss(network, pixels, batch=2, seed=1):
    # convoy's class 0 is background: its class n is PyTorch's n - 1.
    labels = torch.tensor([(n * 37 + seed * 11 + 1) % 1001 - 1 for n in range(batch)])
    network.double().train()
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    with torch.no_grad():
        logits = network(hash_images(batch, pixels, seed).double())
    return torch.nn.functional.cross_entropy(logits, labels).item()


def convoy_loss(convoy, model, weights_map, folder):
    subprocess.run(
        [convoy, "run", "--model=" + model, "--device=cpu", "--num_devices=1", "--batch_size=2",
         "--num_batches=1", "--num_warmup_batches=0", "--data_name=hash", "--seed=1", "--nodropout",
         "--loss_type_to_report=base_loss", "--init_weights=" + folder + "/x.safetensors",
         "--weights_map=" + weights_map, "--output_file=" + folder + "/run.json"],
        check=True, stdout=subprocess.DEVNULL)
    with open(folder + "/run.json") as file:
        return json.load(file)["steps"][0]["loss"]


def main():
    convoy, name = sys.argv[1:]
    model, weights_map, pixels = NETWORKS[name]
    torch.manual_seed(5)
    network = make_network(name)
    for parameter in network.parameters():  # biases and betas are zero at first
        if parameter.dim() == 1:
            torch.nn.init.uniform_(parameter, 0.1, 0.9)
    with tempfile.TemporaryDirectory() as folder:
        save_file(network.state_dict(), folder + "/x.safetensors")
        ours = convoy_loss(convoy, model, weights_map, folder)
    theirs = torch_loss(network, pixels)
    print(f"{name}: PyTorch {theirs:.9f}, convoy {ours:.9f}, difference {ours - theirs:+.1e}")


if __name__ == "__main__":
    main()

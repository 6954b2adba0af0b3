#!/usr/bin/env python3
"""Writes torch_layers.json: loss and gradients of the networks of modern_layer_networks.cpp in float64.

python3 torch_layers.py > torch_layers.json, where PyTorch is installed (made with 2.15). Nothing else
of this project needs PyTorch. Values are those of TrainingCase::fill(); written down per variable are
the Euclidean norm of the gradient and every stride-th element, in plain order.
"""

import json
import math

import torch
import torch.nn.functional as F

BATCH, CLASSES, SIZE, LOOKED_AT = 2, 5, 5, 6


def noise(count, seed):
    state, values = (seed * 2654435761 + 12345) & 0xFFFFFFFF, []
    for _ in range(count):
        state ^= (state << 13) & 0xFFFFFFFF
        state ^= state >> 17
        state ^= (state << 5) & 0xFFFFFFFF
        values.append(state * 2.0**-31 - 1.0)
    return torch.tensor(values, dtype=torch.float64).float().double()


class Network:
    """Layers that create their variables in the order of the calls, as convoy does."""

    def __init__(self):
        self.variables = []
        self.images = noise(BATCH * 3 * SIZE * SIZE, 77).reshape(BATCH, 3, SIZE, SIZE)

    def variable(self, shape, fan_in=0, gamma=False):
        scale = math.sqrt(3.0 / fan_in) if fan_in else 0.3
        values = noise(math.prod(shape), len(self.variables) + 1)
        values = ((1.0 if gamma else 0.0) + scale * values).float().double().reshape(shape)
        self.variables.append(values.requires_grad_())
        return self.variables[-1]

    def conv(self, x, channels, kernel, stride=1, groups=1, dilation=(1, 1)):
        inputs = x.shape[1] // groups
        weights = self.variable((channels, inputs, kernel, kernel), inputs * kernel * kernel)
        bias = self.variable((channels,))
        pads = []
        for axis in (1, 0):  # SAME, the smaller half before; the last axis first
            size, extent = x.shape[2 + axis], (kernel - 1) * dilation[axis] + 1
            total = max((-(-size // stride) - 1) * stride + extent - size, 0)
            pads += [total // 2, total - total // 2]
        return F.conv2d(F.pad(x, pads), weights, bias, stride, 0, dilation, groups)

    def dense(self, x, channels):
        x = x.flatten(1)
        weights = self.variable((channels, x.shape[1]), x.shape[1])
        return F.linear(x, weights, self.variable((channels,)))

    def batch_norm(self, x):
        gamma = self.variable((x.shape[1],), gamma=True)
        return F.batch_norm(x, None, None, gamma, self.variable((x.shape[1],)), True, 0.0, 1e-5)

    def layer_norm(self, x, scaled=True):
        gamma = self.variable((x.shape[1],), gamma=True) if scaled else None
        beta = self.variable((x.shape[1],))
        x = F.layer_norm(x.permute(0, 2, 3, 1), (x.shape[1],), gamma, beta, 1e-6)
        return x.permute(0, 3, 1, 2)

    def scale(self, x):
        return x * self.variable((x.shape[1],), gamma=True).reshape(1, -1, 1, 1)

    def class_token(self, x):
        token = self.variable((x.shape[1],)).reshape(1, -1, 1).expand(x.shape[0], -1, -1)
        return torch.cat([token, x.flatten(2)], 2).unsqueeze(3)

    def position(self, x):
        cells = x.shape[2] * x.shape[3]
        return x + self.variable((cells, x.shape[1])).t().reshape(1, *x.shape[1:])

    @staticmethod
    def attention(x, heads):
        images, channels, height, width = x.shape
        parts = x.reshape(images, 3, heads, channels // 3 // heads, height * width).transpose(3, 4)
        result = F.scaled_dot_product_attention(parts[:, 0], parts[:, 1], parts[:, 2])
        return result.transpose(2, 3).reshape(images, channels // 3, height, width)

    @staticmethod
    def upsample(x, factors, interpolated):
        mode = {"mode": "bilinear", "align_corners": False} if interpolated else {}
        return F.interpolate(x, scale_factor=factors, **mode)


def curve(function):
    return lambda n, x: function(x)


def beside(function):
    return lambda n, x: F.relu(n.conv(x, 9, 1) + function(x))


def squeeze_and_excite(channels, squeezed):
    def body(n, x):
        x = F.silu(n.batch_norm(x))
        s = F.silu(n.conv(x.mean((2, 3), keepdim=True), squeezed, 1))
        return x * torch.sigmoid(n.conv(s, channels, 1))
    return body


def products(channels):
    def body(n, x):
        gate = torch.tanh(n.conv(x, channels, 3))
        return x * gate + gate * gate
    return body


def convnext_block(channels):
    def body(n, x):
        y = n.layer_norm(n.conv(x, channels, 7, groups=channels))
        y = n.conv(F.gelu(n.conv(y, 2 * channels, 1)), channels, 1)
        return x + n.scale(y)
    return body


def attention(channels, heads):
    return lambda n, x: x + n.attention(n.conv(x, 3 * channels, 1), heads)


def transformer(channels, heads):
    def body(n, x):
        x = n.position(n.class_token(x))
        y = n.conv(n.layer_norm(x), 3 * channels, 1)
        x = x + n.conv(n.attention(y, heads), channels, 1)
        return n.layer_norm(x[:, :, :1])
    return body


def dilated(channels, groups):
    return lambda n, x: n.conv(x, channels, 3, groups=groups, dilation=(2, 3))


def upsampling(interpolated):
    return lambda n, x: n.conv(n.upsample(x, (2, 4), interpolated), 4, 3, 2)


NETWORKS = {
    "sigmoid_odd_channels": (11, curve(torch.sigmoid)),
    "tanh_odd_channels": (11, curve(torch.tanh)),
    "silu_whole_blocks": (16, curve(F.silu)),
    "gelu_whole_blocks": (16, curve(F.gelu)),
    "gelu_beside_convolution": (9, beside(F.gelu)),
    "sigmoid_beside_convolution": (9, beside(torch.sigmoid)),
    "squeeze_and_excite_whole_blocks": (16, squeeze_and_excite(16, 8)),
    "squeeze_and_excite_odd_channels": (21, squeeze_and_excite(21, 5)),
    "products_whole_blocks": (16, products(16)),
    "products_odd_channels": (7, products(7)),
    "layer_norm_whole_blocks": (32, lambda n, x: n.layer_norm(x)),
    "layer_norm_odd_channels": (21, lambda n, x: n.layer_norm(x)),
    "layer_norm_without_scale": (9, lambda n, x: n.layer_norm(x, False)),
    "convnext_block_whole_blocks": (16, convnext_block(16)),
    "convnext_block_odd_channels": (11, convnext_block(11)),
    "dilated_whole_blocks": (16, dilated(16, 1)),
    "dilated_odd_channels": (9, dilated(9, 3)),
    "dilated_depthwise": (16, dilated(16, 16)),
    "upsample_whole_blocks": (16, upsampling(False)),
    "upsample_odd_channels": (5, upsampling(False)),
    "upsample_interpolated_whole_blocks": (16, upsampling(True)),
    "upsample_interpolated_odd_channels": (5, upsampling(True)),
    "attention_whole_blocks": (16, attention(16, 2)),
    "attention_odd_channels": (9, attention(9, 3)),
    "transformer_whole_blocks": (32, transformer(32, 2)),
    "transformer_odd_channels": (6, transformer(6, 3)),
}


def on_images(n, images):
    return n.scale(n.layer_norm(torch.tanh(images))) * images


def figures(channels, body):
    """channels: of the convolution in front, None for a network without one."""
    network = Network()
    first = network.conv(network.images, channels, 3) if channels else network.images
    labels = torch.tensor([(image * 5 + 2) % CLASSES for image in range(BATCH)])
    loss = F.cross_entropy(network.dense(body(network, first), CLASSES), labels)
    loss.backward()
    gradients = []
    for variable in network.variables:
        flat = variable.grad.flatten()
        stride = len(flat) // LOOKED_AT // 2 * 2 + 1
        gradients.append({"norm": flat.norm().item(), "stride": stride,
                          "elements": flat[::stride].tolist()})
    return {"loss": loss.item(), "gradients": gradients}


def main():
    networks = NETWORKS | {"smooth_layers_on_images": (None, on_images)}
    result = {name: figures(*network) for name, network in networks.items()}
    print("{")
    print(",\n".join(f'"{name}": {json.dumps(value)}' for name, value in result.items()))
    print("}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Training speed of convoy beside TensorFlow's on the CPUs of this machine, in turns.

    python3 tests/benchmarks/beside_tensorflow.py [--rounds N] [--steps N] [MODEL...]

needs TensorFlow 2 (from PyPI in a virtual environment, whose python then runs this) and a release
build. Both train the same small network in float32 with plain SGD and weight decay on made-up
images with all cores. TensorFlow compiles the whole step into one graph (tf.function), keeps
channels last and uses its oneDNN kernels. Prints the medians over the rounds and of the ratios
within a round, beside the ratio that is asked for; ends with 1 when one is below it.
"""

import argparse
import os
import statistics
import sys
import time

import in_turns

# convoy's name: batch, side of the images, classes, data set, steps per --steps, required ratio
MODELS = {
    "resnet20": (128, 32, 10, "cifar10", 2, 1.1),
    "alexnet": (32, 227, 1001, "imagenet", 1, 1.1),
    "lenet": (32, 28, 1001, "imagenet", 10, 1.1),
    "trivial": (32, 227, 1001, "imagenet", 10, 1.1),
}
WEIGHT_DECAY = 4e-5
WARMUP = 4


def lenet(tf, x):
    layers = tf.keras.layers
    for filters in (32, 64):
        x = layers.Conv2D(filters, 5, padding="same", activation="relu")(x)
        x = layers.MaxPool2D(2, 2)(x)
    return layers.Dense(512, activation="relu")(layers.Flatten()(x))


def trivial(tf, x):
    layers = tf.keras.layers
    x = layers.Dense(1, activation="relu")(layers.Flatten()(x))
    return layers.Dense(4096, activation="relu")(x)


def alexnet(tf, x):
    layers = tf.keras.layers
    x = layers.MaxPool2D(3, 2)(layers.Conv2D(64, 11, 4, "valid", activation="relu")(x))
    x = layers.MaxPool2D(3, 2)(layers.Conv2D(192, 5, padding="same", activation="relu")(x))
    for filters in (384, 384, 256):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    x = layers.Flatten()(layers.MaxPool2D(3, 2)(x))
    for _ in range(2):
        x = layers.Dropout(0.5)(layers.Dense(4096, activation="relu")(x))
    return x


def resnet20(tf, x):
    layers = tf.keras.layers

    def convolution(x, filters, stride):
        x = layers.Conv2D(filters, 3, stride, "same", use_bias=False)(x)
        return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)(x)

    def padded(x, filters):
        """Every other pixel, and channels of zeros behind those that are there."""
        return tf.pad(x[:, ::2, ::2, :], [[0, 0], [0, 0], [0, 0], [0, filters - x.shape[-1]]])

    x = convolution(x, 16, 1)
    for filters in (16, 32, 64):
        for _ in range(3):
            stride = 1 if x.shape[-1] == filters else 2
            shortcut = x if stride == 1 else padded(x, filters)
            y = layers.ReLU()(convolution(x, filters, stride))
            x = layers.ReLU()(layers.Add()([shortcut, convolution(y, filters, 1)]))
    return layers.GlobalAveragePooling2D()(x)


def train_with_tensorflow(name, steps):
    """The median speed in images per second, of this process, after a few steps of warm-up."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf
    batch, side, classes, *_ = MODELS[name]
    images = tf.keras.Input((side, side, 3), batch_size=batch)
    scores = tf.keras.layers.Dense(classes)(globals()[name](tf, images))
    network = tf.keras.Model(images, scores)
    values = tf.random.normal((batch, side, side, 3))
    labels = tf.random.uniform((batch,), 0, classes, tf.int32)
    variables = network.trainable_variables

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=labels, logits=network(values, training=True)))
            decay = tf.add_n([tf.nn.l2_loss(variable) for variable in variables])
            total = loss + WEIGHT_DECAY * decay
        for variable, gradient in zip(variables, tape.gradient(total, variables)):
            variable.assign_sub(1e-4 * gradient)
        return loss

    times = []
    for _ in range(steps + WARMUP):
        start = time.perf_counter()
        step().numpy()
        times.append(time.perf_counter() - start)
    return batch / statistics.median(times[WARMUP:])


def compare(model, arguments):
    batch, _, _, data, factor, bar = MODELS[model]
    steps = factor * arguments.steps
    ways = [lambda: in_turns.run_convoy(model, batch, steps, f"--data_name={data}"),
            lambda: in_turns.run_peer(__file__, model, steps)]
    return in_turns.compare(f"{model:10} f32 batch {batch:3}", "tensorflow", ways,
                            arguments.rounds, bar)


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--peer":
        print(train_with_tensorflow(sys.argv[2], int(sys.argv[3])))
        return 0
    arguments = in_turns.parse(argparse.ArgumentParser(description=__doc__.splitlines()[0]), MODELS)
    reached = [compare(model, arguments) for model in arguments.models]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())

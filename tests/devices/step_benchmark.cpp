// Times training steps of two large networks on one CPU device, through the plug-in's table:
// device_step_benchmark [resnet50|alexnet] [batch] [steps] [threads]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "tests/devices/training_case.hpp"
#include "tests/graph/layers.hpp"

namespace convoy::test {
namespace {

std::uint32_t conv_norm(GraphAssembler& assembler, std::uint32_t from, std::uint32_t channels,
                        std::uint32_t kernel, std::uint32_t stride, bool active) {
  LayerCase layer = convolution(from, channels, kernel, stride, CONVOY_PADDING_FIXED);
  layer.layer.flags = 0;
  const std::uint32_t norm = batch_norm(layer.add_to(assembler)).add_to(assembler);
  return active ? relu(norm).add_to(assembler) : norm;
}

std::uint32_t bottleneck(GraphAssembler& assembler, std::uint32_t from, std::uint32_t width,
                         std::uint32_t stride, bool first) {
  const std::uint32_t shortcut = first ? conv_norm(assembler, from, width, 1, stride, false) : from;
  std::uint32_t x = conv_norm(assembler, from, width / 4, 1, stride, true);
  x = conv_norm(assembler, x, width / 4, 3, 1, true);
  x = conv_norm(assembler, x, width, 1, 1, false);
  return relu(LayerCase(CONVOY_LAYER_ADD, {shortcut, x}).add_to(assembler)).add_to(assembler);
}

Graph resnet50() {
  GraphAssembler assembler("resnet50", 224, 1001);
  std::uint32_t x = conv_norm(assembler, 0, 64, 7, 2, true);
  x = window_layer(CONVOY_LAYER_MAX_POOL, x, 3, 2, CONVOY_PADDING_SAME).add_to(assembler);
  constexpr std::uint32_t kBlocks[] = {3, 4, 6, 3};
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    for (std::uint32_t block = 0; block < kBlocks[stage]; ++block) {
      const bool first = block == 0;
      x = bottleneck(assembler, x, 256u << stage, first && stage > 0 ? 2 : 1, first);
    }
  }
  x = window_layer(CONVOY_LAYER_AVERAGE_POOL, x, 7, 1, CONVOY_PADDING_VALID).add_to(assembler);
  loss(fully_connected(x, 1001).add_to(assembler)).add_to(assembler);
  return assembler.finish();
}

std::uint32_t pool(GraphAssembler& assembler, std::uint32_t from) {
  return window_layer(CONVOY_LAYER_MAX_POOL, from, 3, 2, CONVOY_PADDING_VALID).add_to(assembler);
}

Graph alexnet() {
  GraphAssembler assembler("alexnet", 227, 1001);
  const auto conv = [&](std::uint32_t from, std::uint32_t channels, std::uint32_t kernel) {
    return relu(convolution(from, channels, kernel).add_to(assembler)).add_to(assembler);
  };
  std::uint32_t x = convolution(0, 64, 11, 4, CONVOY_PADDING_VALID).add_to(assembler);
  x = pool(assembler, conv(pool(assembler, relu(x).add_to(assembler)), 192, 5));
  x = pool(assembler, conv(conv(conv(x, 384, 3), 384, 3), 256, 3));
  for (int layer = 0; layer < 2; ++layer) {
    x = relu(fully_connected(x, 4096).add_to(assembler)).add_to(assembler);
  }
  loss(fully_connected(x, 1001).add_to(assembler)).add_to(assembler);
  return assembler.finish();
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of all threads: on one thread, a measure that other programs on the machine hardly disturb.
double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

void measure(const std::string& model, std::uint32_t batch, int steps, std::uint32_t threads) {
  DeviceUnderTest device(1, 0, threads);
  TrainingCase training(device, model == "alexnet" ? alexnet() : resnet50(), {.batch = batch});
  training.forward();
  training.backward();
  double best = 1e30;
  for (int step = 0; step < steps; ++step) {
    const double used = processor_seconds();
    const double start = seconds();
    training.forward_again();
    const double middle = seconds();
    training.backward();
    const double end = seconds();
    best = std::min(best, end - start);
    std::printf("%s batch %u: forward %.3f s, backward %.3f s, %.2f images/s, %.3f CPU s\n",
                model.c_str(), batch, middle - start, end - middle, batch / (end - start),
                processor_seconds() - used);
  }
  std::printf("best %.2f images/s\n", batch / best);
}

}  // namespace
}  // namespace convoy::test

int main(int count, char** arguments) {
  const auto number = [&](int index, int otherwise) {
    return count > index ? std::atoi(arguments[index]) : otherwise;
  };
  const std::string model = count > 1 ? arguments[1] : "resnet50";
  convoy::test::measure(model, static_cast<std::uint32_t>(number(2, 16)), number(3, 5),
                        static_cast<std::uint32_t>(number(4, 0)));
  return 0;
}

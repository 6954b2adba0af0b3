#include "plugins/devices/cpu/amx_fully_connected.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "plugins/devices/cpu/team.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kLine = 64;  // bytes
constexpr std::size_t kSums = kAmxBlock * kAmxBlock;
// With more images the library's products, which read each weight once per call, are faster.
constexpr std::size_t kMostImages = 64;
// What is rounded at a time stays in a first-level cache of 48 KiB: so many steps of 32 inputs with
// 64 outputs, and so many blocks of 16 inputs.
constexpr std::size_t kChunkSteps = 8;
constexpr std::size_t kRangeBlocks = 16;
constexpr std::size_t kMostWidth = 64;

std::size_t divide_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

std::byte* at_line(void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return static_cast<std::byte*>(memory) + (divide_up(address, kLine) * kLine - address);
}

}  // namespace

bool AmxFullyConnected::suits(const Shape& shape) {
  return shape.images > 0 && shape.images <= kMostImages && shape.inputs > 0 && shape.outputs > 0 &&
         shape.width > 0 && shape.width <= kMostWidth && shape.width % kAmxStep == 0 &&
         amx_kernels() != nullptr;
}

AmxFullyConnected::AmxFullyConnected(const Shape& shape)
    : shape_(shape),
      kernels_(amx_kernels()),
      image_blocks_(divide_up(shape.images, kAmxBlock)),
      in_blocks_(divide_up(shape.inputs, kAmxBlock)),
      out_blocks_(divide_up(shape.outputs, shape.width)),
      columns_(shape.width / kAmxBlock),
      in_steps_(divide_up(shape.inputs, kAmxStep)),
      out_steps_(out_blocks_ * shape.width / kAmxStep) {}

// The copy of the source, or the packed gradient of the result.
std::size_t AmxFullyConnected::shared_elements() const {
  return image_blocks_ * std::max(in_steps_, out_steps_) * kAmxTile;
}

std::size_t AmxFullyConnected::workspace_bytes() const {
  const std::size_t weights =
      std::max(columns_ * kChunkSteps * kAmxTile, kRangeBlocks * kAmxBlock * shape_.width);
  const std::size_t tiles = image_blocks_ * std::max(columns_, kRangeBlocks);
  return weights * sizeof(Bf16) + tiles * kSums * sizeof(float);
}

AmxFullyConnected::Workspace AmxFullyConnected::workspace(void* scratch) const {
  const auto thread = static_cast<std::size_t>(omp_get_thread_num());
  std::byte* const memory =
      at_line(scratch) + shared_elements() * sizeof(Bf16) + thread * workspace_bytes();
  auto* const sums = reinterpret_cast<float*>(memory);
  const std::size_t tiles = image_blocks_ * std::max(columns_, kRangeBlocks);
  return {reinterpret_cast<Bf16*>(sums + tiles * kSums), sums};
}

std::size_t AmxFullyConnected::scratch_bytes(std::size_t threads) const {
  return kLine + shared_elements() * sizeof(Bf16) + threads * workspace_bytes();
}

// Calls task(index, own memory) for every index.
template <typename Task>
void AmxFullyConnected::run(std::size_t tasks, void* scratch, std::size_t threads,
                            const Task& task) const {
#pragma omp parallel num_threads(static_cast <int>(threads))
  {
    const Workspace own = workspace(scratch);
    kernels_->begin();
#pragma omp for schedule(dynamic, 1)
    for (std::size_t index = 0; index < tasks; ++index) task(index, own);
    kernels_->end();
  }
}

void AmxFullyConnected::forward(const Forward& arguments, std::size_t threads) const {
  auto* const source = reinterpret_cast<Bf16*>(at_line(arguments.scratch));
  copy_source(arguments.source, source);
  run(out_blocks_, arguments.scratch, threads, [&](std::size_t block, const Workspace& own) {
    forward_block(block, arguments, source, own);
  });
}

// To [block of images][step][16 images][32 inputs], padded with zeros.
void AmxFullyConnected::copy_source(const Bf16* source, Bf16* to) const {
  parallel_indices(image_blocks_ * kAmxBlock, [&](std::size_t image) {
    const Bf16* const from = source + std::min(image, shape_.images - 1) * shape_.inputs;
    for (std::size_t step = 0; step < in_steps_; ++step) {
      Bf16* const row =
          to + (image / kAmxBlock * in_steps_ + step) * kAmxTile + image % kAmxBlock * kAmxStep;
      const std::size_t first = step * kAmxStep;
      const std::size_t count =
          image < shape_.images ? std::min(kAmxStep, shape_.inputs - first) : 0;
      std::copy_n(from + first, count, row);
      std::fill(row + count, row + kAmxStep, Bf16{0});
    }
  });
}

void AmxFullyConnected::forward_block(std::size_t block, const Forward& arguments,
                                      const Bf16* source, const Workspace& own) const {
  const float* const weights = arguments.weights + block * in_blocks_ * kAmxBlock * shape_.width;
  for (std::size_t first = 0; first < in_steps_; first += kChunkSteps) {
    const std::size_t steps = std::min(kChunkSteps, in_steps_ - first);
    pair_inputs(weights, first, steps, own.weights);
    multiply_inputs(source, first, steps, own);
  }
  write_results(block, arguments, own.sums);
}

// To [column][step][16 pairs of inputs][16 outputs][2].
void AmxFullyConnected::pair_inputs(const float* weights, std::size_t first, std::size_t steps,
                                    Bf16* to) const {
  constexpr std::size_t kHalf = kAmxTile / 2;  // of a step: 16 inputs
  for (std::size_t half = 0; half < 2 * steps; ++half) {
    const std::size_t in = 2 * first + half;
    for (std::size_t column = 0; column < columns_; ++column) {
      Bf16* const pairs = to + (2 * column * steps + half) * kHalf;
      if (in < in_blocks_) {
        const float* const rows = weights + in * kAmxBlock * shape_.width + column * kAmxBlock;
        kernels_->round_pairs(rows, shape_.width, pairs);
      } else {
        std::fill_n(pairs, kHalf, Bf16{0});
      }
    }
  }
}

void AmxFullyConnected::multiply_inputs(const Bf16* source, std::size_t first, std::size_t steps,
                                        const Workspace& own) const {
  AmxProduct product{.source = nullptr,
                     .rows = {.channel = kAmxStep, .step = kAmxTile, .block = in_steps_ * kAmxTile},
                     .result = nullptr,
                     .result_block = steps * kAmxTile,
                     .steps = steps,
                     .weights = nullptr,
                     .weights_in = columns_ * kSums,
                     .weights_out = kSums,
                     .in_blocks = 0,
                     .out_blocks = 2,  // there is an even number of columns
                     .fresh = first == 0};
  for (std::size_t image = 0; image < image_blocks_; image += 2) {
    product.in_blocks = std::min<std::size_t>(image_blocks_ - image, 2);
    product.source = source + image * product.rows.block + first * kAmxTile;
    for (std::size_t column = 0; column < columns_; column += 2) {
      product.result = own.weights + column * product.result_block;
      product.weights = own.sums + (image * columns_ + column) * kSums;
      kernels_->multiply(product);
    }
  }
}

void AmxFullyConnected::write_results(std::size_t block, const Forward& arguments,
                                      const float* sums) const {
  const std::size_t first = block * shape_.width;
  const std::size_t count = std::min(shape_.width, shape_.outputs - first);
  float row[kMostWidth];
  for (std::size_t image = 0; image < shape_.images; ++image) {
    const float* const tiles =
        sums + image / kAmxBlock * columns_ * kSums + image % kAmxBlock * kAmxBlock;
    for (std::size_t i = 0; i < count; ++i) {
      row[i] = tiles[i / kAmxBlock * kSums + i % kAmxBlock];
      if (arguments.bias != nullptr) row[i] += arguments.bias[first + i];
      if (arguments.relu && row[i] < 0.0f) row[i] = 0.0f;
      if (arguments.limit > 0.0f && row[i] > arguments.limit) row[i] = arguments.limit;
    }
    kernels_->round(row, count, arguments.result + image * shape_.outputs + first);
  }
}

void AmxFullyConnected::backward(const Backward& arguments, std::size_t threads) const {
  auto* const gradient = reinterpret_cast<Bf16*>(at_line(arguments.scratch));
  pack_gradient(arguments.gradient, gradient);
  run(divide_up(in_blocks_, kRangeBlocks), arguments.scratch, threads,
      [&](std::size_t range, const Workspace& own) {
        backward_range(range, arguments, gradient, own);
      });
}

// To [block of images][step][16 pairs of outputs][16 images][2], padded with zeros.
void AmxFullyConnected::pack_gradient(const Bf16* gradient, Bf16* to) const {
  parallel_indices(image_blocks_ * out_steps_, [&](std::size_t tile) {
    const std::size_t first = tile % out_steps_ * kAmxStep;
    for (std::size_t i = 0; i < kAmxTile; ++i) {
      const std::size_t image = tile / out_steps_ * kAmxBlock + i / 2 % kAmxBlock;
      const std::size_t output = first + i / kAmxStep * 2 + i % 2;
      const bool there = image < shape_.images && output < shape_.outputs;
      to[tile * kAmxTile + i] = there ? gradient[image * shape_.outputs + output] : Bf16{0};
    }
  });
}

void AmxFullyConnected::backward_range(std::size_t range, const Backward& arguments,
                                       const Bf16* gradient, const Workspace& own) const {
  const std::size_t first = range * kRangeBlocks;
  const std::size_t in_blocks = std::min(kRangeBlocks, in_blocks_ - first);
  const std::size_t block_floats = kAmxBlock * shape_.width;
  for (std::size_t block = 0; block < out_blocks_; ++block) {
    kernels_->round(arguments.weights + (block * in_blocks_ + first) * block_floats,
                    in_blocks * block_floats, own.weights);
    multiply_outputs(block, in_blocks, gradient, own);
  }
  write_gradients(range, arguments, own.sums);
}

void AmxFullyConnected::multiply_outputs(std::size_t block, std::size_t in_blocks,
                                         const Bf16* gradient, const Workspace& own) const {
  const std::size_t steps = shape_.width / kAmxStep;
  AmxProduct product{
      .source = nullptr,
      .rows = {.channel = shape_.width, .step = kAmxStep, .block = kAmxBlock * shape_.width},
      .result = nullptr,
      .result_block = out_steps_ * kAmxTile,
      .steps = steps,
      .weights = nullptr,
      .weights_in = image_blocks_ * kSums,
      .weights_out = kSums,
      .in_blocks = 0,
      .out_blocks = 0,
      .fresh = block == 0};
  for (std::size_t in = 0; in < in_blocks; in += 2) {
    product.in_blocks = std::min<std::size_t>(in_blocks - in, 2);
    product.source = own.weights + in * product.rows.block;
    for (std::size_t image = 0; image < image_blocks_; image += 2) {
      product.out_blocks = std::min<std::size_t>(image_blocks_ - image, 2);
      product.result = gradient + (image * out_steps_ + block * steps) * kAmxTile;
      product.weights = own.sums + (in * image_blocks_ + image) * kSums;
      kernels_->multiply(product);
    }
  }
}

// Sums are in tiles of 16 inputs by 16 images.
void AmxFullyConnected::write_gradients(std::size_t range, const Backward& arguments,
                                        const float* sums) const {
  const std::size_t first = range * kRangeBlocks * kAmxBlock;
  const std::size_t count = std::min(kRangeBlocks * kAmxBlock, shape_.inputs - first);
  float row[kRangeBlocks * kAmxBlock];
  for (std::size_t image = 0; image < shape_.images; ++image) {
    const float* const tiles = sums + image / kAmxBlock * kSums + image % kAmxBlock;
    for (std::size_t i = 0; i < count; ++i) {
      row[i] = tiles[i / kAmxBlock * image_blocks_ * kSums + i % kAmxBlock * kAmxBlock];
    }
    kernels_->round(row, count, arguments.source_gradient + image * shape_.inputs + first);
  }
}

}  // namespace convoy::cpu

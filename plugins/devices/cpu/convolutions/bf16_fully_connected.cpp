#include "plugins/devices/cpu/convolutions/bf16_fully_connected.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "plugins/devices/cpu/cache_lines.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

constexpr std::size_t kSums = kBf16Block * kBf16Block;
// With more images, the library's products are faster, because they read each weight once per call.
constexpr std::size_t kMostImages = 64;
// The values rounded at one time stay in a first-level cache of 48 KiB: this many steps of 32
// inputs with 64 outputs, and this many blocks of 16 inputs.
constexpr std::size_t kChunkSteps = 8;
constexpr std::size_t kRangeBlocks = 16;
constexpr std::size_t kMostWidth = 64;

}  // namespace

bool Bf16FullyConnected::suits(const Shape& shape) {
  return shape.images > 0 && shape.images <= kMostImages && shape.inputs > 0 && shape.outputs > 0 &&
         shape.width > 0 && shape.width <= kMostWidth && shape.width % kBf16Step == 0 &&
         bf16_kernels() != nullptr;
}

bool Bf16FullyConnected::pays(const Shape& shape) {
  constexpr std::size_t kManyWeights = std::size_t{2} << 20;
  return suits(shape) &&
         (bf16_kernels()->uses_tiles || shape.inputs * shape.outputs >= kManyWeights);
}

Bf16FullyConnected::Bf16FullyConnected(const Shape& shape)
    : shape_(shape),
      kernels_(bf16_kernels()),
      image_blocks_(divide_up(shape.images, kBf16Block)),
      in_blocks_(divide_up(shape.inputs, kBf16Block)),
      out_blocks_(divide_up(shape.outputs, shape.width)),
      columns_(shape.width / kBf16Block),
      in_steps_(divide_up(shape.inputs, kBf16Step)),
      out_steps_(out_blocks_ * shape.width / kBf16Step) {}

// Elements of the copy of the source, or of the packed gradient of the result.
std::size_t Bf16FullyConnected::shared_elements() const {
  return image_blocks_ * std::max(in_steps_, out_steps_) * kBf16Tile;
}

std::size_t Bf16FullyConnected::workspace_bytes() const {
  const std::size_t weights =
      std::max(columns_ * kChunkSteps * kBf16Tile, kRangeBlocks * kBf16Block * shape_.width);
  const std::size_t tiles = image_blocks_ * std::max(columns_, kRangeBlocks);
  return weights * sizeof(Bf16) + tiles * kSums * sizeof(float);
}

Bf16FullyConnected::Workspace Bf16FullyConnected::workspace(void* scratch) const {
  const auto thread = static_cast<std::size_t>(omp_get_thread_num());
  std::byte* const memory =
      at_line(scratch) + shared_elements() * sizeof(Bf16) + thread * workspace_bytes();
  auto* const sums = reinterpret_cast<float*>(memory);
  const std::size_t tiles = image_blocks_ * std::max(columns_, kRangeBlocks);
  return {reinterpret_cast<Bf16*>(sums + tiles * kSums), sums};
}

std::size_t Bf16FullyConnected::scratch_bytes(std::size_t threads) const {
  return kCacheLine + shared_elements() * sizeof(Bf16) + threads * workspace_bytes();
}

// Calls task(index, memory of the thread) for every index.
template <typename Task>
void Bf16FullyConnected::run(std::size_t tasks, void* scratch, std::size_t threads,
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

void Bf16FullyConnected::forward(const Forward& arguments, std::size_t threads) const {
  auto* const source = reinterpret_cast<Bf16*>(at_line(arguments.scratch));
  copy_source(arguments.source, source);
  run(out_blocks_, arguments.scratch, threads, [&](std::size_t block, const Workspace& own) {
    forward_block(block, arguments, source, own);
  });
}

// Copies to [block of images][step][16 images][32 inputs], padded with zeros.
void Bf16FullyConnected::copy_source(const Bf16* source, Bf16* to) const {
  parallel_indices(image_blocks_ * kBf16Block, [&](std::size_t image) {
    const Bf16* const from = source + std::min(image, shape_.images - 1) * shape_.inputs;
    for (std::size_t step = 0; step < in_steps_; ++step) {
      Bf16* const row =
          to + (image / kBf16Block * in_steps_ + step) * kBf16Tile + image % kBf16Block * kBf16Step;
      const std::size_t first = step * kBf16Step;
      const std::size_t count =
          image < shape_.images ? std::min(kBf16Step, shape_.inputs - first) : 0;
      std::copy_n(from + first, count, row);
      std::fill(row + count, row + kBf16Step, Bf16{0});
    }
  });
}

void Bf16FullyConnected::forward_block(std::size_t block, const Forward& arguments,
                                       const Bf16* source, const Workspace& own) const {
  const float* const weights = arguments.weights + block * in_blocks_ * kBf16Block * shape_.width;
  for (std::size_t first = 0; first < in_steps_; first += kChunkSteps) {
    const std::size_t steps = std::min(kChunkSteps, in_steps_ - first);
    pair_inputs(weights, first, steps, own.weights);
    multiply_inputs(source, first, steps, own);
  }
  write_results(block, arguments, own.sums);
}

// Rounds to [column][step][16 pairs of inputs][16 outputs][2].
void Bf16FullyConnected::pair_inputs(const float* weights, std::size_t first, std::size_t steps,
                                     Bf16* to) const {
  constexpr std::size_t kHalf = kBf16Tile / 2;  // of a step: 16 inputs
  for (std::size_t half = 0; half < 2 * steps; ++half) {
    const std::size_t in = 2 * first + half;
    for (std::size_t column = 0; column < columns_; ++column) {
      Bf16* const pairs = to + (2 * column * steps + half) * kHalf;
      if (in < in_blocks_) {
        const float* const rows = weights + in * kBf16Block * shape_.width + column * kBf16Block;
        kernels_->round_pairs(rows, shape_.width, pairs);
      } else {
        std::fill_n(pairs, kHalf, Bf16{0});
      }
    }
  }
}

void Bf16FullyConnected::multiply_inputs(const Bf16* source, std::size_t first, std::size_t steps,
                                         const Workspace& own) const {
  Bf16Product product{
      .source = nullptr,
      .rows = {.channel = kBf16Step, .pair = 2, .step = kBf16Tile, .block = in_steps_ * kBf16Tile},
      .result = nullptr,
      .result_block = steps * kBf16Tile,
      .steps = steps,
      .weights = nullptr,
      .weights_in = columns_ * kSums,
      .weights_out = kSums,
      .in_blocks = 0,
      .out_blocks = 2,  // there is an even number of columns
      .fresh = first == 0,
      .ahead = nullptr,
      .ahead_channel = 0};
  for (std::size_t image = 0; image < image_blocks_; image += 2) {
    product.in_blocks = std::min<std::size_t>(image_blocks_ - image, 2);
    product.source = source + image * product.rows.block + first * kBf16Tile;
    for (std::size_t column = 0; column < columns_; column += 2) {
      product.result = own.weights + column * product.result_block;
      product.weights = own.sums + (image * columns_ + column) * kSums;
      kernels_->multiply(product);
    }
  }
}

void Bf16FullyConnected::write_results(std::size_t block, const Forward& arguments,
                                       const float* sums) const {
  const std::size_t first = block * shape_.width;
  const std::size_t count = std::min(shape_.width, shape_.outputs - first);
  float row[kMostWidth];
  for (std::size_t image = 0; image < shape_.images; ++image) {
    const float* const tiles =
        sums + image / kBf16Block * columns_ * kSums + image % kBf16Block * kBf16Block;
    for (std::size_t i = 0; i < count; ++i) {
      row[i] = tiles[i / kBf16Block * kSums + i % kBf16Block];
      if (arguments.bias != nullptr) row[i] += arguments.bias[first + i];
      if (arguments.relu && row[i] < 0.0f) row[i] = 0.0f;
      if (arguments.limit > 0.0f && row[i] > arguments.limit) row[i] = arguments.limit;
    }
    kernels_->round(row, count, arguments.result + image * shape_.outputs + first);
  }
}

void Bf16FullyConnected::backward(const Backward& arguments, std::size_t threads) const {
  auto* const gradient = reinterpret_cast<Bf16*>(at_line(arguments.scratch));
  pack_gradient(arguments.gradient, gradient);
  run(divide_up(in_blocks_, kRangeBlocks), arguments.scratch, threads,
      [&](std::size_t range, const Workspace& own) {
        backward_range(range, arguments, gradient, own);
      });
}

// Packs to [block of images][step][16 pairs of outputs][16 images][2], padded with zeros.
void Bf16FullyConnected::pack_gradient(const Bf16* gradient, Bf16* to) const {
  parallel_indices(image_blocks_ * out_steps_, [&](std::size_t tile) {
    const std::size_t first = tile % out_steps_ * kBf16Step;
    for (std::size_t i = 0; i < kBf16Tile; ++i) {
      const std::size_t image = tile / out_steps_ * kBf16Block + i / 2 % kBf16Block;
      const std::size_t output = first + i / kBf16Step * 2 + i % 2;
      const bool there = image < shape_.images && output < shape_.outputs;
      to[tile * kBf16Tile + i] = there ? gradient[image * shape_.outputs + output] : Bf16{0};
    }
  });
}

void Bf16FullyConnected::backward_range(std::size_t range, const Backward& arguments,
                                        const Bf16* gradient, const Workspace& own) const {
  const std::size_t first = range * kRangeBlocks;
  const std::size_t in_blocks = std::min(kRangeBlocks, in_blocks_ - first);
  const std::size_t block_floats = kBf16Block * shape_.width;
  for (std::size_t block = 0; block < out_blocks_; ++block) {
    kernels_->round(arguments.weights + (block * in_blocks_ + first) * block_floats,
                    in_blocks * block_floats, own.weights);
    multiply_outputs(block, in_blocks, gradient, own);
  }
  write_gradients(range, arguments, own.sums);
}

void Bf16FullyConnected::multiply_outputs(std::size_t block, std::size_t in_blocks,
                                          const Bf16* gradient, const Workspace& own) const {
  const std::size_t steps = shape_.width / kBf16Step;
  Bf16Product product{.source = nullptr,
                      .rows = {.channel = shape_.width,
                               .pair = 2,
                               .step = kBf16Step,
                               .block = kBf16Block * shape_.width},
                      .result = nullptr,
                      .result_block = out_steps_ * kBf16Tile,
                      .steps = steps,
                      .weights = nullptr,
                      .weights_in = image_blocks_ * kSums,
                      .weights_out = kSums,
                      .in_blocks = 0,
                      .out_blocks = 0,
                      .fresh = block == 0,
                      .ahead = nullptr,
                      .ahead_channel = 0};
  for (std::size_t in = 0; in < in_blocks; in += 2) {
    product.in_blocks = std::min<std::size_t>(in_blocks - in, 2);
    product.source = own.weights + in * product.rows.block;
    for (std::size_t image = 0; image < image_blocks_; image += 2) {
      product.out_blocks = std::min<std::size_t>(image_blocks_ - image, 2);
      product.result = gradient + (image * out_steps_ + block * steps) * kBf16Tile;
      product.weights = own.sums + (in * image_blocks_ + image) * kSums;
      kernels_->multiply(product);
    }
  }
}

// The sums are in tiles of 16 inputs by 16 images.
void Bf16FullyConnected::write_gradients(std::size_t range, const Backward& arguments,
                                         const float* sums) const {
  const std::size_t first = range * kRangeBlocks * kBf16Block;
  const std::size_t count = std::min(kRangeBlocks * kBf16Block, shape_.inputs - first);
  float row[kRangeBlocks * kBf16Block];
  for (std::size_t image = 0; image < shape_.images; ++image) {
    const float* const tiles = sums + image / kBf16Block * kSums + image % kBf16Block;
    for (std::size_t i = 0; i < count; ++i) {
      row[i] = tiles[i / kBf16Block * image_blocks_ * kSums + i % kBf16Block * kBf16Block];
    }
    kernels_->round(row, count, arguments.source_gradient + image * shape_.inputs + first);
  }
}

}  // namespace convoy::cpu

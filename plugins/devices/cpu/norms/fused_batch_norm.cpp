#include "plugins/devices/cpu/norms/fused_batch_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plugins/devices/cpu/kernels/batch_norm.hpp"
#include "plugins/devices/cpu/lanes/team.hpp"

namespace convoy::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// The memory of a group, which is read twice: half of a common second-level cache.
constexpr std::size_t kGroupBytes = 256 * 1024;

// The addresses of one block of channels of one image.
class Places {
 public:
  Places(const BlockedShape& shape, double* scratch) : shape_(shape), scratch_(scratch) {}

  std::size_t cells(std::size_t image, std::size_t block) const {
    return (image * shape_.blocks() + block) * shape_.cells * shape_.block;
  }
  double* first(std::size_t image, std::size_t block) const {
    return scratch_ + 2 * (block * shape_.images + image) * shape_.block;
  }
  double* second(std::size_t image, std::size_t block) const {
    return first(image, block) + shape_.block;
  }
  // The channels of a block that are not padding.
  std::size_t lanes(std::size_t block) const {
    return std::min(shape_.block, shape_.channels - block * shape_.block);
  }

 private:
  const BlockedShape& shape_;
  double* scratch_;
};

// Returns the blocks of channels per group: consecutive ones, as many as the cache holds, unless
// that leaves too few groups for the team.
std::size_t group_size(const BlockedShape& shape, std::size_t arrays) {
  const std::size_t bytes = arrays * shape.images * shape.cells * shape.block * sizeof(float);
  const std::size_t fair = shape.blocks() / (2 * team_parts(shape.blocks(), 1));
  return std::clamp<std::size_t>(kGroupBytes / std::max<std::size_t>(bytes, 1), 1,
                                 std::max<std::size_t>(fair, 1));
}

// For every block of channels, runs sums(image, block) for all images, then finish(block), then
// results(image, block). It goes group by group, or, if there are too few blocks for the team,
// processes each block on all threads. The results go through the images backwards, because the
// cache still holds the last ones.
template <typename Sums, typename Finish, typename Results>
void run(const BlockedShape& shape, std::size_t arrays, const Sums& sums, const Finish& finish,
         const Results& results) {
  const std::size_t blocks = shape.blocks();
  const std::size_t threads = team_parts(shape.elements(), kParallelGrain);
  if (threads > 1 && blocks < 2 * threads && blocks % threads != 0) {
    const std::size_t all = blocks * shape.images;
    parallel_indices(all, [&](std::size_t i) { sums(i / blocks, i % blocks); });
    for (std::size_t block = 0; block < blocks; ++block) finish(block);
    return parallel_indices(all, [&](std::size_t i) { results(i / blocks, i % blocks); });
  }
  const std::size_t size = group_size(shape, arrays);
  const std::size_t groups = (blocks + size - 1) / size;
  const auto group = [&](std::size_t index) {
    const std::size_t first = index * size;
    const std::size_t last = std::min(first + size, blocks);
    for (std::size_t image = 0; image < shape.images; ++image) {
      for (std::size_t block = first; block < last; ++block) sums(image, block);
    }
    for (std::size_t block = first; block < last; ++block) finish(block);
    for (std::size_t image = shape.images; image-- > 0;) {
      for (std::size_t block = first; block < last; ++block) results(image, block);
    }
  };
  if (threads > 1) return parallel_indices(groups, group);
  for (std::size_t index = 0; index < groups; ++index) group(index);
}

// The arguments of both passes contain everything that is needed.
template <typename Pass>
NormaliseConstants forward_constants(const BlockedShape& shape, const Pass& what, std::size_t block,
                                     std::size_t lanes) {
  NormaliseConstants constants{};
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::size_t channel = block * shape.block + lane;
    const double gamma = what.gamma == nullptr ? 1.0 : static_cast<double>(what.gamma[channel]);
    constants.mean[lane] = what.mean[channel];
    constants.scale[lane] =
        static_cast<float>(gamma * inverse_deviation(what.variance[channel], what.epsilon));
    constants.shift[lane] = what.beta == nullptr ? 0.0f : what.beta[channel];
  }
  constants.lower = what.relu ? 0.0f : -kInfinity;
  constants.upper = what.relu && what.limit > 0.0 ? static_cast<float>(what.limit) : kInfinity;
  return constants;
}

// All images have the same number of cells, so the mean of their means is the mean.
void merge_images(const BlockedShape& shape, const BatchNormForward& what, const Places& places,
                  std::size_t block) {
  const auto images = static_cast<double>(shape.images);
  const auto cells = static_cast<double>(shape.cells);
  for (std::size_t lane = 0; lane < places.lanes(block); ++lane) {
    double mean = 0.0;
    for (std::size_t image = 0; image < shape.images; ++image) {
      mean += places.first(image, block)[lane];
    }
    mean /= images;
    double squares = 0.0;
    for (std::size_t image = 0; image < shape.images; ++image) {
      const double distance = places.first(image, block)[lane] - mean;
      squares += places.second(image, block)[lane] + cells * distance * distance;
    }
    what.mean[block * shape.block + lane] = static_cast<float>(mean);
    what.variance[block * shape.block + lane] = static_cast<float>(squares / (images * cells));
  }
}

// Computes the constants from the sums over the images' cells, which also are the gradients of beta
// and gamma.
NormGradientConstants constants_of(const BlockedShape& shape, const BatchNormBackward& what,
                                   const Places& places, std::size_t block) {
  NormGradientConstants constants{};
  const auto elements = static_cast<double>(shape.images * shape.cells);
  for (std::size_t lane = 0; lane < places.lanes(block); ++lane) {
    const std::size_t channel = block * shape.block + lane;
    const double gamma = what.gamma == nullptr ? 1.0 : static_cast<double>(what.gamma[channel]);
    const double inverse = inverse_deviation(what.variance[channel], what.epsilon);
    constants.mean[lane] = what.mean[channel];
    constants.factor[lane] = static_cast<float>(gamma * inverse);
    constants.offset[lane] = static_cast<float>(places.first(0, block)[lane] / elements);
    constants.slope[lane] =
        static_cast<float>(inverse * inverse * places.second(0, block)[lane] / elements);
  }
  constants.forward = forward_constants(shape, what, block, places.lanes(block));
  return constants;
}

// Adds the sums of all images to those of the first, and writes the gradients that follow.
void sum_images(const BlockedShape& shape, const BatchNormBackward& what, const Places& places,
                std::size_t block) {
  for (std::size_t lane = 0; lane < places.lanes(block); ++lane) {
    double& sum = places.first(0, block)[lane];
    double& product = places.second(0, block)[lane];
    for (std::size_t image = 1; image < shape.images; ++image) {
      sum += places.first(image, block)[lane];
      product += places.second(image, block)[lane];
    }
    const std::size_t channel = block * shape.block + lane;
    const double inverse = inverse_deviation(what.variance[channel], what.epsilon);
    if (what.beta_gradient != nullptr) what.beta_gradient[channel] = static_cast<float>(sum);
    if (what.gamma_gradient != nullptr) {
      what.gamma_gradient[channel] = static_cast<float>(inverse * product);
    }
  }
}

const float* at(const float* start, std::size_t offset) {
  return start == nullptr ? nullptr : start + offset;
}

}  // namespace

void batch_norm_forward(const BlockedShape& shape, const BatchNormForward& what, double* scratch) {
  const BatchNormKernels& kernels = batch_norm_kernels(shape.block);
  const Places places(shape, scratch);
  const auto sums = [&](std::size_t image, std::size_t block) {
    if (what.statistics_given) return;
    kernels.moments(what.read + places.cells(image, block), shape.cells, places.first(image, block),
                    places.second(image, block));
  };
  const auto finish = [&](std::size_t block) {
    if (!what.statistics_given) merge_images(shape, what, places, block);
  };
  run(shape, 2, sums, finish, [&](std::size_t image, std::size_t block) {
    const std::size_t first = places.cells(image, block);
    kernels.normalise(what.write + first, what.read + first, at(what.addend, first), shape.cells,
                      forward_constants(shape, what, block, places.lanes(block)));
  });
}

void batch_norm_backward(const BlockedShape& shape, const BatchNormBackward& what,
                         double* scratch) {
  const BatchNormKernels& kernels = batch_norm_kernels(shape.block);
  const Places places(shape, scratch);
  const bool masks = what.relu && what.output == nullptr;
  const auto sums = [&](std::size_t image, std::size_t block) {
    NormGradientConstants constants{};
    std::copy_n(what.mean + block * shape.block, places.lanes(block), constants.mean);
    constants.forward = forward_constants(shape, what, block, places.lanes(block));
    const std::size_t first = places.cells(image, block);
    const JoinedGradient joined{what.gradient + first, at(what.addend, first),
                                at(what.output, first), constants.forward.upper};
    kernels.gradient_sums(joined, what.read + first, shape.cells, masks, constants,
                          places.first(image, block), places.second(image, block));
  };
  const auto finish = [&](std::size_t block) { sum_images(shape, what, places, block); };
  const std::size_t joined = (what.addend != nullptr ? 1 : 0) + (what.output != nullptr ? 1 : 0);
  run(shape, 3 + joined, sums, finish, [&](std::size_t image, std::size_t block) {
    const std::size_t first = places.cells(image, block);
    kernels.gradient(what.write + first, what.accumulate ? what.write + first : nullptr,
                     what.gradient + first, what.read + first, shape.cells, masks,
                     constants_of(shape, what, places, block));
  });
}

}  // namespace convoy::cpu

#include "core/simulate/tile_side.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include "core/simulate/layer_rates.hpp"

namespace convoy::simulate {
namespace {

constexpr std::uint32_t kSides[] = {1, 2, 3, 4, 6, 8};

bool is_tiled(const LayerShape& shape) {
  return shape.kind == CONVOY_LAYER_CONVOLUTION && shape.kernel_height == 3 &&
         shape.kernel_width == 3 && shape.stride == 1 && shape.groups == 1;
}

using Group = std::vector<const LayerSample*>;

// Whatever but the size of images decides how fast they are is the same within a group.
std::vector<Group> groups_of(const std::vector<LayerSample>& samples) {
  std::map<std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t>, Group> groups;
  for (const LayerSample& sample : samples) {
    const LayerShape& shape = sample.shape;
    if (is_tiled(shape) && sample.seconds > 0 && sample.work.flops > 0)
      groups[{sample.pass, shape.batch, shape.input_channels, shape.output_channels}].push_back(
          &sample);
  }
  std::vector<Group> result;
  for (const auto& [key, group] : groups)
    for (const LayerSample* sample : group)
      if (sample->shape.output_pixels != group.front()->shape.output_pixels) {
        result.push_back(group);
        break;
      }
  return result;
}

// Sum of the squares by which logarithms of times deviate from what the group does in the mean.
double spread(const Group& group, double flops, std::uint32_t side) {
  double sum = 0;
  double squares = 0;
  for (const LayerSample* sample : group) {
    const double best = tile_excess(sample->shape, side) * sample->work.flops / flops;
    const double slowdown = std::log(sample->seconds / best);
    sum += slowdown;
    squares += slowdown * slowdown;
  }
  return squares - sum * sum / static_cast<double>(group.size());
}

}  // namespace

double tile_excess(const LayerShape& shape, std::uint32_t tile_side) {
  if (!is_tiled(shape) || shape.output_pixels == 0) return 1;
  const double side = std::sqrt(double(shape.output_pixels));
  const double tiles = std::ceil(side / tile_side - 1e-9);
  return tiles * tile_side * tiles * tile_side / shape.output_pixels;
}

std::uint32_t find_tile_side(const std::vector<LayerSample>& samples, double flops) {
  const std::vector<Group> groups = groups_of(samples);
  std::uint32_t best_side = 1;
  double least = INFINITY;
  for (const std::uint32_t side : kSides) {
    double sum = 0;
    for (const Group& group : groups) sum += spread(group, flops, side);
    if (sum >= least) continue;
    least = sum;
    best_side = side;
  }
  return best_side;
}

}  // namespace convoy::simulate

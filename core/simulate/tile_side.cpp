#include "core/simulate/tile_side.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include "core/simulate/layer_rates.hpp"

namespace convoy::simulate {
namespace {

constexpr std::uint32_t kSides[] = {1, 2, 6};
constexpr std::uint32_t kUsualSide = 4;
// Another side must explain samples so much better: by times, in their squared deviations.
constexpr double kClearlyBetter = 4;

bool is_tiled(const LayerShape& shape) {
  return shape.kind == CONVOY_LAYER_CONVOLUTION && shape.kernel_height == 3 &&
         shape.kernel_width == 3 && shape.stride == 1 && shape.groups == 1;
}

// On two cores of an EPYC (Zen 3), from the same layers with 2 and with 4 images of 49 and of 196
// pixels: 25 to 60 tiles of 4 x 4 forward and for gradients of data, 8 to 13 for those of weights.
double weights_in_tiles(convoy_pass pass) {
  return pass == CONVOY_PASS_BACKWARD_WEIGHTS ? 8 : 25;
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
    const double best = tile_excess(sample->shape, sample->pass, side) * sample->work.flops / flops;
    const double slowdown = std::log(sample->seconds / best);
    sum += slowdown;
    squares += slowdown * slowdown;
  }
  return squares - sum * sum / static_cast<double>(group.size());
}

}  // namespace

double tile_excess(const LayerShape& shape, convoy_pass pass, std::uint32_t tile_side) {
  if (tile_side == 1 || !is_tiled(shape) || shape.output_pixels == 0) return 1;
  const double side = std::ceil(std::sqrt(double(shape.output_pixels)) / tile_side - 1e-9);
  const double tiles = side * side * shape.batch;
  const double outputs = double(shape.output_pixels) * shape.batch;
  return (tiles + weights_in_tiles(pass)) * tile_side * tile_side / outputs;
}

std::uint32_t find_tile_side(const std::vector<LayerSample>& samples, double flops) {
  const std::vector<Group> groups = groups_of(samples);
  if (groups.empty()) return 1;
  const auto spread_with = [&](std::uint32_t side) {
    double sum = 0;
    for (const Group& group : groups) sum += spread(group, flops, side);
    return sum;
  };
  std::uint32_t best_side = kUsualSide;
  double least = spread_with(kUsualSide) / kClearlyBetter;
  for (const std::uint32_t side : kSides) {
    const double sum = spread_with(side);
    if (sum >= least) continue;
    least = sum;
    best_side = side;
  }
  return best_side;
}

}  // namespace convoy::simulate

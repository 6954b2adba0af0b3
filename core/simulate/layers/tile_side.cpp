#include "core/simulate/layers/tile_side.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include "core/simulate/layers/layer_rates.hpp"

namespace convoy::simulate {
namespace {

// The side of the patch of inputs that makes a tile's outputs.
constexpr std::uint32_t kUsualPatch = 6;
constexpr std::uint32_t kOtherPatches[] = {4, 8};
// Another side is chosen only if its squared deviations are this many times smaller.
constexpr double kClearlyBetter = 4;

// The side of the filter if the convolution may be computed in tiles; otherwise 0.
std::uint32_t tiled_filter(const LayerShape& shape) {
  const bool is_plain = shape.kind == CONVOY_LAYER_CONVOLUTION && shape.stride == 1 &&
                        shape.groups == 1 && shape.kernel_height == shape.kernel_width;
  const std::uint32_t filter = shape.kernel_height;
  return is_plain && (filter == 3 || filter == 5) ? filter : 0;
}

// The side of the tiles; 1 if the patch is too small for more than one output.
std::uint32_t side_of(std::uint32_t patch, std::uint32_t filter) {
  return patch > filter ? patch + 1 - filter : 1;
}

// The time of transforming the weights, in tiles. Measured on two cores of an EPYC (Zen 3), from
// the same layers with 2 and with 4 images of 49 and of 196 pixels: 25 to 60 tiles of 4 x 4 forward
// and for gradients of data, 8 to 13 for gradients of weights.
double weights_in_tiles(convoy_pass pass) {
  return pass == CONVOY_PASS_BACKWARD_WEIGHTS ? 8 : 25;
}

using Group = std::vector<const LayerSample*>;

// Within a group, everything that decides the speed is the same, except the size of images.
std::vector<Group> groups_of(const std::vector<LayerSample>& samples, std::uint32_t filter) {
  std::map<std::tuple<int, std::uint32_t, std::uint32_t, std::uint32_t>, Group> groups;
  for (const LayerSample& sample : samples) {
    const LayerShape& shape = sample.shape;
    if (tiled_filter(shape) == filter && sample.seconds > 0 && sample.work.flops > 0)
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

double excess_of(const LayerShape& shape, convoy_pass pass, std::uint32_t tile_side) {
  if (tile_side == 1 || shape.output_pixels == 0) return 1;
  const double side = std::ceil(std::sqrt(double(shape.output_pixels)) / tile_side - 1e-9);
  const double tiles = side * side * shape.batch;
  const double outputs = double(shape.output_pixels) * shape.batch;
  return (tiles + weights_in_tiles(pass)) * tile_side * tile_side / outputs;
}

// The sum of the squares by which the logarithms of times deviate from the mean of their group.
double spread(const Group& group, double flops, std::uint32_t side) {
  double sum = 0;
  double squares = 0;
  for (const LayerSample* sample : group) {
    const double best = excess_of(sample->shape, sample->pass, side) * sample->work.flops / flops;
    const double slowdown = std::log(sample->seconds / best);
    sum += slowdown;
    squares += slowdown * slowdown;
  }
  return squares - sum * sum / static_cast<double>(group.size());
}

// Finds the side for filters of this size.
std::uint32_t find_side(const std::vector<LayerSample>& samples, double flops,
                        std::uint32_t filter) {
  const std::vector<Group> groups = groups_of(samples, filter);
  if (groups.empty()) return 1;
  const auto spread_with = [&](std::uint32_t side) {
    double sum = 0;
    for (const Group& group : groups) sum += spread(group, flops, side);
    return sum;
  };
  std::uint32_t best_side = side_of(kUsualPatch, filter);
  double least = spread_with(best_side) / kClearlyBetter;
  for (const std::uint32_t patch : {filter, kOtherPatches[0], kOtherPatches[1]}) {
    const double sum = spread_with(side_of(patch, filter));
    if (sum >= least) continue;
    least = sum;
    best_side = side_of(patch, filter);
  }
  return best_side;
}

}  // namespace

std::uint32_t TileSides::of(const LayerShape& shape) const {
  const std::uint32_t filter = tiled_filter(shape);
  if (filter == 0) return 1;
  return filter == 3 ? of_3x3 : of_5x5;
}

double tile_excess(const LayerShape& shape, convoy_pass pass, const TileSides& sides) {
  return excess_of(shape, pass, sides.of(shape));
}

TileSides find_tile_sides(const std::vector<LayerSample>& samples, double flops) {
  return {find_side(samples, flops, 3), find_side(samples, flops, 5)};
}

}  // namespace convoy::simulate

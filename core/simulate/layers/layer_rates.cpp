#include "core/simulate/layers/layer_rates.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "core/base/error.hpp"
#include "core/base/numbers/fnv.hpp"

namespace convoy::simulate {
namespace {

constexpr std::size_t kNeighbours = 3;  // samples that stand for a layer without a sample

struct Sum {
  double seconds = 0;
  double at_peak = 0;
};

void add_number(Fnv1a64& hash, double number) {
  hash.add_word(std::bit_cast<std::uint64_t>(number));
}

void add_shape(Fnv1a64& hash, const LayerShape& shape) {
  const auto& [kind, producer, consumer, ends_sum, batch, inputs, kernel_height, kernel_width,
               stride, groups, input_channels, input_pixels, output_channels, output_pixels] =
      shape;  // names all fields, so that a new one cannot be forgotten
  for (const std::uint32_t field :
       {kind, producer, consumer, std::uint32_t{ends_sum}, batch, inputs, kernel_height,
        kernel_width, stride, groups, input_channels, input_pixels, output_channels, output_pixels})
    hash.add_word(field);
}

}  // namespace

LayerRates::LayerRates(const std::vector<LayerSample>& samples, double flops, double bytes,
                       double speed)
    : flops_(flops), bytes_(bytes), tile_sides_(find_tile_sides(samples, flops)), speed_(speed) {
  CONVOY_CHECK(flops > 0 && bytes > 0 && speed > 0);
  std::map<LayerShape, Sum> sums[3];
  Sum all[3];
  for (const LayerSample& sample : samples) {
    const double best = at_peak(sample.shape, sample.pass, sample.work);
    if (best <= 0) continue;
    for (Sum* sum : {&sums[sample.pass][sample.shape], &all[sample.pass]}) {
      sum->seconds += sample.seconds;
      sum->at_peak += best;
    }
  }
  for (int pass = 0; pass < 3; ++pass) {
    for (const auto& [shape, sum] : sums[pass])
      known_[pass].push_back({shape, sum.seconds / sum.at_peak});
    usual_slowdown_[pass] = all[pass].at_peak > 0 ? all[pass].seconds / all[pass].at_peak : 1;
  }
}

// Fully connected layers use each weight as soon as it arrives, image by image. So their
// computation does not overlap with reading the weights.
double LayerRates::at_peak(const LayerShape& shape, convoy_pass pass, const graph::LayerWork& work,
                           const RateGain& gain) const {
  const double computing =
      tile_excess(shape, pass, tile_sides_) * work.flops / (gain.flops * flops_);
  const double moving = work.bytes / (gain.bytes * bytes_);
  return shape.kind == CONVOY_LAYER_FULLY_CONNECTED ? computing + moving
                                                    : std::max(computing, moving);
}

double LayerRates::seconds(const LayerShape& shape, convoy_pass pass, const graph::LayerWork& work,
                           const RateGain& gain) const {
  return slowdown(shape, pass) * at_peak(shape, pass, work, gain) / speed_;
}

std::uint64_t LayerRates::fingerprint() const {
  Fnv1a64 hash;
  for (const double number : {flops_, bytes_, speed_}) add_number(hash, number);
  hash.add_word(tile_sides_.of_3x3);
  hash.add_word(tile_sides_.of_5x5);
  for (int pass = 0; pass < 3; ++pass) {
    add_number(hash, usual_slowdown_[pass]);
    for (const Known& known : known_[pass]) {
      hash.add_word(pass);
      add_shape(hash, known.shape);
      add_number(hash, known.slowdown);
    }
  }
  return hash.value();
}

double LayerRates::slowdown(const LayerShape& shape, convoy_pass pass) const {
  struct Candidate {
    double distance;
    double slowdown;
  };
  std::vector<Candidate> candidates;
  for (const Known& known : known_[pass]) {
    const double distance = shape_distance(shape, known.shape);
    if (std::isfinite(distance)) candidates.push_back({distance, known.slowdown});
  }
  if (candidates.empty()) return usual_slowdown_[pass];
  const auto used = static_cast<std::ptrdiff_t>(std::min(kNeighbours, candidates.size()));
  std::partial_sort(candidates.begin(), candidates.begin() + used, candidates.end(),
                    [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  if (candidates.front().distance == 0) return candidates.front().slowdown;
  double weights = 0;
  double sum = 0;
  for (auto it = candidates.begin(); it != candidates.begin() + used; ++it) {
    const double weight = 1 / (it->distance * it->distance);
    weights += weight;
    sum += weight * it->slowdown;
  }
  return sum / weights;
}

}  // namespace convoy::simulate

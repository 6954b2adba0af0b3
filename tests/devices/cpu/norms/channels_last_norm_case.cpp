#include "tests/devices/cpu/norms/channels_last_norm_case.hpp"

#include <limits>
#include <ostream>

// Bounds. u is half a unit in the last place of f32 relative to a number. An operation adds u of
// its result; terms in u * u are covered by kSlack. Sums are taken in f32 over at most 256 cells,
// one after the other (no term passes more than 255 additions), and those sums in double, whose own
// error is negligible. A result is within half a bf16 unit of an f32 value that is within its
// bound.
namespace convoy::test {

void PrintTo(const ChannelsLastCase& what, std::ostream* out) {
  *out << what.cells << " cells of " << what.channels << (what.variables ? "" : " plain")
       << (what.add ? " add" : "") << (what.relu ? " relu" : "") << " limit " << what.limit
       << (what.given ? " given" : "") << (what.output ? " output" : "")
       << (what.accumulate ? " accumulate" : "") << " centre " << what.centre;
}

namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kSlack = 1.01;
constexpr std::size_t kCellsInF32 = 256;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

double as_f32(double value) {
  return static_cast<double>(static_cast<float>(value));
}

double limit_of(const ChannelsLastCase& what) {
  return what.relu && what.limit > 0.0 ? what.limit : kNoLimit;
}

// Roundings that a term of a sum passes: the additions, and the term's own (at most four).
double sum_error(const ChannelsLastCase& what) {
  return static_cast<double>(std::min(what.cells, kCellsInF32) + 4) * kUnit;
}

double inverse_of(const ChannelsLastCase& what, double variance) {
  return 1.0 / std::sqrt(variance + what.epsilon);
}

void set_bf16(Bounded& result, std::size_t i, double value, double f32_error) {
  const double error = kSlack * f32_error;
  result.value[i] = value;
  result.bound[i] = error + half_bf16_ulp(std::fabs(value) + error);
}

void set_f32(Bounded& result, std::size_t i, double value, double error) {
  result.value[i] = value;
  result.bound[i] = kSlack * (error + kUnit * std::fabs(value));
}

// Calls body(channel, element) for every element.
template <typename Body>
void each_place(const ChannelsLastCase& what, const Body& body) {
  std::size_t i = 0;
  for (std::size_t cell = 0; cell < what.cells; ++cell) {
    for (std::size_t channel = 0; channel < what.channels; ++channel) body(channel, i++);
  }
}

struct ExactStatistics {
  std::vector<double> mean, variance, largest;
};

ExactStatistics exact_statistics(const ChannelsLastCase& what, const std::vector<cpu::Bf16>& read) {
  const std::vector<double> zeros(what.channels);
  ExactStatistics exact{zeros, zeros, zeros};
  const auto count = static_cast<double>(what.cells);
  each_place(what, [&](std::size_t c, std::size_t i) {
    const double value = value_of(read[i]);
    exact.mean[c] += value;
    exact.largest[c] = std::fmax(exact.largest[c], std::fabs(value));
  });
  for (double& mean : exact.mean) mean /= count;
  each_place(what, [&](std::size_t c, std::size_t i) {
    const double distance = value_of(read[i]) - exact.mean[c];
    exact.variance[c] += distance * distance;
  });
  for (double& variance : exact.variance) variance /= count;
  return exact;
}

// Where f32 might not tell on which side of the relu's edges a result lies, x becomes another one.
void avoid_edges(const ChannelsLastCase& what, ChannelsLastData& data) {
  each_place(what, [&](std::size_t c, std::size_t i) {
    const double scale = data.gamma_of(c) * inverse_of(what, static_cast<double>(data.variance[c]));
    const auto on_edge = [&] {
      const double normal = scale * (value_of(data.read[i]) - static_cast<double>(data.mean[c]));
      const double result = normal + data.beta_of(c);
      const double unsure = 8.0 * kUnit * (std::fabs(normal) + std::fabs(data.beta_of(c)));
      return std::fabs(result) <= unsure || std::fabs(result - limit_of(what)) <= unsure;
    };
    while (on_edge()) data.read[i] = nearest_bf16(value_of(data.read[i]) + 0.25 * what.deviation);
  });
}

std::vector<float> random_variables(std::size_t count, double centre, std::uint32_t seed) {
  CheapRandom random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(centre + 0.5 * random.normal());
  return values;
}

}  // namespace

ChannelsLastData::ChannelsLastData(const ChannelsLastCase& what)
    : read(random_bf16(what.elements(), what.centre, what.deviation, 1)),
      addend(random_bf16(what.elements(), 0.0, 1.0, 2)),
      gradient(random_bf16(what.elements(), 0.1, 1.0, 3)),
      output(what.elements()),
      before(random_bf16(what.elements(), 0.0, 1.0, 5)) {
  if (what.variables) {
    gamma = random_variables(what.channels, 1.0, 6);
    beta = random_variables(what.channels, 0.3, 7);
  }
  const ExactStatistics exact = exact_statistics(what, read);
  mean.assign(exact.mean.begin(), exact.mean.end());
  variance.assign(exact.variance.begin(), exact.variance.end());
  if (what.relu && !what.output) avoid_edges(what, *this);
  CheapRandom random(4);
  for (cpu::Bf16& value : output) {
    value = nearest_bf16(std::clamp(random.normal() + 0.3, 0.0, limit_of(what)));
  }
}

namespace {

// With S and Q the sums of x - pivot and of its square: mean = pivot + S / n and variance =
// Q / n - (S / n)^2. The pivot is the mean of 32 cells spread over all, in f32: within a deviation
// of the mean (five and a half of its own) but for the rounding of 32 additions and a division. So
// the mean of |x - pivot| is at most deviation + gap, that of its square variance + gap^2.
void expect_statistics(const ChannelsLastCase& what, const ChannelsLastData& data,
                       ExpectedForward& result) {
  const ExactStatistics exact = exact_statistics(what, data.read);
  for (std::size_t c = 0; c < what.channels; ++c) {
    if (what.given) {
      result.mean.value[c] = static_cast<double>(data.mean[c]);
      result.variance.value[c] = static_cast<double>(data.variance[c]);
      continue;
    }
    const double variance = exact.variance[c];
    const double gap = std::sqrt(variance) + 33.0 * kUnit * exact.largest[c];
    const double error = sum_error(what);
    const double mean_error = error * (std::sqrt(variance) + gap);
    set_f32(result.mean, c, exact.mean[c], mean_error);
    set_f32(result.variance, c, variance, error * (variance + gap * gap) + 2.0 * gap * mean_error);
  }
}

}  // namespace

// ((x - mean) * scale + beta) + addend in f32. The errors of the statistics: that of the mean moves
// the result by scale times as much; that of the variance, relative to twice itself, the scale,
// which is rounded once; the difference and the product are rounded, and both sums.
ExpectedForward expected_forward(const ChannelsLastCase& what, const ChannelsLastData& data) {
  ExpectedForward result{Bounded(what.channels), Bounded(what.channels), Bounded(what.elements())};
  expect_statistics(what, data, result);
  each_place(what, [&](std::size_t c, std::size_t i) {
    const double variance = result.variance.value[c];
    const double scale = data.gamma_of(c) * inverse_of(what, variance);
    const double normal = scale * (value_of(data.read[i]) - result.mean.value[c]);
    const double shifted = normal + data.beta_of(c);
    const double sum = shifted + (what.add ? value_of(data.addend[i]) : 0.0);
    const double scale_error = 0.5 * result.variance.bound[c] / (variance + what.epsilon);
    const double error = std::fabs(scale) * result.mean.bound[c] +
                         std::fabs(normal) * (3.0 * kUnit + scale_error) +
                         kUnit * (std::fabs(shifted) + (what.add ? std::fabs(sum) : 0.0));
    set_bf16(result.write, i, what.relu ? std::clamp(sum, 0.0, limit_of(what)) : sum, error);
  });
  return result;
}

namespace {

struct GradientSums {
  std::vector<double> sum, product, sum_magnitude, product_magnitude;
};

// The gradients of the norm's own result, and their sums; magnitudes are of the terms.
GradientSums take_sums(const ChannelsLastCase& what, const ChannelsLastData& data,
                       std::vector<cpu::Bf16>& joined, std::vector<double>& passed) {
  const std::vector<double> zeros(what.channels);
  GradientSums sums{zeros, zeros, zeros, zeros};
  each_place(what, [&](std::size_t c, std::size_t i) {
    double value = value_of(data.gradient[i]);
    if (what.add) value = value_of(nearest_bf16(as_f32(value + value_of(data.addend[i]))));
    const double distance = value_of(data.read[i]) - static_cast<double>(data.mean[c]);
    const double scale = data.gamma_of(c) * inverse_of(what, static_cast<double>(data.variance[c]));
    const double result =
        what.output ? value_of(data.output[i]) : distance * scale + data.beta_of(c);
    const bool cut = what.relu && (result <= 0.0 || result >= limit_of(what));
    joined[i] = nearest_bf16(cut && what.output ? 0.0 : value);
    passed[i] = cut ? 0.0 : value;
    sums.sum[c] += passed[i];
    sums.product[c] += passed[i] * distance;
    sums.sum_magnitude[c] += std::fabs(passed[i]);
    sums.product_magnitude[c] += std::fabs(passed[i] * distance);
  });
  return sums;
}

}  // namespace

// scale * ((g - sum / n) - distance * slope), slope = product / n / (variance + epsilon), and what
// is there. Sums are wrong by sum_error of their terms' magnitudes; sum / n, slope and scale are
// rounded once, and so is the result of each of the six operations.
ExpectedBackward expected_backward(const ChannelsLastCase& what, const ChannelsLastData& data) {
  ExpectedBackward result{std::vector<cpu::Bf16>(what.elements()), Bounded(what.channels),
                          Bounded(what.channels), Bounded(what.elements())};
  std::vector<double> passed(what.elements());
  const GradientSums sums = take_sums(what, data, result.joined, passed);
  const auto count = static_cast<double>(what.cells);
  const double error = sum_error(what);
  for (std::size_t c = 0; c < what.channels; ++c) {
    const double inverse = inverse_of(what, static_cast<double>(data.variance[c]));
    set_f32(result.beta_gradient, c, sums.sum[c], error * sums.sum_magnitude[c]);
    set_f32(result.gamma_gradient, c, inverse * sums.product[c],
            inverse * error * sums.product_magnitude[c]);
  }
  each_place(what, [&](std::size_t c, std::size_t i) {
    const double inverse = inverse_of(what, static_cast<double>(data.variance[c]));
    const double distance = value_of(data.read[i]) - static_cast<double>(data.mean[c]);
    const double offset = sums.sum[c] / count;
    const double slope = inverse * inverse * sums.product[c] / count;
    const double part = distance * slope;
    const double scale = data.gamma_of(c) * inverse;
    const double value = scale * (passed[i] - offset - part);
    const double sum = value + (what.accumulate ? value_of(data.before[i]) : 0.0);
    const double offset_error = error * sums.sum_magnitude[c] / count + kUnit * std::fabs(offset);
    const double slope_error = error * inverse * inverse * sums.product_magnitude[c] / count;
    const double difference_error = offset_error + kUnit * std::fabs(passed[i] - offset) +
                                    std::fabs(distance) * slope_error +
                                    3.0 * kUnit * std::fabs(part);
    set_bf16(result.write, i, sum,
             std::fabs(scale) * difference_error + 3.0 * kUnit * std::fabs(value) +
                 (what.accumulate ? kUnit * std::fabs(sum) : 0.0));
  });
  return result;
}

}  // namespace convoy::test

#include "tests/devices/cpu/norms/batch_norm_case.hpp"

#include <cmath>
#include <random>
#include <utility>

namespace convoy::test {
namespace {

std::vector<float> random_values(std::size_t count, double centre, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> values(static_cast<float>(centre), 1.0f);
  std::vector<float> result(count);
  for (float& value : result) value = values(engine);
  return result;
}

// Calls body(channel, element) for every element.
template <typename Body>
void each_element(const BatchNormCase& what, const Body& body) {
  for (std::size_t i = 0; i < what.elements(); ++i) body(i / what.cells() % what.channels, i);
}

void compute_statistics(const BatchNormCase& what, BatchNormData& data) {
  const auto count = static_cast<double>(what.images * what.cells());
  data.mean.assign(what.channels, 0.0);
  data.variance.assign(what.channels, 0.0);
  each_element(what, [&](std::size_t c, std::size_t i) {
    data.mean[c] += static_cast<double>(data.read[i]) / count;
  });
  each_element(what, [&](std::size_t c, std::size_t i) {
    const double distance = static_cast<double>(data.read[i]) - data.mean[c];
    data.variance[c] += distance * distance / count;
  });
}

void compute_result(const BatchNormCase& what, BatchNormData& data) {
  data.write.resize(what.elements());
  each_element(what, [&](std::size_t c, std::size_t i) {
    const double gamma = what.variables ? static_cast<double>(data.gamma[c]) : 1.0;
    const double beta = what.variables ? static_cast<double>(data.beta[c]) : 0.0;
    double y = (static_cast<double>(data.read[i]) - data.mean[c]) /
                   std::sqrt(data.variance[c] + what.epsilon) * gamma +
               beta;
    if (what.add) y += static_cast<double>(data.addend[i]);
    if (what.relu) y = std::fmax(y, 0.0);
    if (what.relu && what.limit > 0.0) y = std::fmin(y, what.limit);
    data.write[i] = y;
  });
}

void compute_gradients(const BatchNormCase& what, BatchNormData& data) {
  const auto count = static_cast<double>(what.images * what.cells());
  data.passed.resize(what.elements());
  each_element(what, [&](std::size_t, std::size_t i) {
    const bool cut =
        what.relu && (data.write[i] <= 0.0 || (what.limit > 0.0 && data.write[i] >= what.limit));
    data.passed[i] = cut ? 0.0 : static_cast<double>(data.gradient[i]);
  });
  const auto normal = [&](std::size_t c, std::size_t i) {
    return (static_cast<double>(data.read[i]) - data.mean[c]) /
           std::sqrt(data.variance[c] + what.epsilon);
  };
  data.gamma_gradient.assign(what.channels, 0.0);
  data.beta_gradient.assign(what.channels, 0.0);
  each_element(what, [&](std::size_t c, std::size_t i) {
    data.beta_gradient[c] += data.passed[i];
    data.gamma_gradient[c] += data.passed[i] * normal(c, i);
  });
  data.read_gradient.resize(what.elements());
  each_element(what, [&](std::size_t c, std::size_t i) {
    const double gamma = what.variables ? static_cast<double>(data.gamma[c]) : 1.0;
    data.read_gradient[i] = gamma / std::sqrt(data.variance[c] + what.epsilon) *
                            (data.passed[i] - data.beta_gradient[c] / count -
                             normal(c, i) * data.gamma_gradient[c] / count);
  });
}

}  // namespace

BatchNormData::BatchNormData(const BatchNormCase& what)
    : read(random_values(what.elements(), what.centre, 1)),
      addend(random_values(what.elements(), 0.0, 2)),
      gradient(random_values(what.elements(), 0.1, 3)),
      gamma(random_values(what.channels, 1.0, 4)),
      beta(random_values(what.channels, 0.3, 5)) {
  compute_statistics(what, *this);
  compute_result(what, *this);
  compute_gradients(what, *this);
}

namespace {

std::size_t blocked_index(const BatchNormCase& what, std::size_t i) {
  const std::size_t cell = i % what.cells();
  const std::size_t channel = i / what.cells() % what.channels;
  const std::size_t image = i / what.cells() / what.channels;
  const std::size_t block = image * what.shape().blocks() + channel / what.block;
  return (block * what.cells() + cell) * what.block + channel % what.block;
}

}  // namespace

std::vector<float> to_blocks(const std::vector<float>& plain, const BatchNormCase& what) {
  std::vector<float> blocked(what.shape().elements());
  for (std::size_t i = 0; i < plain.size(); ++i) blocked[blocked_index(what, i)] = plain[i];
  return blocked;
}

std::vector<float> from_blocks(const float* blocked, const BatchNormCase& what, double& padding) {
  std::vector<float> rest(blocked, blocked + what.shape().elements());
  std::vector<float> plain(what.elements());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    plain[i] = std::exchange(rest[blocked_index(what, i)], 0.0f);
  }
  for (float value : rest) padding += std::fabs(static_cast<double>(value));
  return plain;
}

}  // namespace convoy::test

#include "tests/plan/sample_gradients.hpp"

#include <bit>
#include <cmath>

namespace convoy::testing {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

float unit(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return static_cast<float>(mix(mix(mix(7, a), b), c) >> 40) / 0x1p24f;
}

}  // namespace

void smooth_gradient(const GradientRequest& request, std::span<float> gradient) {
  float weighted = 0;
  for (std::size_t e = 0; e < request.forward_read.size(); ++e)
    weighted += (unit(e, 1, 1) - 0.5f) * request.forward_read[e];
  const float digest = std::sin(weighted);
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const std::uint64_t element = request.range.first + i;
    const float phase = 6.0f * unit(request.replica, request.step, element);
    const float own = request.forward_read[element];
    gradient[i] = std::sin(own + phase) + 0.5f * std::cos(2 * request.backward_read[i] + phase) +
                  0.5f * digest;
  }
}

void exact_gradient(const GradientRequest& request, std::span<float> gradient) {
  std::uint64_t digest = mix(mix(1, request.replica), request.step);
  for (const float value : request.forward_read)
    digest = mix(digest, std::bit_cast<std::uint32_t>(value));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const auto read = std::bit_cast<std::uint32_t>(request.backward_read[i]);
    const std::uint64_t bits = mix(mix(digest, request.range.first + i), read);
    gradient[i] = (static_cast<float>(bits >> 57) - 64.0f) / 64.0f;
  }
}

InterpreterOptions sample_options(const plan::ArenaMap& arena, GradientFunction gradient) {
  InterpreterOptions options;
  for (std::uint64_t e = 0; e < arena.elements; ++e) options.initial.push_back(unit(e, 2, 2));
  options.optimizer.struct_size = sizeof(options.optimizer);
  options.optimizer.kind = CONVOY_OPTIMIZER_MOMENTUM;
  options.optimizer.momentum = 0.75;
  options.optimizer.weight_decay = 0.01;
  options.optimizer.gradient_scale = 1;
  options.decayed = {arena.variables.front().range};
  options.learning_rate = [](std::uint64_t step) {
    return 0.125 / (1.0 + static_cast<double>(step));
  };
  options.gradient = std::move(gradient);
  return options;
}

}  // namespace convoy::testing

#include "plugins/devices/cpu/layers/layers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "plugins/devices/cpu/lanes/team.hpp"
#include "plugins/devices/cpu/programs/program_builder.hpp"

namespace convoy::cpu {
namespace {

struct Scores {
  const float* values;
  std::size_t classes;

  double log_of_sum() const {
    const float top = *std::max_element(values, values + classes);
    double sum = 0.0;
    for (std::size_t i = 0; i < classes; ++i) sum += std::exp(static_cast<double>(values[i] - top));
    return std::log(sum) + static_cast<double>(top);
  }
  // If a score is not finite, the result may be any number for which the label is not among the
  // first ones.
  std::size_t higher_than(std::size_t label) const {
    const float own = values[label];
    std::size_t higher = 0;
    for (std::size_t i = 0; i < classes; ++i) {
      if (!std::isfinite(values[i])) return std::numeric_limits<std::size_t>::max();
      higher += values[i] > own ? 1 : 0;
    }
    return higher;
  }
};

constexpr std::int32_t kNoLabel = -1;  // label of an image that does not count

std::size_t checked_label(std::int32_t label, std::size_t classes) {
  if (label < 0 || static_cast<std::size_t>(label) >= classes) {
    throw std::runtime_error("label " + std::to_string(label) + " is outside the " +
                             std::to_string(classes) + " classes");
  }
  return static_cast<std::size_t>(label);
}

void evaluate(const float* logits, std::size_t batch, std::size_t classes, bool accuracy,
              const convoy_compute& compute) {
  double loss = 0.0;
  std::uint64_t hits[2] = {0, 0};
  for (std::size_t image = 0; image < batch; ++image) {
    if (compute.labels[image] == kNoLabel) continue;
    const Scores scores{logits + image * classes, classes};
    const std::size_t label = checked_label(compute.labels[image], classes);
    loss += scores.log_of_sum() - static_cast<double>(scores.values[label]);
    if (!accuracy) continue;
    const std::size_t higher = scores.higher_than(label);
    hits[0] += higher < 1 ? 1u : 0u;
    hits[1] += higher < 5 ? 1u : 0u;
  }
  if (compute.loss != nullptr) *compute.loss = loss / static_cast<double>(batch);
  if (accuracy && compute.hits != nullptr) std::copy_n(hits, 2, compute.hits);
}

void differentiate(const float* logits, std::size_t batch, std::size_t classes,
                   const convoy_compute& compute, float* gradient) {
  const std::int32_t* labels = compute.labels;
  const double weight = loss_scale_of(compute) / static_cast<double>(batch);
  parallel_indices(batch, [&](std::size_t image) {
    float* row = gradient + image * classes;
    if (labels[image] == kNoLabel) {
      std::fill_n(row, classes, 0.0f);
      return;
    }
    const Scores scores{logits + image * classes, classes};
    const double log_of_sum = scores.log_of_sum();
    const auto label = static_cast<std::size_t>(labels[image]);
    for (std::size_t i = 0; i < classes; ++i) {
      const double probability = std::exp(static_cast<double>(scores.values[i]) - log_of_sum);
      row[i] = static_cast<float>(weight * (i == label ? probability - 1.0 : probability));
    }
  });
}

}  // namespace

void SoftmaxCrossEntropy::build_forward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  const dnnl::memory logits = builder.read_as(input, builder.plain(input));
  const std::size_t batch = builder.compilation().batch;
  const bool accuracy = (builder.compilation().flags & CONVOY_COMPILE_ACCURACY) != 0;
  const std::size_t classes = element_count(logits) / batch;
  builder.then([=](const TaskContext& context) {
    evaluate(floats_of(logits), batch, classes, accuracy, context.compute);
  });
}

void SoftmaxCrossEntropy::build_backward(ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.plan(node).inputs[0];
  const dnnl::memory logits = builder.read_as(input, builder.plain(input));
  const GradientPart part = builder.begin_gradient(input, builder.plain(input));
  const std::size_t batch = builder.compilation().batch;
  const std::size_t classes = element_count(logits) / batch;
  builder.then([=, memory = part.memory](const TaskContext& context) {
    differentiate(floats_of(logits), batch, classes, context.compute, floats_of(memory));
  });
  builder.finish_gradient(input, part);
}

}  // namespace convoy::cpu

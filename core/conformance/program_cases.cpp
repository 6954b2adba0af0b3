// Properties of a program besides the layers' numbers: dropout, hits, the loss scale, refusals.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/conformance/comparison.hpp"
#include "core/conformance/compiled_case.hpp"
#include "core/conformance/layer_builder.hpp"
#include "core/conformance/reference_network.hpp"

namespace convoy::conformance {
namespace {

// The network is images -> units that are all one -> dropout -> mean. The gradient of a unit's bias
// is its factor, 0 or 1/keep, divided by the number of units.
constexpr std::uint32_t kUnits = 2000;
constexpr float kKeep = 0.25f;

std::vector<float> dropout_factors(const plugin::DevicePlugin& plugin, TestedDevice& device,
                                   const TrainingOptions& options, std::uint64_t step,
                                   double* loss = nullptr) {
  graph::GraphAssembler assembler("dropout", 2, 4);
  LayerCase dropout(CONVOY_LAYER_DROPOUT, {fully_connected(0, kUnits).add_to(assembler)});
  dropout.layer.keep = double(kKeep);
  LayerCase(CONVOY_LAYER_MEAN_LOSS, {dropout.add_to(assembler)}).add_to(assembler);
  const auto training = compile_case(plugin, device, assembler.finish(), options);
  std::ranges::fill(training->parameters[0], 0.0f);
  std::ranges::fill(training->parameters[1], 1.0f);
  training->forward(step);
  training->backward(step);
  if (loss != nullptr) *loss = training->loss;
  return training->gradient(1);
}

std::string check_dropout(const plugin::DevicePlugin& plugin, TestedDevice& device) {
  const TrainingOptions drops{.batch = 1, .flags = CONVOY_COMPILE_DROPOUT};
  double loss = 0;
  const std::vector<float> factors = dropout_factors(plugin, device, drops, 0, &loss);
  const auto kept = std::ranges::count_if(
      factors, [](float it) { return std::fabs(it * kUnits - 1 / kKeep) < 1e-4f; });
  const auto zeros = std::ranges::count(factors, 0.0f);
  if (zeros + kept != kUnits) return "factors are neither 0 nor 1/keep";
  const double share = double(kept) / kUnits;
  if (std::fabs(share - double(kKeep)) > 0.04)  // four standard deviations
    return fmt::format("{:.3f} of the elements are kept instead of {}", share, kKeep);
  if (std::fabs(loss - share / double(kKeep)) > 1e-4)
    return "backward drops other elements than forward";
  TrainingOptions other_seed = drops, other_replica = drops;
  other_seed.seed = 2;
  other_replica.replica = 1;
  if (dropout_factors(plugin, device, drops, 0) != factors)
    return "the same seed, step and replica drop other elements the second time";
  if (dropout_factors(plugin, device, drops, 1) == factors) return "every step drops the same";
  if (dropout_factors(plugin, device, other_seed, 0) == factors) return "every seed drops the same";
  if (dropout_factors(plugin, device, other_replica, 0) == factors)
    return "every replica drops the same";
  return {};
}

graph::Graph classifier(std::uint32_t classes) {
  graph::GraphAssembler assembler("classifier", 2, classes);
  loss(fully_connected(0, classes).add_to(assembler)).add_to(assembler);
  return assembler.finish();
}

std::string check_hits(const plugin::DevicePlugin& plugin, TestedDevice& device) {
  const auto it =
      compile_case(plugin, device, classifier(8), {.batch = 4, .flags = CONVOY_COMPILE_ACCURACY});
  std::ranges::fill(it->parameters[0], 0.0f);
  it->parameters[1] = {5, 7, 7, 3, 2, 1, 0, -1};  // the biases are the scores
  it->labels = {1, 2, 4, 7};                      // ranks: first, first by a tie, fifth, eighth
  it->forward();
  if (it->hits[0] == 2 && it->hits[1] == 3) return {};
  return fmt::format("hits are {} of the best and {} of the best five instead of 2 and 3",
                     it->hits[0], it->hits[1]);
}

// Two of four images count, one of which is a hit.
std::string check_images_without_label(const plugin::DevicePlugin& plugin, TestedDevice& device) {
  const auto it =
      compile_case(plugin, device, classifier(8), {.batch = 4, .flags = CONVOY_COMPILE_ACCURACY});
  it->labels = {-1, 1, -1, 5};
  std::ranges::fill(it->parameters[0], 0.0f);
  it->parameters[1] = {5, 7, 6, 3, 2, 1, 0, -1};
  it->forward();
  it->backward();
  if (it->hits[0] != 1 || it->hits[1] != 1)
    return fmt::format("hits are {} of the best and {} of the best five instead of 1 and 1",
                       it->hits[0], it->hits[1]);
  ReferenceNetwork reference(it->graph(), it->batch(), it->parameters, it->images, it->labels);
  Comparison comparison;
  comparison.element(it->loss, reference.loss(), 1e-5,
                     [] { return "the loss of images of which two have no label"; });
  const std::vector<float> measured = it->gradient(1);
  for (std::size_t k = 0; k < measured.size(); ++k)
    comparison.element(measured[k], reference.derivative(1, k), 1e-5, [k] {
      return fmt::format("element {} of the biases' gradient, where two images have no label", k);
    });
  return comparison.text();
}

// Checks that the loss scale multiplies the gradient of the loss, but not the loss.
std::string check_loss_scale(const plugin::DevicePlugin& plugin, TestedDevice& device) {
  const auto it = compile_case(plugin, device, classifier(8), {.batch = 3});
  it->forward();
  it->backward();
  const std::vector<float> right = it->gradient(0);
  const double loss = it->loss;
  it->loss_scale = 64;
  it->forward();
  it->backward();
  Comparison comparison;
  comparison.element(it->loss, loss, 1e-6, [] { return "the loss with a scale of 64"; });
  std::vector<float> measured = it->gradient(0);
  for (float& value : measured) value /= 64;
  comparison.tensor("a gradient with a loss scale of 64, divided by that,", measured, right, 1e-5,
                    1e-7);
  return comparison.text();
}

// Uses a device of its own, because a device that failed must not be used again.
std::string check_label(const plugin::DevicePlugin& plugin, TestedDevice&) {
  TestedDevice failing(plugin);
  const auto it = compile_case(plugin, failing, classifier(8), {.batch = 1});
  it->labels = {8};
  try {
    it->forward();
  } catch (const Error& error) {
    if (error.code() == ExitCode::kTimeout) throw;
    return {};
  }
  return "label 8 of 8 classes was accepted; classes count from 0";
}

std::string check_unknown_flag(const plugin::DevicePlugin& plugin, TestedDevice& device) {
  constexpr std::uint32_t kUnknown = 1u << 30;
  try {
    compile_case(plugin, device, classifier(8), {.flags = kUnknown});
  } catch (const Unsupported&) {
    return {};
  }
  return fmt::format("compile() ignores flag {:#x}, which does not exist", kUnknown);
}

}  // namespace

void add_program_cases(std::vector<ConformanceCase>& cases) {
  cases.push_back({"programs", "dropout", check_dropout});
  cases.push_back({"programs", "top-1 and top-5 hits", check_hits});
  cases.push_back({"programs", "loss scale", check_loss_scale});
  cases.push_back({"programs", "a label beyond the classes fails", check_label});
  cases.push_back({"programs", "an unknown compile flag is refused", check_unknown_flag});
  cases.push_back({"programs", "images without a label do not count", check_images_without_label});
}

}  // namespace convoy::conformance

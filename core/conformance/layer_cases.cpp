// Layers, forward and backward, inside small networks, against a reference in float64.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/base/error.hpp"
#include "core/conformance/comparison.hpp"
#include "core/conformance/conformance.hpp"
#include "core/conformance/layer_builder.hpp"
#include "core/conformance/layer_networks.hpp"
#include "core/conformance/reference_network.hpp"
#include "core/conformance/training_case.hpp"

namespace convoy::conformance {
namespace {

// Elements of a variable whose gradient is looked at; each costs two evaluations of the reference.
constexpr std::size_t kLookedAt = 10;

// Throws Unsupported with the device's reason when it does not compile it.
std::unique_ptr<TrainingCase> compile(const DevicePlugin& plugin, TestedDevice& device,
                                      const Graph& graph, const TrainingOptions& options) {
  try {
    return std::make_unique<TrainingCase>(device, graph, options);
  } catch (const Error& error) {
    throw Unsupported(without_label(plugin, error.what()));
  }
}

std::string shape_text(const TrainingCase& it) {
  const TensorShape shape = it.graph().nodes().front().output;
  return fmt::format("{} images of {}x{}x{}", it.batch(), shape.channels, shape.height,
                     shape.width);
}

// The layer that owns a variable, by name and kind of computation: what its gradient is about.
std::string gradient_name(const Graph& graph, std::size_t variable) {
  return "the gradient of " + graph.variables()[variable].name;
}

// The right gradients of some elements of every variable, spread over all dimensions by an odd
// stride: element to derivative.
using Derivatives = std::vector<std::map<std::size_t, double>>;

Derivatives right_derivatives(const Graph& graph, ReferenceNetwork& reference) {
  Derivatives all;
  for (std::size_t v = 0; v < graph.variables().size(); ++v) {
    const std::uint64_t elements = graph.variables()[v].elements;
    const std::size_t stride = elements / kLookedAt / 2 * 2 + 1;
    auto& some = all.emplace_back();
    for (std::size_t i = 0; i < elements; i += stride) some[i] = reference.derivative(v, i);
  }
  return all;
}

void compare_gradients(Comparison& comparison, const TrainingCase& training,
                       const Derivatives& right) {
  for (std::size_t v = 0; v < right.size(); ++v) {
    const std::vector<float> measured = training.gradient(v);
    double largest = 0;
    for (const auto& [element, derivative] : right[v])
      largest = std::max(largest, std::fabs(derivative));
    const std::vector<std::uint64_t>& dimensions = training.graph().variables()[v].dimensions;
    for (const auto& [element, derivative] : right[v])
      comparison.element(double(measured[element]), derivative, 2e-4 * largest + 4e-6, [&] {
        return element_name(gradient_name(training.graph(), v), dimensions, element);
      });
  }
}

// Batch norm's moving statistics after one step from 0.5.
void compare_statistics(Comparison& comparison, const TrainingCase& training,
                        const ReferenceNetwork& reference) {
  for (std::size_t n = 0; n < training.graph().nodes().size(); ++n) {
    const GraphNode& node = training.graph().nodes()[n];
    if (node.layer.kind != CONVOY_LAYER_BATCH_NORM) continue;
    const auto& [means, variances] = reference.statistics(n);
    const double keep = node.layer.decay;
    for (std::size_t i = 0; i < means.size(); ++i) {
      const float* moving = training.state.data() + node.state_first + i;
      const auto moved = [&](double value) { return 0.5 * keep + (1 - keep) * value; };
      comparison.element(double(moving[0]), moved(means[i]), 1e-5,
                         [&] { return fmt::format("{}: moving mean {}", node.name, i); });
      comparison.element(double(moving[means.size()]), moved(variances[i]), 1e-5,
                         [&] { return fmt::format("{}: moving variance {}", node.name, i); });
    }
  }
}

std::string check_padding(const TrainingCase& training) {
  const float padding = training.gradient_padding();
  if (padding == 0) return {};
  return fmt::format("the padding of the gradients is {} somewhere; it must be zero and stay zero",
                     padding);
}

// The same values once more, when the device promises the same bits.
std::string check_repetition(const TestedDevice& device, TrainingCase& training) {
  if (!device.has(CONVOY_DEVICE_DETERMINISTIC)) return {};
  std::vector<std::vector<float>> before;
  for (std::size_t v = 0; v < training.parameters.size(); ++v)
    before.push_back(training.gradient(v));
  training.forward();
  training.backward();
  for (std::size_t v = 0; v < before.size(); ++v)
    if (training.gradient(v) != before[v])
      return fmt::format(
          "{} has other bits in a second pass over the same values, and the flags say "
          "CONVOY_DEVICE_DETERMINISTIC",
          gradient_name(training.graph(), v));
  return {};
}

std::string check_pass(TestedDevice& device, TrainingCase& training, ReferenceNetwork& reference,
                       const Derivatives& right, double loss) {
  training.forward();
  training.backward();
  Comparison comparison;
  comparison.element(training.loss, loss, 2e-5 * std::max(1.0, loss), [] { return "the loss"; });
  compare_gradients(comparison, training, right);
  compare_statistics(comparison, training, reference);
  if (!comparison.right()) return comparison.text();
  std::string wrong = check_padding(training);
  return wrong.empty() ? check_repetition(device, training) : wrong;
}

// In the layout that the device proposes, and in the plain one where it takes that, too.
std::string check_training(const DevicePlugin& plugin, TestedDevice& device, const Graph& graph) {
  const auto proposed = compile(plugin, device, graph, {});
  ReferenceNetwork reference(graph, proposed->batch(), proposed->parameters, proposed->images,
                             proposed->labels);
  const Derivatives right = right_derivatives(graph, reference);
  const double loss = reference.loss();
  const std::string wrong = check_pass(device, *proposed, reference, right, loss);
  if (!wrong.empty())
    return fmt::format("{}, parameters as the device proposes: {}", shape_text(*proposed), wrong);
  try {
    const auto plain = compile(plugin, device, graph, {.layouts = Layouts::kPlain});
    const std::string also = check_pass(device, *plain, reference, right, loss);
    return also.empty()
               ? also
               : fmt::format("{}, parameters in plain order: {}", shape_text(*plain), also);
  } catch (const Unsupported&) {
    return {};  // it may insist on its own layout
  }
}

std::string check_inference(const DevicePlugin& plugin, TestedDevice& device, const Graph& graph) {
  const auto inference =
      compile(plugin, device, graph, {.batch = 3, .flags = CONVOY_COMPILE_INFERENCE});
  std::vector<float> state = noise(inference->state.size(), 5);
  for (float& value : state) value = 0.6f + 0.3f * value;  // variances are positive
  inference->state = state;
  ReferenceNetwork reference(graph, inference->batch(), inference->parameters, inference->images,
                             inference->labels);
  reference.use_statistics(state);
  inference->forward();
  Comparison comparison;
  const double expected = reference.loss();
  comparison.element(inference->loss, expected, 2e-5 * std::max(1.0, expected),
                     [] { return "the loss"; });
  if (!comparison.right()) return fmt::format("{}: {}", shape_text(*inference), comparison.text());
  return inference->state == state ? "" : "inference changed the moving statistics";
}

double norm_of(const std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += double(value) * double(value);
  return std::sqrt(squares);
}

// Rounding turns decisions of relus and pools over, each worth several percent of a norm in
// networks this small; unrelated gradients would differ by more than 1.
std::string check_half(const DevicePlugin& plugin, TestedDevice& device, const Graph& graph) {
  const std::uint32_t half = device.description().half_dtype;
  if (half == CONVOY_F32 || half == CONVOY_NONE)
    throw Unsupported("describe() names no 16-bit type");
  const auto exact = compile(plugin, device, graph, {});
  const auto rounded = compile(plugin, device, graph, {.dtype = half});
  for (TrainingCase* each : {exact.get(), rounded.get()}) {
    each->forward();
    each->backward();
  }
  Comparison comparison;
  comparison.element(rounded->loss, exact->loss, 0.03 * std::max(1.0, exact->loss),
                     [] { return "the loss in 16 bits"; });
  double kernel = 0;  // a bias in front of a batch norm has a gradient of nothing but noise
  for (std::size_t v = 0; v < graph.variables().size(); ++v) {
    const std::vector<float> right = exact->gradient(v);
    std::vector<float> difference = rounded->gradient(v);
    for (std::size_t i = 0; i < right.size(); ++i) difference[i] -= right[i];
    if (graph.variables()[v].fan_in > 0) kernel = norm_of(right);
    comparison.element(norm_of(difference), 0, 0.35 * std::max(norm_of(right), kernel),
                       [&] { return "the length of the error of " + gradient_name(graph, v); });
  }
  return comparison.text();
}

// images -> units that are all one -> dropout -> mean. The gradient of a unit's bias is its factor,
// 0 or 1/keep, over the number of units.
constexpr std::uint32_t kUnits = 2000;
constexpr float kKeep = 0.25f;

std::vector<float> dropout_factors(const DevicePlugin& plugin, TestedDevice& device,
                                   const TrainingOptions& options, std::uint64_t step,
                                   double* loss = nullptr) {
  GraphAssembler assembler("dropout", 2, 4);
  LayerCase dropout(CONVOY_LAYER_DROPOUT, {fully_connected(0, kUnits).add_to(assembler)});
  dropout.layer.keep = double(kKeep);
  LayerCase(CONVOY_LAYER_MEAN_LOSS, {dropout.add_to(assembler)}).add_to(assembler);
  const auto training = compile(plugin, device, assembler.finish(), options);
  std::ranges::fill(training->parameters[0], 0.0f);
  std::ranges::fill(training->parameters[1], 1.0f);
  training->forward(step);
  training->backward(step);
  if (loss != nullptr) *loss = training->loss;
  return training->gradient(1);
}

std::string check_dropout(const DevicePlugin& plugin, TestedDevice& device) {
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

Graph classifier(std::uint32_t classes) {
  GraphAssembler assembler("classifier", 2, classes);
  loss(fully_connected(0, classes).add_to(assembler)).add_to(assembler);
  return assembler.finish();
}

std::string check_hits(const DevicePlugin& plugin, TestedDevice& device) {
  const auto it =
      compile(plugin, device, classifier(8), {.batch = 4, .flags = CONVOY_COMPILE_ACCURACY});
  std::ranges::fill(it->parameters[0], 0.0f);
  it->parameters[1] = {5, 7, 7, 3, 2, 1, 0, -1};  // the biases are the scores
  it->labels = {1, 2, 4, 7};                      // first, first by a tie, fifth, eighth
  it->forward();
  if (it->hits[0] == 2 && it->hits[1] == 3) return {};
  return fmt::format("hits are {} of the best and {} of the best five instead of 2 and 3",
                     it->hits[0], it->hits[1]);
}

// The factor on the gradient of the loss, and not on the loss.
std::string check_loss_scale(const DevicePlugin& plugin, TestedDevice& device) {
  const auto it = compile(plugin, device, classifier(8), {.batch = 3});
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

// On a device of its own, since nothing is asked of a device that failed.
std::string check_label(const DevicePlugin& plugin, TestedDevice&) {
  TestedDevice failing(plugin);
  const auto it = compile(plugin, failing, classifier(8), {.batch = 1});
  it->labels = {8};
  try {
    it->forward();
  } catch (const Error& error) {
    if (error.code() == ExitCode::kTimeout) throw;
    return {};
  }
  return "label 8 of 8 classes was taken without a word; classes count from 0";
}

std::string check_unknown_flag(const DevicePlugin& plugin, TestedDevice& device) {
  constexpr std::uint32_t kUnknown = 1u << 30;
  try {
    compile(plugin, device, classifier(8), {.flags = kUnknown});
  } catch (const Unsupported&) {
    return {};
  }
  return fmt::format("compile() ignores flag {:#x}, which does not exist", kUnknown);
}

using NetworkCheck = std::string (*)(const DevicePlugin&, TestedDevice&, const Graph&);

void add_networks(std::vector<ConformanceCase>& cases, const char* how, NetworkCheck check,
                  const std::vector<LayerNetwork>& networks) {
  for (const LayerNetwork& network : networks)
    cases.push_back({"layers", fmt::format("{}, {}", network.name, how),
                     [network, check](const DevicePlugin& plugin, TestedDevice& device) {
                       return check(plugin, device, network.build());
                     }});
}

}  // namespace

void add_layer_cases(std::vector<ConformanceCase>& cases) {
  add_networks(cases, "forward and backward", check_training, all_layer_networks());
  add_networks(cases, "inference", check_inference, all_layer_networks());
  add_networks(cases, "16 bits", check_half, layer_networks());
  cases.push_back({"layers", "dropout", check_dropout});
  cases.push_back({"layers", "top-1 and top-5 hits", check_hits});
  cases.push_back({"layers", "loss scale", check_loss_scale});
  cases.push_back({"layers", "a label beyond the classes fails", check_label});
  cases.push_back({"layers", "an unknown compile flag is refused", check_unknown_flag});
}

}  // namespace convoy::conformance

// Layers, forward and backward, inside small networks, compared with a reference in float64.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/conformance/comparison.hpp"
#include "core/conformance/compiled_case.hpp"
#include "core/conformance/conformance.hpp"
#include "core/conformance/layer_networks.hpp"
#include "core/conformance/reference_network.hpp"

namespace convoy::conformance {
namespace {

// The number of elements of a variable whose gradient is checked. Each costs two evaluations of the
// reference.
constexpr std::size_t kLookedAt = 10;

std::string shape_text(const TrainingCase& it) {
  const graph::TensorShape shape = it.graph().nodes().front().output;
  return fmt::format("{} images of {}x{}x{}", it.batch(), shape.channels, shape.height,
                     shape.width);
}

// Returns a name for the gradient of a variable.
std::string gradient_name(const graph::Graph& graph, std::size_t variable) {
  return "the gradient of " + graph.variables()[variable].name;
}

// The right gradients of some elements of every variable, by element. An odd stride spreads the
// elements over all dimensions.
using Derivatives = std::vector<std::map<std::size_t, double>>;

Derivatives right_derivatives(const graph::Graph& graph, ReferenceNetwork& reference) {
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
      comparison.element(
          double(measured[element]), derivative, 2e-4 * largest + 4e-6, [&, place = element] {
            return element_name(gradient_name(training.graph(), v), dimensions, place);
          });
  }
}

// Compares batch norm's moving statistics after one step that began with 0.5.
void compare_statistics(Comparison& comparison, const TrainingCase& training,
                        const ReferenceNetwork& reference) {
  for (std::size_t n = 0; n < training.graph().nodes().size(); ++n) {
    const graph::GraphNode& node = training.graph().nodes()[n];
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

// Computes the same values once more and requires the same bits, if the device promises them.
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

// Checks the layout that the device proposes, and also the plain one if the device accepts it.
std::string check_training(const plugin::DevicePlugin& plugin, TestedDevice& device,
                           const graph::Graph& graph) {
  const auto proposed = compile_case(plugin, device, graph, {});
  ReferenceNetwork reference(graph, proposed->batch(), proposed->parameters, proposed->images,
                             proposed->labels);
  const Derivatives right = right_derivatives(graph, reference);
  const double loss = reference.loss();
  const std::string wrong = check_pass(device, *proposed, reference, right, loss);
  if (!wrong.empty())
    return fmt::format("{}, parameters as the device proposes: {}", shape_text(*proposed), wrong);
  try {
    const auto plain = compile_case(plugin, device, graph, {.layouts = Layouts::kPlain});
    const std::string also = check_pass(device, *plain, reference, right, loss);
    return also.empty()
               ? also
               : fmt::format("{}, parameters in plain order: {}", shape_text(*plain), also);
  } catch (const Unsupported&) {
    return {};  // the device may insist on its own layout
  }
}

std::string check_inference(const plugin::DevicePlugin& plugin, TestedDevice& device,
                            const graph::Graph& graph) {
  const auto inference =
      compile_case(plugin, device, graph, {.batch = 3, .flags = CONVOY_COMPILE_INFERENCE});
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

// The tolerance is large, because rounding changes the decisions of relus and pools, each worth
// several percent of a norm in networks this small. Unrelated gradients would differ by more than
// 1.
std::string check_half(const plugin::DevicePlugin& plugin, TestedDevice& device,
                       const graph::Graph& graph) {
  const std::uint32_t half = device.description().half_dtype;
  if (half == CONVOY_F32 || half == CONVOY_NONE)
    throw Unsupported("describe() names no 16-bit type");
  const auto exact = compile_case(plugin, device, graph, {});
  const auto rounded = compile_case(plugin, device, graph, {.dtype = half});
  for (TrainingCase* each : {exact.get(), rounded.get()}) {
    each->forward();
    each->backward();
  }
  Comparison comparison;
  comparison.element(rounded->loss, exact->loss, 0.03 * std::max(1.0, exact->loss),
                     [] { return "the loss in 16 bits"; });
  // The gradient of a bias before a batch norm is only noise, so this is its scale.
  double kernel = 0;
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

using NetworkCheck = std::string (*)(const plugin::DevicePlugin&, TestedDevice&,
                                     const graph::Graph&);

void add_networks(std::vector<ConformanceCase>& cases, const char* how, NetworkCheck check,
                  const std::vector<LayerNetwork>& networks) {
  for (const LayerNetwork& network : networks)
    cases.push_back({"layers", fmt::format("{}, {}", network.name, how),
                     [network, check](const plugin::DevicePlugin& plugin, TestedDevice& device) {
                       return check(plugin, device, network.build());
                     }});
}

}  // namespace

void add_layer_cases(std::vector<ConformanceCase>& cases) {
  add_networks(cases, "forward and backward", check_training, all_layer_networks());
  add_networks(cases, "inference", check_inference, all_layer_networks());
  add_networks(cases, "16 bits", check_half, layer_networks());
  add_networks(cases, "16 bits", check_half, modern_layer_networks());
}

}  // namespace convoy::conformance

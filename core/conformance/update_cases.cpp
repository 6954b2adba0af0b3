// Optimizers, norms and the loss scale, compared with the interpreter's formulas.
#include <convoy/sized.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/conformance/comparison.hpp"
#include "core/conformance/conformance.hpp"
#include "core/plan/reference/guard.hpp"
#include "core/plan/reference/update.hpp"

namespace convoy::conformance {
namespace {

constexpr std::size_t kParameters = 70001;
constexpr double kTolerance = 2e-6;
constexpr double kRate = 0.05;
constexpr std::uint64_t kContributions = 3;
constexpr float kLossScale = 64;

struct Rule {
  const char* name;
  std::uint32_t kind;
  std::uint32_t slots;
};

constexpr Rule kRules[] = {{"sgd", CONVOY_OPTIMIZER_SGD, 0},
                           {"momentum", CONVOY_OPTIMIZER_MOMENTUM, 1},
                           {"rmsprop", CONVOY_OPTIMIZER_RMSPROP, 2},
                           {"adam", CONVOY_OPTIMIZER_ADAM, 2}};

convoy_optimizer optimizer_of(const Rule& rule, double clip) {
  auto optimizer = make_sized<convoy_optimizer>();
  optimizer.kind = rule.kind;
  optimizer.state_slots = rule.slots;
  optimizer.momentum = 0.9;
  optimizer.decay = 0.9;
  optimizer.beta1 = 0.9;
  optimizer.beta2 = 0.999;
  // It is large, because with a tiny one Adam turns the rounding of a vanishing gradient into a
  // whole step.
  optimizer.epsilon = rule.kind == CONVOY_OPTIMIZER_ADAM ? 0.01 : 1.0;
  optimizer.weight_decay = 0.1;
  optimizer.clip = clip;
  optimizer.gradient_scale = 0.5;
  return optimizer;
}

// The guards of an update.
struct Guards {
  std::uint32_t flags = 0;
  double clip = 0;
  float norm = 0;
  double limit = 0;
};

// One set of parameters with its optimizer state. Two ranges have weight decay.
class Parameters {
 public:
  Parameters(const Rule& rule, double clip, std::uint32_t seed)
      : optimizer(optimizer_of(rule, clip)), values(noise(kParameters, seed)) {
    for (std::uint32_t slot = 0; slot < 2; ++slot)
      state[slot].assign(kParameters, plan::initial_state(rule.kind, slot));
    update.struct_size = sizeof update;
    update.optimizer = &optimizer;
    update.contributions = kContributions;
    for (std::uint32_t slot = 0; slot < rule.slots; ++slot) update.state[slot] = state[slot].data();
    update.decayed = kDecayed;
    update.decayed_count = std::size(kDecayed);
    update.square_sum = &square_sum;
  }
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  static bool is_decayed(std::uint64_t i) {
    return std::ranges::any_of(kDecayed, [i](const convoy_decay_range& range) {
      return i >= range.first && i - range.first < range.count;
    });
  }

  // Applies the update as the interpreter does.
  void apply(const std::vector<float>& gradient, const Guards& guards, std::uint64_t step) {
    plan::UpdateConstants constants =
        plan::update_constants(optimizer, kContributions, kRate, step);
    const float decay = constants.weight_decay;
    if ((guards.flags & CONVOY_OP_LOSS_SCALED) != 0)
      plan::include_loss_scale(constants, kLossScale);
    if ((guards.flags & CONVOY_OP_NORMED) != 0)
      plan::include_norm(constants, guards.norm, guards.limit);
    const bool updates =
        (guards.flags & CONVOY_OP_SKIP_NON_FINITE) == 0 || std::isfinite(guards.norm);
    square_sum = 0;
    for (std::uint64_t i = 0; i < kParameters; ++i) {
      constants.weight_decay = is_decayed(i) ? decay : 0.0f;
      if (is_decayed(i)) square_sum += double(values[i]) * double(values[i]);
      if (updates)
        plan::update_element(constants, gradient[i], values[i], state[0][i], state[1][i]);
    }
  }

  static constexpr convoy_decay_range kDecayed[] = {{5, 100}, {3000, 63000}};
  convoy_optimizer optimizer;
  std::vector<float> values;
  std::vector<float> state[2];
  double square_sum = -1;
  convoy_update update{};
};

void compare(Comparison& comparison, const Parameters& measured, const Parameters& right,
             std::uint64_t step) {
  const auto tensor = [&](const std::string& name, const auto& there, const auto& here) {
    comparison.tensor(fmt::format("{} after step {}", name, step), there, here, kTolerance,
                      kTolerance);
  };
  tensor("the parameter", measured.values, right.values);
  for (std::uint32_t slot = 0; slot < right.optimizer.state_slots; ++slot)
    tensor(fmt::format("the optimizer's state {}", slot), measured.state[slot], right.state[slot]);
  if (measured.square_sum < 0) return;  // the square sum is not wanted
  comparison.element(measured.square_sum, right.square_sum, 1e-6 * right.square_sum,
                     [&] { return fmt::format("square_sum of step {}", step); });
}

// Applies these gradients to these sets of parameters in one APPLY.
void apply_on(TestedDevice& device, std::vector<std::vector<float>>& gradients,
              const std::vector<Parameters*>& sets, Guards guards, std::uint64_t step) {
  std::vector<float> scale = {kLossScale, 0};
  std::vector<float> norm = {guards.norm};
  std::vector<convoy_region> reads;
  reads.reserve(gradients.size());
  for (std::vector<float>& gradient : gradients) reads.push_back(region(gradient));
  if ((guards.flags & CONVOY_OP_LOSS_SCALED) != 0) reads.push_back(region(scale));
  if ((guards.flags & CONVOY_OP_NORMED) != 0) reads.push_back(region(norm));
  std::vector<convoy_region> writes;
  std::vector<convoy_update> values;
  for (Parameters* set : sets) {
    writes.push_back(region(set->values));
    values.push_back(set->update);
    if (set != sets.front()) values.back().square_sum = nullptr;
  }
  std::vector<const convoy_update*> updates;
  updates.reserve(values.size());
  for (const convoy_update& value : values) updates.push_back(&value);
  convoy_submission submission = operation(CONVOY_OP_APPLY, reads, writes);
  submission.flags = guards.flags;
  submission.updates = updates.data();
  submission.update_count = updates.size();
  submission.learning_rate = kRate;
  submission.scalar = guards.limit;
  submission.step = step;
  require_supported(device, submission);
  device.run(submission);
}

std::string check_apply(TestedDevice& device, const Rule& rule, const Guards& guards) {
  Parameters measured(rule, guards.clip, 1);
  Parameters right(rule, guards.clip, 1);
  Comparison comparison;
  for (std::uint32_t step = 0; step < 3; ++step) {
    std::vector<std::vector<float>> gradients = {noise(kParameters, 20 + step)};
    if ((guards.flags & CONVOY_OP_LOSS_SCALED) != 0)
      for (float& value : gradients[0]) value *= kLossScale;
    right.apply(gradients[0], guards, step);
    apply_on(device, gradients, {&measured}, guards, step);
    compare(comparison, measured, right, step);
  }
  return comparison.text();
}

// Applies three gradients to two sets of parameters in one operation.
std::string check_joined(TestedDevice& device, const Rule& rule) {
  if (!device.has(CONVOY_DEVICE_JOINS_UPDATES))
    throw Unsupported("its flags are without CONVOY_DEVICE_JOINS_UPDATES: it gets a sum before");
  Parameters first(rule, 0, 1), second(rule, 0, 2), right_first(rule, 0, 1),
      right_second(rule, 0, 2);
  Comparison comparison;
  for (std::uint32_t step = 0; step < 2; ++step) {
    std::vector<std::vector<float>> gradients;
    std::vector<float> total(kParameters);
    for (std::uint32_t g = 0; g < 3; ++g) {
      gradients.push_back(noise(kParameters, 30 + 3 * step + g));
      for (std::size_t i = 0; i < total.size(); ++i) total[i] += gradients[g][i];
    }
    apply_on(device, gradients, {&second, &first}, {}, step);
    right_first.apply(total, {}, step);
    right_second.apply(total, {}, step);
    compare(comparison, first, right_first, step);
    compare(comparison, second, right_second, step);
  }
  return comparison.text();
}

std::string check_norm(TestedDevice& device, bool whole, bool overflows) {
  Parameters it(kRules[1], 0, 2);
  std::vector<float> gradient = noise(kParameters, 1);
  if (overflows) gradient[kParameters / 2] = std::numeric_limits<float>::infinity();
  std::vector<float> scale = {kLossScale, 0};
  std::vector<float> norm = {-1};
  std::vector<convoy_region> reads = {region(gradient)};
  if (whole) reads.push_back(region(it.values));
  reads.push_back(region(scale));
  const convoy_region write = region(norm);
  double result = -1;
  convoy_submission submission = operation(CONVOY_OP_NORM, reads, {&write, 1});
  submission.flags = CONVOY_OP_LOSS_SCALED;
  const convoy_update* const update = &it.update;
  submission.updates = &update;
  submission.update_count = 1;
  submission.result = &result;
  require_supported(device, submission);
  device.run(submission);
  if (overflows)
    return std::isfinite(norm[0])
               ? fmt::format("the norm of a gradient with an infinite element is {}", norm[0])
               : std::string();
  plan::UpdateConstants constants = plan::update_constants(it.optimizer, kContributions, 0, 0);
  plan::include_loss_scale(constants, kLossScale);
  const double squares = plan::gradient_square_sum(
      constants, gradient, whole ? it.values : std::vector<float>(),
      [&](std::uint64_t i) { return whole && Parameters::is_decayed(i); });
  Comparison comparison;
  comparison.element(result, squares, 1e-6 * squares, [] { return "the sum of squares"; });
  const double length = std::sqrt(squares);
  comparison.element(double(norm[0]), length, 1e-6 * length, [] { return "the norm"; });
  return comparison.text();
}

struct Adaptation {
  std::vector<float> state;  // scale and number of clean steps
  std::vector<float> norms;
};

std::string check_adaptation(const plugin::DevicePlugin&, TestedDevice& device) {
  constexpr std::uint64_t kSizes[4] = {10, 0, 0, 0};
  const float infinity = std::numeric_limits<float>::infinity();
  const float largest = std::ldexp(1.0f, 127);
  const float smallest = std::ldexp(1.0f, -126);
  Comparison comparison;
  for (const Adaptation& row : std::vector<Adaptation>{{{4, 0}, {1, 2}},
                                                       {{4, 9}, {1, 2}},
                                                       {{4, 10}, {1, 2}},
                                                       {{4, 10}, {1, infinity}},
                                                       {{4, 3}, {std::nanf(""), 1}},
                                                       {{largest, 10}, {1}},
                                                       {{smallest, 2}, {infinity}}}) {
    std::vector<float> measured = row.state, right = row.state, norms = row.norms;
    const convoy_region read = region(norms), write = region(measured);
    double before = -1;
    convoy_submission submission = operation(CONVOY_OP_ADAPT_LOSS_SCALE, {&read, 1}, {&write, 1});
    submission.sizes = kSizes;
    submission.result = &before;
    require_supported(device, submission);
    device.run(submission);
    plan::adapt_loss_scale(right.data(), norms, kSizes[0]);
    const std::string from =
        fmt::format("from scale {} and {} clean steps", row.state[0], row.state[1]);
    comparison.tensor("loss scale and clean steps, " + from + ",", measured, right, 0, 0);
    comparison.element(before, double(row.state[0]), 0,
                       [&] { return "the scale before, " + from + ","; });
  }
  return comparison.text();
}

void add_optimizer(std::vector<ConformanceCase>& cases, const Rule& rule) {
  constexpr std::uint32_t kGuarded =
      CONVOY_OP_LOSS_SCALED | CONVOY_OP_NORMED | CONVOY_OP_SKIP_NON_FINITE;
  const auto add = [&](const char* how, const Guards& guards) {
    cases.push_back({"updates", fmt::format("apply: {}{}", rule.name, how),
                     [rule, guards](const plugin::DevicePlugin&, TestedDevice& device) {
                       return check_apply(device, rule, guards);
                     }});
  };
  add("", {});
  add(", clipped by value", {.clip = 0.1});
  add(", loss scaled", {.flags = CONVOY_OP_LOSS_SCALED});
  add(", loss scaled and above the limit of its norm", {.flags = kGuarded, .norm = 8, .limit = 2});
  add(", skipped because the norm is infinite",
      {.flags = kGuarded, .norm = std::numeric_limits<float>::infinity(), .limit = 2});
  cases.push_back({"updates", fmt::format("apply: {}, 3 gradients for 2 sets at once", rule.name),
                   [rule](const plugin::DevicePlugin&, TestedDevice& device) {
                     return check_joined(device, rule);
                   }});
}

}  // namespace

void add_update_cases(std::vector<ConformanceCase>& cases) {
  for (const Rule& rule : kRules) add_optimizer(cases, rule);
  const auto norm = [&](const char* name, bool whole, bool overflows) {
    cases.push_back({"updates", name, [=](const plugin::DevicePlugin&, TestedDevice& device) {
                       return check_norm(device, whole, overflows);
                     }});
  };
  norm("norm of a gradient", false, false);
  norm("norm with weight decay", true, false);
  norm("norm with an infinite element", false, true);
  cases.push_back({"updates", "adapt_loss_scale", check_adaptation});
}

}  // namespace convoy::conformance

#include "tests/support/interpreter.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/error.hpp"
#include "core/plan/reference/arithmetic.hpp"
#include "core/plan/reference/guard.hpp"
#include "core/plan/reference/update.hpp"
#include "core/plan/stages.hpp"

namespace convoy::testing {
namespace {

constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint32_t kSlots = 2;  // most slots of optimizer state

std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// Calls visit(segment index) for the segments of a compute operation, in the order it runs them.
template <typename Visit>
void for_each_segment(const plan::Plan& plan, const plan::Operation& operation, Visit visit) {
  const auto& segments = plan.arena->segments;
  const std::uint64_t end = operation.first_layer + operation.layer_count;
  const auto size = static_cast<std::uint32_t>(segments.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t index = operation.kind == plan::OperationKind::kForward ? i : size - 1 - i;
    const std::uint64_t first = segments[index].first_layer;
    if (first >= operation.first_layer && first < end) visit(index);
  }
}

}  // namespace

Interpreter::Interpreter(const plan::Plan& plan, InterpreterOptions options)
    : plan_(plan),
      options_(std::move(options)),
      memory_(plan.buffers.size()),
      state_(kSlots * plan.buffers.size()),
      updates_(plan.buffers.size()),
      decays_(plan.arena->elements),
      replicas_(plan.cluster->replicas()) {
  CONVOY_CHECK_EQ(options_.initial.size(), plan.arena->elements);
  for (const plan::ElementRange& range : options_.decayed)
    std::fill_n(decays_.begin() + static_cast<std::ptrdiff_t>(range.first), range.count, 1);
  for (std::uint32_t i = 0; i < memory_.size(); ++i) {
    const plan::PlanBuffer& buffer = plan.buffers[i];
    memory_[i].assign(buffer.count * plan::dtype_bytes(buffer.dtype), std::byte{0});
    if (buffer.is_of_model())
      std::memcpy(memory_[i].data(), options_.initial.data(), memory_[i].size());
    else if (buffer.kind != CONVOY_BUFFER_PERSISTENT)
      poison(i);
  }
  for (Replica& replica : replicas_) replica.forward_read.assign(plan.arena->elements, kPoison);
}

void Interpreter::poison(std::uint32_t buffer) {
  // All bits set are NaN in every float type.
  std::fill(memory_[buffer].begin(), memory_[buffer].end(), std::byte{0xff});
}

void Interpreter::run(std::uint64_t steps) {
  for (const std::uint64_t end = steps_ + steps; steps_ < end; ++steps_) {
    const std::size_t stage = plan::stage_at(plan_, steps_);
    const std::uint64_t step = steps_ - plan::first_step_of(plan_, stage);
    if (step == 0) begin_stage(stage);
    const std::uint64_t phase = step % plan::computes_of(plan_, stage);
    if (phase == 0) poison_all(CONVOY_BUFFER_SCRATCH);
    for (const plan::Operation& operation : *plan::bodies_of(plan_)[stage])
      if (operation.phase == phase) execute(operation, steps_);
  }
}

void Interpreter::poison_all(std::uint32_t kind) {
  for (std::uint32_t i = 0; i < memory_.size(); ++i)
    if (plan_.buffers[i].kind == kind) poison(i);
}

void Interpreter::begin_stage(std::size_t stage) {
  if (stage > 0) {
    poison_all(CONVOY_BUFFER_SCRATCH);
    poison_all(CONVOY_BUFFER_GRADIENT);
  }
  in_prologue_ = true;
  for (const plan::Operation& operation :
       stage == 0 ? plan_.prologue : plan_.later[stage - 1].prologue)
    execute(operation, 0);
  in_prologue_ = false;
}

std::byte* Interpreter::at(const plan::PlanSpan& span) {
  return memory_.at(span.buffer).data() + span.first * plan::dtype_bytes(span.dtype);
}

float* Interpreter::floats(const plan::PlanSpan& span) {
  CONVOY_CHECK_EQ(span.dtype, std::uint32_t{CONVOY_F32});
  return reinterpret_cast<float*>(at(span));
}

std::span<const float> Interpreter::values(std::uint32_t buffer) const {
  CONVOY_CHECK_EQ(plan_.buffers.at(buffer).dtype, std::uint32_t{CONVOY_F32});
  return {reinterpret_cast<const float*>(memory_[buffer].data()), plan_.buffers[buffer].count};
}

std::vector<float>& Interpreter::state(std::uint32_t buffer, std::uint32_t slot) {
  std::vector<float>& slots = state_[kSlots * buffer + slot];
  if (slots.empty())
    slots.assign(plan_.arena->elements, plan::initial_state(options_.optimizer.kind, slot));
  return slots;
}

std::span<const float> Interpreter::optimizer_state(std::uint32_t buffer,
                                                    std::uint32_t slot) const {
  return state_.at(kSlots * buffer + slot);
}

void Interpreter::execute(const plan::Operation& operation, std::uint64_t step) {
  switch (operation.kind) {
    case plan::OperationKind::kForward:
      return forward(operation);
    case plan::OperationKind::kBackward:
      return backward(operation);
    case plan::OperationKind::kApply:
      return apply(operation, step);
    case plan::OperationKind::kCall:
      return call(operation, step);
    case plan::OperationKind::kNorm:
      return norm(operation);
    case plan::OperationKind::kAdaptLossScale:
      return adapt(operation);
    default:
      plan::run_arithmetic(operation, [this](const plan::PlanSpan& span) { return at(span); });
  }
}

void Interpreter::forward(const plan::Operation& operation) {
  Replica& replica = replicas_[operation.replica];
  if (operation.first_layer == 0) ++replica.computes;
  const std::uint32_t buffer = operation.reads.front().buffer;
  for_each_segment(plan_, operation, [&](std::uint32_t segment) {
    const plan::ElementRange& range = plan_.arena->segments[segment].range;
    std::copy_n(floats({buffer, CONVOY_F32, range.first, range.count}), range.count,
                replica.forward_read.data() + range.first);
  });
}

void Interpreter::backward(const plan::Operation& operation) {
  Replica& replica = replicas_[operation.replica];
  if (replica.computes == 0)
    fail(ExitCode::kFailed, "operation {}: backward of replica {} before its forward", operation.id,
         operation.replica);
  if (operation.first_layer + operation.layer_count == plan_.arena->layers())
    replica.loss_scale = (operation.flags & CONVOY_OP_LOSS_SCALED) != 0
                             ? *floats(plan::loss_scale_span(operation))
                             : 1.0f;
  for_each_segment(plan_, operation, [&](std::uint32_t segment) {
    const plan::ElementRange& range = plan_.arena->segments[segment].range;
    const auto in = [&](const plan::PlanSpan& span) {
      return floats({span.buffer, CONVOY_F32, range.first, range.count});
    };
    const float* read = in(operation.reads.front());
    for (std::uint64_t i = 0; i < range.count; ++i)
      if (bits_of(read[i]) != bits_of(replica.forward_read[range.first + i])) ++changed_;
    options_.gradient({operation.replica,
                       replica.computes - 1,
                       segment,
                       range,
                       replica.forward_read,
                       {read, range.count}},
                      {in(operation.writes.front()), range.count});
    float* gradient = in(operation.writes.front());
    for (std::uint64_t i = 0; i < range.count; ++i) gradient[i] *= replica.loss_scale;
  });
}

void Interpreter::norm(const plan::Operation& operation) {
  plan::UpdateConstants constants =
      plan::update_constants(options_.optimizer, operation.contributions, 0, 0);
  if ((operation.flags & CONVOY_OP_LOSS_SCALED) != 0)
    plan::include_loss_scale(constants, *floats(plan::loss_scale_span(operation)));
  const bool whole = plan::element_reads(operation) > 1;
  const auto in = [&](const plan::PlanSpan& span) {
    return std::span<const float>(floats(span), span.count);
  };
  const std::uint64_t first = whole ? operation.reads[1].first : 0;
  const double sum = plan::gradient_square_sum(
      constants, in(operation.reads[0]), whole ? in(operation.reads[1]) : std::span<const float>(),
      [&](std::uint64_t i) { return whole && decays_[first + i] != 0; });
  *floats(operation.writes.front()) = static_cast<float>(std::sqrt(sum));
}

void Interpreter::adapt(const plan::Operation& operation) {
  const plan::PlanSpan& norms = operation.reads.front();
  plan::adapt_loss_scale(floats(operation.writes.front()), {floats(norms), norms.count},
                         operation.details->sizes[0]);
}

void Interpreter::apply(const plan::Operation& operation, std::uint64_t step) {
  const double rate = options_.learning_rate(step);
  plan::UpdateConstants constants =
      plan::update_constants(options_.optimizer, operation.contributions, rate, 0);
  if ((operation.flags & CONVOY_OP_LOSS_SCALED) != 0)
    plan::include_loss_scale(constants, *floats(plan::loss_scale_span(operation)));
  if ((operation.flags & CONVOY_OP_NORMED) != 0) {
    const float norm = *floats(operation.reads.back());
    if ((operation.flags & CONVOY_OP_SKIP_NON_FINITE) != 0 && !std::isfinite(norm))
      return skip(operation);
    plan::include_norm(constants, norm, operation.scalar);
  }
  std::vector<float> total(operation.writes.front().count);
  std::copy_n(floats(operation.reads.front()), total.size(), total.begin());
  for (std::size_t r = 1; r < plan::element_reads(operation); ++r) {
    const float* gradient = floats(operation.reads[r]);
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += gradient[i];
  }
  for (const plan::PlanSpan& target : operation.writes) update(target, constants, rate, total);
}

// The host does not know in time that a device skips an update, so the update counts.
void Interpreter::skip(const plan::Operation& apply) {
  for (const plan::PlanSpan& target : apply.writes)
    for (std::uint64_t& updates : updates_of(target)) ++updates;
}

std::span<std::uint64_t> Interpreter::updates_of(const plan::PlanSpan& target) {
  std::vector<std::uint64_t>& all = updates_[target.buffer];
  all.resize(plan_.arena->elements);
  return std::span(all).subspan(target.first, target.count);
}

void Interpreter::update(const plan::PlanSpan& target, plan::UpdateConstants constants, double rate,
                         std::span<const float> gradient) {
  const float decay = constants.weight_decay;
  float* parameters = floats(target);
  float* slots[kSlots];
  for (std::uint32_t slot = 0; slot < kSlots; ++slot)
    slots[slot] = state(target.buffer, slot).data() + target.first;
  const std::span<std::uint64_t> updates = updates_of(target);
  for (std::uint64_t i = 0; i < target.count; ++i) {
    if (i == 0 || updates[i - 1] != updates[i] + 1)
      constants.learning_rate = plan::rate_of_update(options_.optimizer, rate, updates[i]);
    ++updates[i];
    constants.weight_decay = decays_[target.first + i] != 0 ? decay : 0.0f;
    plan::update_element(constants, gradient[i], parameters[i], slots[0][i], slots[1][i]);
  }
}

void Interpreter::call(const plan::Operation& operation, std::uint64_t step) {
  const plan::HostKernel kernel =
      options_.kernel ? options_.kernel(operation.details->kernel) : plan::HostKernel();
  if (!kernel)
    fail(ExitCode::kFailed, "operation {}: no host form of kernel {}", operation.id,
         operation.details->kernel);
  const auto regions = [&](std::span<const plan::PlanSpan> spans) {
    std::vector<convoy_region> result;
    for (const plan::PlanSpan& span : spans)
      result.push_back({at(span), span.count, span.dtype, plan_.place_of(span)});
    return result;
  };
  const std::vector<convoy_region> reads = regions(operation.reads);
  const std::vector<convoy_region> writes = regions(operation.writes);
  const bool has_rate = !in_prologue_ && options_.learning_rate;
  const double rate = has_rate ? options_.learning_rate(step) : 0;
  const std::int32_t status = kernel.call(operation, reads, writes, step, rate);
  if (status != 0)
    fail(ExitCode::kFailed, "operation {}: kernel {} returned {}", operation.id,
         operation.details->kernel, status);
}

}  // namespace convoy::testing

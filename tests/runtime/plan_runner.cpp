#include "tests/runtime/plan_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/plan/schedule/local_schedule.hpp"
#include "core/runtime/network/network_engine.hpp"
#include "core/train/optimizer.hpp"

namespace convoy::testing {
namespace {

constexpr std::byte kPoisonByte{0xff};  // not-a-number in every float type

bool same_float(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// Compares a range element by element; `excused` elements of the expected side are left out.
std::string compare(std::span<const std::byte> actual, std::span<const std::byte> expected,
                    const plan::ElementRange& range, std::uint32_t dtype, bool excuse_poison) {
  const std::size_t size = plan::dtype_bytes(dtype);
  for (std::size_t at = range.first * size; at < (range.first + range.count) * size; at += size) {
    const std::byte* want = expected.data() + at;
    const std::byte* have = actual.data() + at;
    if (std::memcmp(want, have, size) == 0) continue;
    const std::byte poison[4] = {kPoisonByte, kPoisonByte, kPoisonByte, kPoisonByte};
    if (excuse_poison && std::memcmp(want, poison, size) == 0) continue;
    if (dtype != CONVOY_F32) return fmt::format("element {} of 16-bit floats", at / size);
    float a = 0;
    float b = 0;
    std::memcpy(&a, have, size);
    std::memcpy(&b, want, size);
    if (!same_float(a, b)) return fmt::format("element {}: {}, not {}", at / size, a, b);
  }
  return {};
}

plan::Schedule schedule_of(const plan::Plan& lowered, const PlanRunnerOptions& runner) {
  plan::Schedule whole = plan::make_schedule(lowered);
  if (runner.network == nullptr) return whole;
  return plan::local_schedule(lowered, plan::find_dependencies(lowered), whole, runner.host);
}

}  // namespace

PlanRunner::PlanRunner(const plan::Plan& plan, const plugin::DevicePlugin& plugin,
                       InterpreterOptions options, const PlanRunnerOptions& runner)
    : plan_(plan),
      runner_(runner),
      options_(std::move(options)),
      lowered_(plan::lower(plan, runner.lowering)),
      schedule_(schedule_of(lowered_, runner)) {
  options_.optimizer.state_slots =
      train::state_slots(static_cast<convoy_optimizer_kind>(options_.optimizer.kind));
  open(plugin);
  memory_ = std::make_unique<runtime::PlanMemory>(lowered_, engines_, options_.optimizer, 0);
  memory_->write_parameters(options_.initial);
  for (std::uint32_t i = 0; i < lowered_.buffers.size(); ++i) {
    const std::uint32_t kind = lowered_.buffers[i].kind;
    if (kind == CONVOY_BUFFER_GRADIENT || kind == CONVOY_BUFFER_SCRATCH) poison(i);
  }
  executor_ = std::make_unique<runtime::Executor>(parts(), runner.executor);
  executor_->run_prologue();
}

PlanRunner::~PlanRunner() = default;

// The host's devices, or one where it has none; they serve its host places.
void PlanRunner::open(const plugin::DevicePlugin& plugin) {
  const std::vector<plan::Place>& places = plan_.cluster->places;
  const auto is_ours = [&](const plan::Place& place, std::uint32_t kind) {
    return place.host == runner_.host && place.kind == kind;
  };
  const auto devices = static_cast<std::uint32_t>(std::ranges::count_if(
      places, [&](const plan::Place& place) { return is_ours(place, CONVOY_PLACE_DEVICE); }));
  const convoy_device_request request{sizeof(request), std::max(devices, 1u), 1};
  for (std::uint32_t i = 0; i < request.devices; ++i)
    devices_.push_back(std::make_unique<plugin::OpenDevice>(plugin, request, i));
  engines_.assign(places.size(), nullptr);
  std::size_t next = 0;
  for (std::size_t p = 0; p < places.size(); ++p) {
    if (is_ours(places[p], CONVOY_PLACE_DEVICE)) engines_[p] = devices_[next++].get();
    if (is_ours(places[p], CONVOY_PLACE_HOST)) engines_[p] = devices_.front().get();
  }
}

void PlanRunner::poison(std::uint32_t buffer) {
  const plan::PlanBuffer& it = lowered_.buffers[buffer];
  const std::vector<std::byte> bytes(it.count * plan::dtype_bytes(it.dtype), kPoisonByte);
  memory_->write_bytes(buffer, bytes);
}

runtime::ExecutorParts PlanRunner::parts() {
  runtime::ExecutorParts parts;
  parts.host = runner_.host;
  parts.network = runner_.network;
  parts.plan = &lowered_;
  parts.schedule = &schedule_;
  parts.engines = &engines_;
  parts.memory = memory_.get();
  parts.optimizer = &options_.optimizer;
  for (const plan::ElementRange& range : options_.decayed)
    parts.decayed.push_back({range.first, range.count});
  parts.kernel = options_.kernel;
  parts.author = runner_.author;
  std::vector<plan::ElementRange> segments;
  for (const plan::Segment& segment : plan_.arena->segments) segments.push_back(segment.range);
  for (std::uint32_t r = 0; runner_.toy_programs && r < plan_.cluster->replicas(); ++r) {
    convoy_compilation what{};
    what.replica = r;
    programs_.push_back(
        std::make_unique<FakeProgram>(segments, plan_.arena->elements, what, options_.gradient));
    parts.programs.push_back(programs_.back().get());
  }
  return parts;
}

void PlanRunner::submit() {
  runtime::StepInput input;
  input.learning_rate = options_.learning_rate(static_cast<std::uint64_t>(submitted_));
  input.batches.resize(plan_.cluster->replicas());
  executor_->submit_step(input);
  ++submitted_;
}

std::vector<runtime::StepResult> PlanRunner::run(std::int64_t steps) {
  std::vector<runtime::StepResult> results;
  const std::int64_t end = finished_ + steps;
  while (finished_ < end) {
    while (submitted_ < end && submitted_ - finished_ < executor_->steps_in_flight()) submit();
    results.push_back(executor_->finish_step());
    ++finished_;
  }
  return results;
}

// Only elements that some operation names have memory.
std::string PlanRunner::difference(const Interpreter& expected) const {
  const std::vector<runtime::StoredElements> updated = runtime::updated_elements(plan_);
  for (std::uint32_t i = 0; i < plan_.buffers.size(); ++i) {
    const plan::PlanBuffer& buffer = plan_.buffers[i];
    const bool scratch = buffer.kind == CONVOY_BUFFER_SCRATCH;
    const std::vector<std::byte> contents = memory_->read_bytes(i, {0, buffer.count});
    for (const auto& part : memory_->stored(i).parts()) {
      const std::string text =
          compare(contents, expected.bytes(i), part.range, buffer.dtype, scratch);
      if (!text.empty()) return fmt::format("{} {}", plan_.buffer_name(i), text);
    }
    if (updated[i].empty() || memory_->stored(i).empty()) continue;
    for (std::uint32_t slot = 0; slot < options_.optimizer.state_slots; ++slot) {
      const auto state = expected.optimizer_state(i, slot);
      const std::vector<float> actual = memory_->read_state(i, slot, {0, buffer.count});
      for (const auto& part : updated[i].parts()) {
        const std::string bad = compare(std::as_bytes(std::span(actual)), std::as_bytes(state),
                                        part.range, CONVOY_F32, false);
        if (!bad.empty()) return fmt::format("state {} of {} {}", slot, plan_.buffer_name(i), bad);
      }
    }
  }
  return {};
}

}  // namespace convoy::testing

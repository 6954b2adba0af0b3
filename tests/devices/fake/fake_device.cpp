#include "tests/devices/fake/fake_device.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <thread>

#include "core/plan/operation.hpp"
#include "tests/devices/fake/fake_operations.hpp"
#include "tests/devices/fake/fake_program.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint32_t kLanes = 5;
constexpr std::size_t kAlignment = 64;

using Clock = std::chrono::steady_clock;

// Arena ranges of the graph's segments: their variables with the gaps behind them.
std::vector<plan::ElementRange> segment_ranges(const convoy_graph& graph) {
  std::vector<plan::ElementRange> ranges(graph.segment_count);
  std::uint64_t end = graph.arena_elements;
  for (std::size_t s = 0; s < ranges.size(); ++s) {
    std::uint64_t first = end;
    for (std::uint64_t n = 0; n < graph.node_count; ++n)
      for (const std::uint32_t variable : graph.nodes[n]->variables)
        if (graph.nodes[n]->segment == s && variable != CONVOY_NONE)
          first = std::min(first, graph.variables[variable]->arena_first);
    ranges[s] = {first, end - first};
    end = first;
  }
  return ranges;
}

FakeOptions read_options(const DeviceHost& host) {
  const auto number = [&](const char* name) { return std::stoi(host.option(name)); };
  const auto natural = [&](const char* name) { return static_cast<std::uint32_t>(number(name)); };
  return {.seed = natural("seed"),
          .delay_microseconds = natural("delay_microseconds"),
          .shared_memory = number("shared_memory") != 0,
          .joins_updates = number("joins_updates") != 0,
          .fail_device = number("fail_device"),
          .fail_operation = natural("fail_operation"),
          .hang_device = number("hang_device"),
          .hang_operation = natural("hang_operation"),
          .hang_milliseconds = natural("hang_milliseconds")};
}

}  // namespace

std::uint32_t FakeDevice::count(const DeviceHost&, const convoy_device_request& request) {
  return request.devices == 0 ? 2 : request.devices;
}

std::unique_ptr<Device> FakeDevice::open(const DeviceHost& host,
                                         const convoy_device_request& request,
                                         std::uint32_t index) {
  return std::make_unique<FakeDevice>(index, count(host, request), read_options(host));
}

FakeDevice::FakeDevice(std::uint32_t index, std::uint32_t devices, const FakeOptions& options)
    : index_(index), devices_(devices), options_(options) {
  for (std::uint32_t lane = 0; lane < kLanes; ++lane)
    lanes_.push_back(std::make_unique<FakeLane>(
        [this](const convoy_submission& submission) { execute(submission); },
        options.seed * 1000 + index * kLanes + lane, options.delay_microseconds * 1e-6));
}

void FakeDevice::describe(convoy_device_description& out) {
  out.flags = options_.shared_memory ? std::uint32_t{CONVOY_DEVICE_SHARES_HOST_MEMORY} : 0u;
  if (options_.joins_updates) out.flags |= CONVOY_DEVICE_JOINS_UPDATES;
  out.numa_node = CONVOY_NONE;
  out.lanes = kLanes;
  set_text(out.name, fmt::format("fake:{}", index_));
  set_text(out.model, "threads that take their time");
}

void FakeDevice::propose_layout(const convoy_compilation& what, convoy_layout* out) {
  for (std::uint64_t i = 0; i < what.graph->variable_count; ++i)
    out[i] = what.graph->variables[i]->layout;
}

void* FakeDevice::compile(const convoy_compilation& what) {
  if ((what.flags & CONVOY_COMPILE_PROFILE) != 0)
    throw std::runtime_error("a fake device keeps no times of layers");
  return new FakeProgram(segment_ranges(*what.graph), what.graph->arena_elements, what,
                         fake_gradient);
}

void FakeDevice::release(void* program) {
  delete static_cast<FakeProgram*>(program);
}

void* FakeDevice::allocate(std::uint64_t bytes) {
  const std::size_t size = (bytes / kAlignment + 1) * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, size);
  std::memset(memory, 0, size);
  return memory;
}

void FakeDevice::deallocate(void* memory) {
  std::free(memory);
}

void FakeDevice::write(void* to, const void* from_host, std::uint64_t bytes) {
  std::memcpy(to, from_host, bytes);
}

void FakeDevice::read(void* to_host, const void* from, std::uint64_t bytes) {
  std::memcpy(to_host, from, bytes);
}

void FakeDevice::supports(const convoy_operation& operation) {
  if (operation.kind == CONVOY_OP_MATMUL) throw std::runtime_error("a fake device has no matmul");
}

void FakeDevice::submit(const convoy_submission& submission) {
  if (submission.lane >= kLanes) throw std::invalid_argument("there are five lanes");
  const std::uint32_t number = submitted_++;
  const int index = static_cast<int>(index_);
  if (index == options_.fail_device && number == options_.fail_operation) failing_ = &submission;
  if (index == options_.hang_device && number == options_.hang_operation) hanging_ = &submission;
  lanes_[submission.lane]->submit(submission);
}

bool FakeDevice::wait(const convoy_wait& point, double seconds) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  while (!failed_ && !reached(point) && Clock::now() < deadline) wait_briefly(point);
  if (failed_) {
    const std::lock_guard lock(mutex_);
    throw std::runtime_error(failure_);
  }
  return reached(point);
}

double FakeDevice::now() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

void FakeDevice::execute(const convoy_submission& submission) {
  const double start = now();
  const convoy_submission* self = &submission;
  if (hanging_.compare_exchange_strong(self, nullptr))
    std::this_thread::sleep_for(std::chrono::milliseconds(options_.hang_milliseconds));
  try {
    if (!failed_) run(submission);
  } catch (const std::exception& error) {
    record_failure(submission, error.what());
  }
  if (submission.timing != nullptr) *submission.timing = {start, now()};
}

void FakeDevice::run(const convoy_submission& submission) {
  const convoy_submission* self = &submission;
  if (failing_.compare_exchange_strong(self, nullptr)) throw std::runtime_error("injected failure");
  check_places(submission);
  if (submission.kind == CONVOY_OP_FORWARD)
    static_cast<FakeProgram*>(submission.compute->program)->forward(*submission.compute);
  else if (submission.kind == CONVOY_OP_BACKWARD)
    static_cast<FakeProgram*>(submission.compute->program)->backward(*submission.compute);
  else
    run_fake_operation(submission);
}

void FakeDevice::check_places(const convoy_submission& submission) const {
  const auto check = [&](const convoy_region& region) {
    if (options_.shared_memory || region.place == index_ || region.place == devices_) return;
    throw std::runtime_error(fmt::format("fake:{} cannot address place {}", index_, region.place));
  };
  std::for_each(submission.reads, submission.reads + submission.read_count, check);
  std::for_each(submission.writes, submission.writes + submission.write_count, check);
}

void FakeDevice::record_failure(const convoy_submission& submission, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (failed_) return;
  failure_ = fmt::format("{} on fake:{}: {}",
                         plan::operation_name(static_cast<plan::OperationKind>(submission.kind)),
                         index_, reason);
  failed_ = true;
}

void fake_gradient(const GradientRequest& request, std::span<float> gradient) {
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const auto element = static_cast<double>(request.range.first + i + request.replica);
    gradient[i] = request.backward_read[i] - static_cast<float>(std::sin(element));
  }
}

std::unique_ptr<plugin::DevicePlugin> fake_plugin(const FakeOptions& options) {
  const std::map<std::string, std::int64_t> values = {
      {"seed", static_cast<std::int64_t>(options.seed)},
      {"delay_microseconds", options.delay_microseconds},
      {"shared_memory", options.shared_memory ? 1 : 0},
      {"joins_updates", options.joins_updates ? 1 : 0},
      {"fail_device", options.fail_device},
      {"fail_operation", options.fail_operation},
      {"hang_device", options.hang_device},
      {"hang_operation", options.hang_operation},
      {"hang_milliseconds", options.hang_milliseconds}};
  plugin::Manifest manifest;
  manifest.kind = plugin::PluginKind::kDevice;
  manifest.name = "fake";
  for (const auto& [name, value] : values)
    manifest.options.push_back(
        {.name = name, .type = plugin::OptionType::kInt, .default_value = fmt::to_string(value)});
  return std::make_unique<plugin::DevicePlugin>(
      plugin::LoadedPlugin<convoy_device>{&device_detail::kTable<FakeDevice>, manifest, "built in",
                                          nullptr, options.patience},
      plugin::OptionValues{});
}

}  // namespace convoy::testing

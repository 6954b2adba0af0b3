// The order of operations: lanes, timelines, failures.
#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "core/base/error.hpp"
#include "core/base/process/left_memory.hpp"
#include "core/conformance/comparison.hpp"
#include "core/conformance/conformance.hpp"
#include "core/plugin/timeline_access.hpp"

namespace convoy::conformance {
namespace {

constexpr std::uint64_t kVectorElements = 4096;
constexpr std::uint64_t kSteps = 200;
constexpr std::uint32_t kLanes = 5;

// Computes x <- x / 2 + a_i in memory of the device. Only the right order gives the right result.
class Chain {
 public:
  explicit Chain(TestedDevice& device) : device_(device.open()), x_(allocate()) {
    for (std::uint64_t i = 0; i < kSteps; ++i) {
      a_.push_back(allocate());
      const std::vector<float> values(kVectorElements, addend(i));
      device_.write(a_.back(), values.data(), kVectorElements * sizeof(float));
    }
  }
  ~Chain() {
    device_.deallocate(x_);
    for (void* memory : a_) device_.deallocate(memory);
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  // Prepares operation i, which waits for these points. Its memory stays until the chain is
  // destroyed.
  convoy_submission& link(std::uint64_t i, std::uint32_t lane, std::vector<convoy_wait> waits) {
    Link& it = links_.emplace_back();
    it.waits = std::move(waits);
    it.reads[0] = {x_, kVectorElements, CONVOY_F32, 0};
    it.reads[1] = {a_[i], kVectorElements, CONVOY_F32, 0};
    it.write = it.reads[0];
    it.submission = operation(CONVOY_OP_AXPY, it.reads, {&it.write, 1}, lane);
    it.submission.scalar = 0.5;
    it.submission.waits = it.waits.data();
    it.submission.wait_count = it.waits.size();
    it.submission.timeline = &it.timeline;
    it.submission.value = 1;
    it.submission.operation = static_cast<std::uint32_t>(i);
    return it.submission;
  }
  const std::uint64_t& timeline(std::uint64_t i) const { return links_[i].timeline; }

  std::string wrong() {
    std::vector<float> measured(kVectorElements);
    device_.read(measured.data(), x_, kVectorElements * sizeof(float));
    float x = 0;
    for (std::uint64_t i = 0; i < kSteps; ++i) x = 0.5f * x + addend(i);
    Comparison comparison;
    comparison.tensor(fmt::format("the result of {} operations that build on each other", kSteps),
                      measured, std::vector<float>(kVectorElements, x), 1e-6, 0);
    return comparison.text();
  }

 private:
  struct Link {
    std::vector<convoy_wait> waits;
    convoy_region reads[2];
    convoy_region write;
    std::uint64_t timeline = 0;
    convoy_submission submission;
  };

  static float addend(std::uint64_t i) { return static_cast<float>(i * 7 % 13); }
  void* allocate() { return device_.allocate(kVectorElements * sizeof(float)); }

  plugin::OpenDevice& device_;
  void* x_;
  std::vector<void*> a_;
  std::deque<Link> links_;
};

// Runs the body. If a device hangs in it, leaks everything to which the device may still refer,
// because closing or freeing it would wait for the device.
template <typename Body, typename... Owned>
std::string giving_up(const Body& body, std::unique_ptr<Owned>&... owned) {
  try {
    return body();
  } catch (const Error& error) {
    if (error.code() == ExitCode::kTimeout) (leave_to_the_end(owned), ...);
    throw;
  }
}

std::string with_chain(TestedDevice& device, const std::function<std::string(Chain&)>& body) {
  auto chain = std::make_unique<Chain>(device);
  return giving_up([&] { return body(*chain); }, chain);
}

std::unique_ptr<TestedDevice> another(const plugin::DevicePlugin& plugin,
                                      const TestedDevice& device, std::uint32_t devices = 1,
                                      std::uint32_t index = 0) {
  return std::make_unique<TestedDevice>(plugin, DevicePlace{devices, index, 0, device.patience()});
}

// The first operation waits for the host. The others could run, but must not overtake it.
std::string run_lane(TestedDevice& device, Chain& chain) {
  std::uint64_t gate = 0;
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    convoy_submission& link =
        chain.link(i, CONVOY_LANE_UPDATE,
                   i == 0 ? std::vector<convoy_wait>{{&gate, 1}} : std::vector<convoy_wait>{});
    link.urgency = static_cast<std::uint32_t>(kSteps - i);
    device.submit(link);
  }
  const bool early = device.wait(chain.timeline(kSteps - 1), 1, 0.02);
  plugin::advance(&gate, 1);
  device.require(chain.timeline(kSteps - 1), 1);
  if (early) return "an operation ran before its predecessor in the lane";
  return chain.wrong();
}

std::string check_lane(const plugin::DevicePlugin&, TestedDevice& device) {
  return with_chain(device, [&](Chain& chain) { return run_lane(device, chain); });
}

// Operations are submitted in reverse, so that only their waits order them.
std::string run_lanes(TestedDevice& device, Chain& chain) {
  // Devices with lanes per priority have more lanes.
  constexpr std::uint32_t kMost = kLanes * CONVOY_PRIORITIES;
  const std::uint32_t lanes = device.description().lanes >= kMost ? kMost : kLanes;
  std::uint64_t gate = 0;
  std::vector<convoy_submission*> links;
  for (std::uint64_t i = 0; i < kSteps; ++i)
    links.push_back(
        &chain.link(i, static_cast<std::uint32_t>(i * 3 % lanes),
                    {i == 0 ? convoy_wait{&gate, 1} : convoy_wait{&chain.timeline(i - 1), 1}}));
  for (std::uint32_t lane = lanes; lane-- > 0;)
    for (convoy_submission* link : links)
      if (link->lane == lane) device.submit(*link);
  plugin::advance(&gate, 1);
  device.require(chain.timeline(kSteps - 1), 1);
  return chain.wrong();
}

std::string check_lanes(const plugin::DevicePlugin&, TestedDevice& device) {
  return with_chain(device, [&](Chain& chain) { return run_lanes(device, chain); });
}

// Two devices take turns on memory that both address.
std::string take_turns(TestedDevice& first, TestedDevice& second, Chain& chain) {
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    std::vector<convoy_wait> waits;
    if (i > 0) waits.push_back({&chain.timeline(i - 1), 1});
    (i % 2 == 0 ? first : second).submit(chain.link(i, CONVOY_LANE_COMPUTE, std::move(waits)));
  }
  second.require(chain.timeline(kSteps - 1), 1);
  return chain.wrong();
}

std::string check_devices(const plugin::DevicePlugin& plugin, TestedDevice& device) {
  if (!device.has(CONVOY_DEVICE_SHARES_HOST_MEMORY))
    throw Unsupported(
        "its flags are without CONVOY_DEVICE_SHARES_HOST_MEMORY: what two devices "
        "do to each other's memory depends on the machine");
  auto first = another(plugin, device, 2, 0);
  auto second = another(plugin, device, 2, 1);
  return giving_up(
      [&] {
        return with_chain(*first, [&](Chain& chain) { return take_turns(*first, *second, chain); });
      },
      first, second);
}

std::string run_timed(TestedDevice& device, Chain& chain) {
  convoy_timing timing{-1, -1};
  const double before = device.open().now();
  convoy_submission& link = chain.link(0, CONVOY_LANE_COMPUTE, {});
  link.timing = &timing;
  device.submit(link);
  device.require(chain.timeline(0), 1);
  const double after = device.open().now();
  if (before <= timing.start && timing.start <= timing.end && timing.end <= after) return {};
  return fmt::format(
      "now() was {:.9f} before an operation and {:.9f} after it, which says that it took from "
      "{:.9f} to {:.9f}",
      before, after, timing.start, timing.end);
}

std::string check_times(const plugin::DevicePlugin&, TestedDevice& device) {
  return with_chain(device, [&](Chain& chain) { return run_timed(device, chain); });
}

std::string check_patience(const plugin::DevicePlugin&, TestedDevice& device) {
  const std::uint64_t never = 0;
  const auto start = std::chrono::steady_clock::now();
  const bool reached = device.wait(never, 1, 0.02);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (reached) return "wait() says that a timeline has reached 1, which is at 0";
  if (seconds.count() < 5) return {};
  return fmt::format("wait() for 0.02 seconds returned after {:.1f}", seconds.count());
}

std::int32_t fails(const convoy_region*, std::uint64_t, const convoy_region*, std::uint64_t) {
  return 42;
}

// A call that fails, with the memory to which it refers.
struct FailingCall {
  std::vector<float> values = std::vector<float>(4);
  convoy_region write = region(values);
  convoy_submission submission = operation(CONVOY_OP_CALL);

  FailingCall() {
    submission.writes = &write;
    submission.write_count = 1;
    submission.host_kernel = fails;
  }
};

std::string run_failure(const plugin::DevicePlugin& plugin, TestedDevice& device,
                        const FailingCall& call) {
  try {
    device.run(call.submission);
  } catch (const Error& error) {
    if (error.code() == ExitCode::kTimeout) throw;
    const std::string text = without_label(plugin, error.what());
    if (text.find("42") != std::string::npos) return {};
    return fmt::format("a kernel returned 42, and wait() says something else: {}", text);
  }
  return "a kernel returned 42, and wait() reports no failure";
}

// Uses a device of its own, because a device that failed must not be used again.
std::string check_failure(const plugin::DevicePlugin& plugin, TestedDevice& device) {
  auto call = std::make_unique<FailingCall>();
  require_supported(device, call->submission);
  auto failing = another(plugin, device);
  return giving_up([&] { return run_failure(plugin, *failing, *call); }, failing, call);
}

// Returns whether the timeline, which only the device advances, reaches 1.
bool gets_there(const std::uint64_t& timeline, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (plugin::value_of(&timeline) < 1) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

struct TwoFailingCalls {
  FailingCall calls[2];
  std::uint64_t timelines[2] = {};
};

std::string run_behind_failure(TestedDevice& device, TwoFailingCalls& two) {
  constexpr const char* kNames[] = {"the operation that failed", "one behind it"};
  for (std::size_t i = 0; i < 2; ++i) {
    convoy_submission& submission = two.calls[i].submission;
    submission.timeline = &two.timelines[i];
    submission.value = 1;
    try {
      device.submit(submission);
    } catch (const Error&) {
      if (i == 1) return {};  // the device accepts nothing more
      throw;
    }
    if (!gets_there(two.timelines[i], device.patience()))
      fail(ExitCode::kTimeout,
           "after a failure the value of {} was not stored within {} seconds: its waiters would "
           "wait for ever",
           kNames[i], device.patience());
  }
  return {};
}

std::string check_values_after_failure(const plugin::DevicePlugin& plugin, TestedDevice& device) {
  auto two = std::make_unique<TwoFailingCalls>();
  require_supported(device, two->calls[0].submission);
  auto failing = another(plugin, device);
  return giving_up([&] { return run_behind_failure(*failing, *two); }, failing, two);
}

}  // namespace

void add_order_cases(std::vector<ConformanceCase>& cases) {
  cases.push_back({"order", "a lane runs its operations in order", check_lane});
  cases.push_back({"order", "lanes wait for each other", check_lanes});
  cases.push_back({"order", "devices wait for each other", check_devices});
  cases.push_back({"order", "times of an operation lie on the clock of now()", check_times});
  cases.push_back({"order", "wait() ends when its time is over", check_patience});
  cases.push_back({"order", "an operation's failure is reported by wait()", check_failure});
  cases.push_back({"order", "values are stored after a failure, too", check_values_after_failure});
}

}  // namespace convoy::conformance

#include "core/runtime/trial/device_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/process/left_memory.hpp"
#include "core/plan/operation.hpp"

namespace convoy::runtime {
namespace {

constexpr std::uint64_t kMostCallBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMarginBytes = 1024;  // before and behind every span
constexpr int kMarginByte = 0x5a;
constexpr double kMostSeconds = 10;
constexpr double kRateOfCall = 0.1;          // learning rate of the call
constexpr float kRelativeTolerance = 1e-4f;  // relative to the largest magnitude that the host form
                                             // writes

struct FreeOnDevice {
  plugin::OpenDevice* device = nullptr;
  void operator()(void* memory) const { device->deallocate(memory); }
};

// One span of the call, with guards around it, on the host and on the device.
struct SpanOnBoth {
  plan::PlanSpan span;
  std::vector<unsigned char> host;
  std::unique_ptr<void, FreeOnDevice> there;

  std::uint64_t bytes() const { return span.count * plan::dtype_bytes(span.dtype); }
  void* on_host() { return host.data() + kMarginBytes; }
  void* on_device() const { return static_cast<unsigned char*>(there.get()) + kMarginBytes; }
};

// Stays until the device has run it, or for ever if the device never does.
struct SubmittedCall {
  convoy_submission submission{};
  std::vector<convoy_region> reads, writes;
  std::uint64_t timeline = 0;
};

class DeviceTrial {
 public:
  DeviceTrial(plugin::OpenDevice& device, const plan::Plan& plan, const plan::Operation& call)
      : device_(device), plan_(plan), call_(call) {
    for (const plan::SpanList* list : {&call.reads, &call.writes})
      for (const plan::PlanSpan& span : *list) add(span);
  }

  bool is_too_large() const {
    std::uint64_t bytes = 0;
    for (const SpanOnBoth& it : spans_) bytes += it.bytes();
    return bytes > kMostCallBytes;
  }

  std::string run(void* built, const plan::HostKernel& host) {
    fill();
    run_there(built);
    if (host.call(call_, regions(call_.reads, false), regions(call_.writes, false), 0,
                  kRateOfCall) != 0)
      return "returns an error as a host function";
    for (SpanOnBoth& it : spans_)
      if (std::string text = compare(it); !text.empty()) return text;
    return {};
  }

 private:
  void add(const plan::PlanSpan& span) {
    for (const SpanOnBoth& it : spans_)
      if (plan::same_span(it.span, span)) return;
    spans_.push_back({span, {}, {nullptr, {&device_}}});
  }

  // Fills floating-point spans with numbers such as gradients have. Other types stay zero.
  void fill() {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      SpanOnBoth& it = spans_[i];
      it.host.assign(it.bytes() + 2 * kMarginBytes, kMarginByte);
      std::memset(it.on_host(), 0, it.bytes());
      constexpr std::size_t kNumbers = 13;
      if (it.span.dtype == CONVOY_F32)
        for (std::uint64_t k = 0; k < it.span.count; ++k)
          static_cast<float*>(it.on_host())[k] =
              0.01f * static_cast<float>((3 * i + k) % kNumbers) - 0.05f;
      it.there.reset(device_.allocate(it.host.size()));
      device_.write(it.there.get(), it.host.data(), it.host.size());
    }
  }

  std::vector<convoy_region> regions(const plan::SpanList& list, bool there) {
    std::vector<convoy_region> result;
    for (const plan::PlanSpan& span : list)
      for (SpanOnBoth& it : spans_)
        if (plan::same_span(it.span, span))
          result.push_back(
              {there ? it.on_device() : it.on_host(), span.count, span.dtype, call_.place});
    return result;
  }

  void run_there(void* built) {
    auto work = std::make_unique<SubmittedCall>();
    work->reads = regions(call_.reads, true);
    work->writes = regions(call_.writes, true);
    convoy_submission& it = work->submission;
    it.struct_size = sizeof(it);
    it.kind = CONVOY_OP_CALL;
    it.lane = CONVOY_LANE_UPDATE;
    it.learning_rate = kRateOfCall;
    it.scalar = call_.scalar;
    it.sizes = call_.details->sizes;
    it.reads = work->reads.data();
    it.read_count = work->reads.size();
    it.writes = work->writes.data();
    it.write_count = work->writes.size();
    it.timeline = &work->timeline;
    it.value = 1;
    it.device_kernel = built;
    device_.submit(it);
    if (device_.wait({&work->timeline, 1}, kMostSeconds)) return;
    leave_to_the_end(work);
    for (SpanOnBoth& span : spans_) leave_to_the_end(span.there);
    fail(ExitCode::kTimeout, "kernel '{}' does not end within {} seconds on the device",
         call_.details->kernel, kMostSeconds);
  }

  std::string compare(SpanOnBoth& it) {
    std::vector<unsigned char> there(it.host.size());
    device_.read(there.data(), it.there.get(), there.size());
    for (std::uint64_t k = 0; k < kMarginBytes; ++k) {
      const bool behind = there[kMarginBytes + it.bytes() + k] != kMarginByte;
      if (behind || there[k] != kMarginByte)
        return fmt::format("writes {} {}", behind ? "behind the end of" : "before the start of",
                           plan_.span_name(it.span));
    }
    const unsigned char* const values = there.data() + kMarginBytes;
    if (it.span.dtype == CONVOY_F32)
      return compare_numbers(it, reinterpret_cast<const float*>(values));
    if (std::memcmp(it.on_host(), values, it.bytes()) == 0) return {};
    return fmt::format("writes other bytes to {} than the host function", plan_.span_name(it.span));
  }

  std::string compare_numbers(SpanOnBoth& it, const float* there) const {
    const auto* const here = static_cast<const float*>(it.on_host());
    float largest = 0;
    for (std::uint64_t k = 0; k < it.span.count; ++k)
      if (std::isfinite(here[k])) largest = std::max(largest, std::fabs(here[k]));
    for (std::uint64_t k = 0; k < it.span.count; ++k) {
      const bool same =
          std::bit_cast<std::uint32_t>(here[k]) == std::bit_cast<std::uint32_t>(there[k]) ||
          (std::isnan(here[k]) && std::isnan(there[k])) ||
          std::fabs(here[k] - there[k]) <= kRelativeTolerance * largest;
      if (!same)
        return fmt::format("writes {:g} to element {} of {}, and the host function {:g}", there[k],
                           k, plan_.span_name(it.span), here[k]);
    }
    return {};
  }

  plugin::OpenDevice& device_;
  const plan::Plan& plan_;
  const plan::Operation& call_;
  std::vector<SpanOnBoth> spans_;
};

}  // namespace

std::string try_on_device(plugin::OpenDevice& device, void* built, const plan::HostKernel& host,
                          const plan::Plan& plan, const plan::Operation& call) {
  DeviceTrial trial(device, plan, call);
  return trial.is_too_large() ? std::string() : trial.run(built, host);
}

}  // namespace convoy::runtime

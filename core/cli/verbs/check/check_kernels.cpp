#include "core/cli/verbs/check/check_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <ostream>

#include "core/base/error.hpp"
#include "core/base/process/left_memory.hpp"
#include "core/job/hardware/described_hosts.hpp"
#include "core/job/hardware/opened_devices.hpp"
#include "core/job/hardware/plan_target.hpp"
#include "core/job/sizes.hpp"
#include "core/plan/stages.hpp"
#include "core/plugin/device_choice.hpp"
#include "core/runtime/device_kernels.hpp"
#include "core/runtime/prepared_plan.hpp"
#include "core/runtime/trial/device_trial.hpp"
#include "core/runtime/trial/kernel_trial.hpp"
#include "core/runtime/trial/trial_spans.hpp"

namespace convoy::cli {
namespace {

// Numbers of reads, not counting the largest one; also sizes of each.
constexpr std::size_t kShapes = 3;
constexpr std::size_t kVariants = 6;  // for each number of reads

constexpr std::uint64_t kSmallBytes = std::uint64_t{1} << 20;  // total bytes of a call's spans

// Returns the properties, other than sizes, by which a kernel can tell calls apart.
std::vector<std::uint64_t> variant_of(const plan::Operation& call) {
  std::vector<std::uint64_t> variant = {call.details->effect,
                                        std::bit_cast<std::uint64_t>(call.scalar)};
  variant.insert(variant.end(), std::begin(call.details->sizes), std::end(call.details->sizes));
  for (const plan::PlanSpan& span : call.reads) variant.push_back(span.dtype);
  for (const plan::PlanSpan& span : call.writes) variant.push_back(span.dtype);
  return variant;
}

std::pair<std::string, std::uint64_t> kernel_and_reads(const plan::Operation& call) {
  return {call.details->kernel, call.reads.size()};
}

// Returns the largest odd sizes among the calls that can be tried. Odd sizes expose mistakes in
// kernels that process several elements at once.
std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> largest_odd_sizes(
    const plan::Plan& plan) {
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> result;
  for (const std::vector<plan::Operation>* section : plan::sections_of(plan))
    for (const plan::Operation& call : *section) {
      if (call.kind != plan::OperationKind::kCall) continue;
      const std::uint64_t size = call.writes.front().count;
      std::uint64_t& largest = result[kernel_and_reads(call)];
      if (size % 2 == 1 && size > largest && runtime::too_large_to_try(call).empty())
        largest = size;
    }
  return result;
}

// Returns the largest number of reads for each kernel. A kernel that sums the data of all devices
// has the most reads with the most devices.
std::map<std::string, std::uint64_t> most_reads_of(const plan::Plan& plan) {
  std::map<std::string, std::uint64_t> result;
  for (const std::vector<plan::Operation>* section : plan::sections_of(plan))
    for (const plan::Operation& call : *section)
      if (call.kind == plan::OperationKind::kCall)
        result[call.details->kernel] =
            std::max<std::uint64_t>(result[call.details->kernel], call.reads.size());
  return result;
}

// Returns the forms for the devices that a run with these flags uses, or for the devices of the
// described machine.
std::optional<plugin::KernelForms> forms_asked_for(const job::Setup& setup) {
  if (job::describes_machine(setup.options.machine))
    return job::forms_on(setup.device.get(), job::choose_simulated_hardware(setup));
  if (setup.device != nullptr) return setup.device->kernel_forms();
  if (setup.options.device == plugin::kGpuDevices) return plugin::gpu_forms("cuda devices");
  return std::nullopt;
}

}  // namespace

KernelChecks::KernelChecks(const job::Setup& setup, std::ostream& out)
    : setup_(setup), out_(out), forms_(forms_asked_for(setup)) {}

void KernelChecks::try_all(const plan::Plan& plan) {
  largest_odd_ = largest_odd_sizes(plan);
  most_reads_ = most_reads_of(plan);
  for (const std::vector<plan::Operation>* section : plan::sections_of(plan))
    for (const plan::Operation& call : *section) {
      if (call.kind != plan::OperationKind::kCall || wrong_.contains(call.details->kernel))
        continue;
      if (!is_new_shape(call)) continue;
      std::string problem = try_here(plan, call);
      if (problem.empty() && has_form(call)) problem = try_on_devices(plan, call);
      if (problem.empty()) continue;
      wrong_.insert(call.details->kernel);
      fail(ExitCode::kFailed, "kernel '{}' of call (operation {}) {}", call.details->kernel,
           call.id, problem);
    }
}

std::string KernelChecks::untried() const {
  std::map<std::string, std::string> reasons;
  for (const auto& [kernel, calls] : too_large_)
    for (const auto& [reads, size] : calls)
      if (is_new_number(kernel, reads)) reasons.try_emplace(kernel, size);
  for (const auto& [kernel, numbers] : tried_)
    if (std::ranges::any_of(numbers, [](const auto& it) { return !it.second.is_whole; }))
      reasons.try_emplace(
          kernel, fmt::format("the calls of kernels have --plugin_timeout={:g} seconds in all",
                              setup_.options.plugin_timeout));
  std::string text;
  for (const auto& [kernel, reason] : reasons)
    text += fmt::format("{}kernel {} was not tried{}: {}", text.empty() ? "" : "; ", kernel,
                        tried_.at(kernel).empty() ? "" : " in all shapes", reason);
  return text;
}

std::string KernelChecks::unrenewed(const std::set<std::string>& kernels) const {
  std::string text;
  for (const std::string& it : kernels)
    if (!renewing_.contains(it))
      text += fmt::format(
          "{}kernel {} must make something else in every step, and made the same in "
          "steps 0 and 9999",
          text.empty() ? "" : "; ", it);
  return text;
}

std::string KernelChecks::try_here(const plan::Plan& plan, const plan::Operation& call) {
  // These are shares of the patience.
  constexpr double kForLargeSizes = 0.25;
  constexpr double kForFirstLargeSizes = 0.5;  // the rest is left for smaller sizes
  constexpr double kForFirstCall = 0.05;
  const double patience = setup_.options.plugin_timeout;
  // For each number of reads, one size must be tried completely, or nothing is proved. A fast call
  // is made once, however late it is, because the first call shows most faults. A slow call gives
  // way to smaller sizes. Further sizes, and calls for unusual faults, are tried while there is
  // time. Small calls take nearly none.
  Tried& tried = tried_[call.details->kernel][call.reads.size()];
  const auto bytes = static_cast<double>(runtime::bytes_of_spans(call));
  const bool is_small = bytes <= kSmallBytes;
  // With large spans, the work around the calls takes longer than fast calls do.
  const double left_for_further =
      is_small ? patience - tried_for_ : kForLargeSizes * patience - large_for_;
  const double left_for_one = (is_small ? 1 : kForFirstLargeSizes) * patience - tried_for_;
  const double left = tried.is_whole ? left_for_further : left_for_one;
  if (tried.calls > 1 && left <= 0) return {};
  double& seconds_per_byte = seconds_per_byte_[call.details->kernel];
  if (!is_small && seconds_per_byte * bytes > std::max(left, kForFirstCall * patience)) return {};
  const runtime::KernelTrial trial = runtime::try_kernel(
      runtime::host_kernel_of(*setup_.strategy, call.details->kernel), plan, call,
      {.each_call = patience,
       .all_calls = std::max(left, std::numeric_limits<double>::min()),
       .further_calls = left_for_further / 2});
  tried_for_ += trial.call_seconds;
  if (!is_small) {
    large_for_ += std::max(trial.call_seconds, trial.seconds);
    seconds_per_byte = std::max(seconds_per_byte, trial.longest_call / bytes);
  }
  if (trial.other_in_later_step) renewing_.insert(call.details->kernel);
  tried.is_whole = tried.is_whole || !trial.out_of_time;
  return trial.problem;
}

// Returns whether calls with this number of reads should be tried and none was tried yet.
bool KernelChecks::is_new_number(const std::string& kernel, std::uint64_t reads) const {
  const auto& tried = tried_.at(kernel);
  if (tried.contains(reads)) return false;
  return tried.size() < kShapes || reads > tried.rbegin()->first;
}

// A call that is too large to try does not count, so a smaller one can take its place.
bool KernelChecks::is_new_shape(const plan::Operation& call) {
  auto& counts = tried_[call.details->kernel];
  const std::uint64_t reads = call.reads.size();
  const bool is_most = reads == most_reads_[call.details->kernel];
  if (!counts.contains(reads) &&
      (!is_new_number(call.details->kernel, reads) || (counts.size() >= kShapes && !is_most)))
    return false;
  const std::string too_large = runtime::too_large_to_try(call);
  if (!too_large.empty()) {
    too_large_[call.details->kernel].try_emplace(reads, too_large);
    return false;
  }
  Tried& tried = counts[reads];
  const std::uint64_t size = call.writes.front().count;
  const bool is_larger_odd =
      size > tried.largest_odd && size == largest_odd_[kernel_and_reads(call)];
  if (is_larger_odd) tried.largest_odd = size;
  // If no size was tried completely, because the calls took too long, a smaller size may succeed.
  const bool is_smaller = !tried.is_whole && !tried.sizes.empty() && size < *tried.sizes.begin();
  const bool is_new_size = (tried.sizes.size() < kShapes || is_larger_odd || is_smaller) &&
                           tried.sizes.insert(size).second;
  const bool is_new_variant =
      tried.variants.size() < kVariants && tried.variants.insert(variant_of(call)).second;
  if (is_new_size || is_new_variant) ++tried.calls;
  return is_new_size || is_new_variant;
}

bool KernelChecks::has_form(const plan::Operation& call) {
  if (!forms_ || missing_.contains(call.details->kernel)) return false;
  try {
    plugin::require_form(*setup_.strategy, call.details->kernel, *forms_);
    return true;
  } catch (const Error& error) {
    out_ << "cannot run there: " << error.what() << '\n';
    missing_.insert(call.details->kernel);
    return false;
  }
}

std::string KernelChecks::try_on_devices(const plan::Plan& plan, const plan::Operation& call) {
  if (setup_.device == nullptr || job::describes_machine(setup_.options.machine) ||
      forms_->has(CONVOY_KERNEL_HOST))
    return {};
  if (devices_ == nullptr) devices_ = job::open_devices(setup_, job::count_devices(setup_));
  plugin::OpenDevice& device = *devices_->engines().front();
  const auto free_kernel = [&device](void* kernel) { device.free_kernel(kernel); };
  std::unique_ptr<void, decltype(free_kernel)> built(
      runtime::build_kernel_for(device, *forms_, *setup_.strategy, call.details->kernel),
      free_kernel);
  try {
    const plan::HostKernel host = runtime::host_kernel_of(*setup_.strategy, call.details->kernel);
    const std::string problem = runtime::try_on_device(device, built.get(), host, plan, call);
    return problem.empty() ? problem : fmt::format("on {} {}", device.describe().name, problem);
  } catch (const Error&) {  // the device failed, and may hang
    leave_to_the_end(built);
    devices_->abandon();
    throw;
  }
}

}  // namespace convoy::cli

#include "core/job/simulation/plan_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.hpp"
#include "core/base/system/memory_limit.hpp"
#include "core/base/text/system_text.hpp"
#include "core/plan/lower/lowering.hpp"

namespace convoy::job {
namespace {

// Peak memory of the process per operation of the lowered plan, in bytes. It holds the logical and
// the lowered plan, the dependencies, and three iterations in virtual time. Measured with 0.06 to
// 3.3 million operations of all strategies: 380 to 530.
constexpr double kBytesPerOperation = 510;

// Smaller plans fit on every machine that runs convoy.
constexpr std::uint32_t kFewestHosts = 64;
constexpr std::uint32_t kFewestDevices = 512;

constexpr auto kMostOperations = static_cast<double>(plan::kMaximumLoweredOperations);

// The largest factor by which an estimate may exceed the true size. A plan that may be small enough
// is tried.
constexpr double kEstimatedTooHigh = 1.5;
// The largest factor by which the true size may exceed an estimate. Recommended buckets must be
// small enough.
constexpr double kEstimatedTooLow = 1.25;

std::string millions(double operations) {
  const double count = operations / 1e6;
  return count < 10 ? fmt::format("{:.1f} million", count) : fmt::format("{:.0f} million", count);
}

}  // namespace

double estimated_operations(std::uint32_t hosts,
                            const std::function<std::uint64_t(std::uint32_t hosts)>& operations) {
  const auto count = [&](std::uint32_t few) {
    try {
      return static_cast<double>(operations(few));
    } catch (const Error&) {
      return 0.0;  // writing the whole plan will report the error
    }
  };
  const std::uint32_t few = std::max(2u, hosts / 16);
  const std::uint32_t more = 2 * few;
  const double with_few = count(few);
  const double with_more = count(more);
  if (with_few == 0 || with_more == 0) return 0;
  const double power = std::log2(with_more / with_few);
  return with_more * std::pow(static_cast<double>(hosts) / more, power);
}

bool is_large_cluster(std::uint32_t hosts, std::uint32_t devices_per_host) {
  return hosts >= kFewestHosts && std::uint64_t{hosts} * devices_per_host >= kFewestDevices;
}

void require_memory(double operations, std::uint32_t hosts, std::uint32_t devices_per_host) {
  const double needed = kBytesPerOperation * operations;
  const auto available = available_memory(SystemRoot("/"));
  if (!available || needed <= static_cast<double>(*available)) return;
  fail(ExitCode::kFailed,
       "a step of {} hosts with {} devices each has about {} operations with this strategy, and "
       "simulating them takes about {}, but this machine has {} left: simulate fewer hosts, take "
       "larger buckets (--bucket_mb) or a strategy with fewer messages",
       hosts, devices_per_host, millions(operations),
       bytes_text(static_cast<std::uint64_t>(needed)), bytes_text(*available));
}

std::optional<FittingBuckets> fitting_buckets(
    double megabytes, double everything,
    const std::function<double(double megabytes)>& operations) {
  if (!(megabytes > 0)) return std::nullopt;  // there is only one bucket already
  while (megabytes < everything) {
    megabytes *= 2;
    const double needed = operations(megabytes);
    if (needed > 0 && kEstimatedTooLow * needed <= kMostOperations)
      return FittingBuckets{megabytes, needed};
  }
  return std::nullopt;
}

void require_size(double operations, std::uint32_t hosts, std::uint32_t devices_per_host,
                  const std::function<std::optional<FittingBuckets>()>& fitting) {
  if (operations <= kEstimatedTooHigh * kMostOperations) return;
  const std::optional<FittingBuckets> buckets = fitting ? fitting() : std::nullopt;
  const std::string less =
      buckets ? fmt::format("with --bucket_mb={:g} it has about {}", buckets->megabytes,
                            millions(buckets->operations))
              : "fewer devices, and collectives that the devices do themselves, need less";
  fail(ExitCode::kUsage,
       "a step of {} hosts with {} devices each has about {} operations with this strategy, and at "
       "most {} can be planned: {}",
       hosts, devices_per_host, millions(operations), millions(kMostOperations), less);
}

}  // namespace convoy::job

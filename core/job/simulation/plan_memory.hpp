#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace convoy::job {

// Estimates the number of operations of a plan for this number of hosts from the plans for an
// eighth and a sixteenth of the hosts. It assumes that the number grows as a power of the number of
// hosts. 0: unknown, because one of the two has no plan (`operations` returns 0 or throws Error).
double estimated_operations(std::uint32_t hosts,
                            const std::function<std::uint64_t(std::uint32_t hosts)>& operations);

// Returns whether a plan is large enough to be estimated before it is written.
bool is_large_cluster(std::uint32_t hosts, std::uint32_t devices_per_host);

// Error kFailed if simulating a plan with this number of operations takes more memory than this
// machine has left. The text says how much.
void require_memory(double operations, std::uint32_t hosts, std::uint32_t devices_per_host);

// A bucket size in units of 2^20 bytes, and the number of operations of the plan with it.
struct FittingBuckets {
  double megabytes = 0;
  double operations = 0;
};

// Returns the smallest buckets with which the plan is small enough, doubling from `megabytes` up to
// one bucket for everything. Empty if even that is too large.
std::optional<FittingBuckets> fitting_buckets(
    double megabytes, double everything, const std::function<double(double megabytes)>& operations);

// Error kUsage if this estimated number of operations is clearly above the limit of a lowered plan.
// Writing a plan up to that limit would take long, and gigabytes. The text names the buckets that
// `fitting` returns.
void require_size(double operations, std::uint32_t hosts, std::uint32_t devices_per_host,
                  const std::function<std::optional<FittingBuckets>()>& fitting = {});

}  // namespace convoy::job

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace convoy::job {

// Estimates the number of operations of a plan for this number of hosts, from the plans of an
// eighth and of a sixteenth of the hosts: it is taken to grow as a power of their number. 0:
// unknown, because one of the two has no plan (`operations` returns 0 or throws Error).
double estimated_operations(std::uint32_t hosts,
                            const std::function<std::uint64_t(std::uint32_t hosts)>& operations);

// Whether a plan is large enough to be estimated before it is written.
bool is_large_cluster(std::uint32_t hosts, std::uint32_t devices_per_host);

// Error kFailed if simulating a plan with this number of operations takes more memory than this
// machine has left, saying how much.
void require_memory(double operations, std::uint32_t hosts, std::uint32_t devices_per_host);

// A bucket size in 2^20 bytes, and the number of operations of the plan with it.
struct FittingBuckets {
  double megabytes = 0;
  double operations = 0;
};

// The smallest buckets with which the plan is small enough, doubling from this size up to one
// bucket for everything. Nothing if even that is too large.
std::optional<FittingBuckets> fitting_buckets(
    double megabytes, double everything, const std::function<double(double megabytes)>& operations);

// Error kUsage if this estimated number of operations is clearly above the limit of a lowered plan,
// because writing a plan up to that limit takes long, and gigabytes. Names the buckets that
// `fitting` returns.
void require_size(double operations, std::uint32_t hosts, std::uint32_t devices_per_host,
                  const std::function<std::optional<FittingBuckets>()>& fitting = {});

}  // namespace convoy::job

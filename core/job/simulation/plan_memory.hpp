#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace convoy::job {

// Estimates how many operations the plan of a cluster of so many hosts has, from the plans of an
// eighth and of a sixteenth of the hosts: the size is taken to grow as a power of their number. 0 =
// not known, because one of the two has no plan: `operations` is 0 or throws Error.
double estimated_operations(std::uint32_t hosts,
                            const std::function<std::uint64_t(std::uint32_t hosts)>& operations);

// Whether a plan is large enough to be estimated before it is written.
bool is_large_cluster(std::uint32_t hosts, std::uint32_t devices_per_host);

// Error kFailed where simulating a plan of so many operations takes more memory than this machine
// has left, saying how much.
void require_memory(double operations, std::uint32_t hosts, std::uint32_t devices_per_host);

// Buckets of this size, in 2^20 bytes, make plans small enough, of so many operations.
struct FittingBuckets {
  double megabytes = 0;
  double operations = 0;
};

// The smallest ones that do, doubled from this size on, up to one bucket for everything; none where
// that makes too many operations, too.
std::optional<FittingBuckets> fitting_buckets(
    double megabytes, double everything, const std::function<double(double megabytes)>& operations);

// Error kUsage where so many operations, as estimated, are clearly more than a lowered plan may
// have: writing it until it has them takes long, and gigabytes. Then says which buckets fit, where
// it can ask.
void require_size(double operations, std::uint32_t hosts, std::uint32_t devices_per_host,
                  const std::function<std::optional<FittingBuckets>()>& fitting = {});

}  // namespace convoy::job

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace convoy::check {

// Why the gradients of a period's computes do not count equally often. `counts` says how often the
// gradients of each compute count, from the first compute to the last one, as elements of the
// field.

// The factor of a momentum v = factor v + g, or v = factor v + (1 - factor) g, that begins at zero
// in every period, if it explains the counts: earlier gradients stay in it for more updates. Also
// where Nesterov's g + factor v is applied.
std::optional<double> restarted_momentum(const std::vector<std::uint64_t>& counts);

// If every step pulls parameters back towards where the period began (FedProx; Li et al., 2020),
// the part of the way that a step leaves. So each gradient counts less than the next one by this
// factor, and the last one counts once, or less by the factor.
std::optional<double> proximal_pull(const std::vector<std::uint64_t>& counts);

// If the period ends with the mean of the parameters on the way, the number of points that the mean
// is over: the first gradients are in all of them, the last ones in one.
std::optional<std::uint64_t> averaged_iterates(const std::vector<std::uint64_t>& counts);

// If parameters are mixed with those of some steps before, as with a mean that arrives late (DASO;
// Coquelin et al., 2021): how often the gradients of the steps in between count. Those of all other
// steps count once.
std::optional<double> delayed_mixing(const std::vector<std::uint64_t>& counts);

}  // namespace convoy::check

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace convoy::plan::check {

// Known reasons why the gradients of a period's computes do not count equally often. `counts` has,
// per compute in order, how often its gradients count, as an element of the field.

// A momentum v = factor v + g, or v = factor v + (1 - factor) g, that begins at zero in every
// period: earlier gradients stay in it for more updates. Returns the factor. Also recognised if
// Nesterov's g + factor v is applied.
std::optional<double> restarted_momentum(const std::vector<std::uint64_t>& counts);

// A proximal pull (FedProx; Li et al., 2020): every step pulls parameters back towards the
// beginning of the period. Returns the fraction that a step keeps. Each gradient counts less than
// the next one by this factor, and the last one counts once, or less by the factor.
std::optional<double> proximal_pull(const std::vector<std::uint64_t>& counts);

// Averaged iterates: the period ends with the mean of the parameters at several of its points.
// Returns the number of points. The first gradients are in all of them, the last ones in one.
std::optional<std::uint64_t> averaged_iterates(const std::vector<std::uint64_t>& counts);

// Delayed mixing (DASO; Coquelin et al., 2021): parameters are mixed with those of some steps
// before, as with a mean that arrives late. Returns how often the gradients of the steps in between
// count. Those of all other steps count once.
std::optional<double> delayed_mixing(const std::vector<std::uint64_t>& counts);

}  // namespace convoy::plan::check

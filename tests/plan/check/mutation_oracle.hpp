#pragma once

#include <optional>
#include <string>

#include "core/plan/check/check.hpp"

namespace convoy::testing {

// Whether the sequential interpreter contradicts the report: a recurrence that it names
// (synchronous, accumulating, stale) must give the same numbers, where nothing is lost the
// parameters must end as if every gradient had been applied once, and where all replicas count
// alike they must do so as often as it says. Says where they differ.
std::optional<std::string> contradiction(const plan::Plan& plan,
                                         const plan::check::CheckReport& report);

// The last part of that, for plans that are exact: one gradient after the other.
std::optional<std::string> find_other_counts(const plan::Plan& plan,
                                             const plan::check::CheckReport& report);

// The second part of that: gradients for a few computes, then none for a long time.
std::optional<std::string> find_loss(const plan::Plan& plan,
                                     const plan::check::CheckReport& report);

}  // namespace convoy::testing

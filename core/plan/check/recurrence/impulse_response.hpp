#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::plan::check {

// Returns the value of a row for the contents of the states: the sum of weight times content.
Weight times(const LinearRow& row, const std::vector<Weight>& held);

// Returns the states one period later, without gradients and errors: A x.
std::vector<Weight> next_period(const LinearSystem& it, const std::vector<Weight>& held);

// Whether a gradient counts `total` times, an element of the field, because of momentum. Then its
// later contributions decay like the powers of some b, and add up to at most 1 / (1 - b). `updates`
// is the number of updates of a period.
bool counts_by_momentum(const LinearSystem& it, std::uint64_t total, std::uint64_t updates);

// Whether two momenta, one inside the other, may be the reason, such as the workers' own one and an
// outer one. Then contributions decay like sums of powers of two numbers b, and the count is at
// most 1 / (1 - b) of one times that of the other.
bool may_count_by_two_momenta(const LinearSystem& it, std::uint64_t total, std::uint64_t updates);

// Returns the periods until the gradient in this column has reached every read, or, with
// `only_replica`, every read of that replica; 63 if it never reaches one.
std::uint64_t periods_to_arrive(const LinearSystem& it, std::uint32_t gradient,
                                std::optional<std::uint32_t> only_replica,
                                const ValueTable& budget);

// Whether parameters are computed from several others, which may reduce the weight of a gradient.
bool averages_parameters(const LinearSystem& it);

}  // namespace convoy::plan::check

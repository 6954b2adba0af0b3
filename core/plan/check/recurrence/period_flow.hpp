#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/check/recurrence/period_map.hpp"

namespace convoy::check {

// The value of a row for the contents of the states: the sum of weight times content.
Weight times(const LinearRow& row, const std::vector<Weight>& held);

// The states one period later, without gradients and errors: A x.
std::vector<Weight> next_period(const PeriodClass& it, const std::vector<Weight>& held);

// How much of one period's gradients the mean of all reads has 0, 1, 2, ... periods later.
std::vector<Weight> responses(const PeriodClass& it, std::size_t periods);

// The factor by which changes of a response shrink from one period to the next, once it has
// settled in; 0 when nothing changes any more.
double fading_rate(const std::vector<Weight>& response);

// Whether they shrink by exactly this factor, an element of the field, so that neither rounding nor
// changes that are too small to measure decide.
bool fades_by(const std::vector<Weight>& response, std::uint64_t rate);

// Periods until the gradient in this column has reached every read, or, with `only_replica`, every
// read of that replica; 63 if it never reaches one.
std::uint64_t periods_to_arrive(const PeriodClass& it, std::uint32_t gradient,
                                std::optional<std::uint32_t> only_replica,
                                const ValueTable& budget);

// Whether parameters are made of several others, which may leave a gradient less than it was.
bool averages_parameters(const PeriodClass& it);

}  // namespace convoy::check

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/check/period_map.hpp"

namespace convoy::check {

// What a row makes of what the states hold: the sum of weight times content.
Weight times(const LinearRow& row, const std::vector<Weight>& held);
double times(const LinearRow& row, const std::vector<double>& held);

// What the states hold one period later, when no gradient and no error comes in: A x.
std::vector<Weight> next_period(const PeriodClass& it, const std::vector<Weight>& held);
std::vector<double> next_period(const PeriodClass& it, const std::vector<double>& held);

// How much of one period's gradients the mean of all reads has 0, 1, 2, ... periods later.
std::vector<double> responses(const PeriodClass& it, std::size_t periods);

// The factor by which changes of a response shrink from one period to the next, once it has
// settled in; 0 when nothing changes any more.
double fading_rate(const std::vector<double>& response);

// Periods until every read has got something of the gradient in this column, or, with
// `only_replica`, every read of that replica; 63 where one never gets any.
std::uint64_t periods_to_arrive(const PeriodClass& it, std::uint32_t gradient,
                                std::optional<std::uint32_t> only_replica,
                                const ValueTable& budget);

// Whether parameters are made of several others, which may leave a gradient less than it was.
bool averages_parameters(const PeriodClass& it);

}  // namespace convoy::check

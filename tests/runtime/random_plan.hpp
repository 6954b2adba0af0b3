#pragma once

#include <string>

#include "tests/plan/sample_models.hpp"

namespace convoy::testing {

// Writes a plan of 1 to 3 computes and some 40 random operations on random spans of every kind of
// buffer, at random places; the same for the same seed. Reads only what is defined: scratch after
// it was written in the same period. Needs random_plan_kernel(). Before an all_reduce
// values become small multiples of 1/64, so that every order of reducing has the same result.
WritePlan write_random(std::uint64_t seed);

// Host forms of the kernels: "mix" writes a bounded function of all reads, "quantize" rounds each
// write's own elements to multiples of 1/64 in [-1, 1].
convoy_host_kernel random_plan_kernel(const std::string& name);

// The plan with every backward replaced by a kernel, so that it runs without layers: forward
// disappears, backward becomes "mix" of the parameters into the gradient.
plan::Plan without_layers(plan::Plan plan);

}  // namespace convoy::testing

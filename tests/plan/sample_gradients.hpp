#pragma once

#include "tests/support/interpreter.hpp"

namespace convoy::testing {

// Varies smoothly with the parameters that forward and backward read (all of them, everywhere), so
// that the same plan with sums in another order gives nearly the same trajectory.
void smooth_gradient(const GradientRequest& request, std::span<float> gradient);

// Small multiples of 1/64 picked by the bits of everything that the gradient depends on: sums are
// exact in every order, so that trajectories of equal plans have equal bits.
void exact_gradient(const GradientRequest& request, std::span<float> gradient);

// Momentum with weight decay, a rate that changes by the step, parameters that all differ.
InterpreterOptions sample_options(const plan::ArenaMap& arena, GradientFunction gradient);

}  // namespace convoy::testing

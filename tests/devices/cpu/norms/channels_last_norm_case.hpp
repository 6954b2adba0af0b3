#pragma once

#include <cstddef>
#include <iosfwd>
#include <vector>

#include "tests/devices/cpu/bf16_values.hpp"

namespace convoy::test {

// A batch norm of bf16 activations with channels last, in double precision, with bounds on what f32
// and the rounding of results may add to it.
struct ChannelsLastCase {
  std::size_t cells, channels;
  bool variables = true;  // gamma and beta
  bool add = false;       // forward: behind the norm; backward: to the gradient
  bool relu = false;
  double limit = 0.0;       // of the relu
  bool given = false;       // statistics, to the forward pass
  bool output = false;      // the backward pass undoes the relu by the result
  bool accumulate = false;  // of the backward pass
  double centre = 0.0;
  double deviation = 1.0;
  double epsilon = 1e-3;

  std::size_t elements() const { return cells * channels; }
};
void PrintTo(const ChannelsLastCase& what, std::ostream* out);

// Numbers, and how far from them a result may be.
struct Bounded {
  explicit Bounded(std::size_t count) : value(count), bound(count) {}

  std::vector<double> value, bound;
};

struct ChannelsLastData {
  explicit ChannelsLastData(const ChannelsLastCase& what);

  double gamma_of(std::size_t channel) const {
    return gamma.empty() ? 1.0 : static_cast<double>(gamma[channel]);
  }
  double beta_of(std::size_t channel) const {
    return beta.empty() ? 0.0 : static_cast<double>(beta[channel]);
  }

  std::vector<cpu::Bf16> read, addend, gradient, output, before;
  std::vector<float> gamma, beta;     // empty without variables
  std::vector<float> mean, variance;  // of `read` (nearly), for the passes that are given them
};

struct ExpectedForward {
  Bounded mean, variance, write;
};
ExpectedForward expected_forward(const ChannelsLastCase& what, const ChannelsLastData& data);

struct ExpectedBackward {
  std::vector<cpu::Bf16> joined;  // what the gradient in memory becomes, to the bit
  Bounded gamma_gradient, beta_gradient, write;
};
ExpectedBackward expected_backward(const ChannelsLastCase& what, const ChannelsLastData& data);

}  // namespace convoy::test

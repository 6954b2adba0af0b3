#pragma once

#include <convoy/abi.h>

#include <vector>

#include "tests/support/interpreter.hpp"

namespace convoy::testing {

// The layers of one replica on a fake device: forward records the parameters that it reads,
// backward writes what a GradientFunction makes of them, as the interpreter does. The loss of a
// step is fake_loss(); the hits are the replica's count of computes and its double. A program for
// inference has no backward: it throws std::invalid_argument.
class FakeProgram {
 public:
  // `segments`: arena ranges in forward order.
  FakeProgram(std::vector<plan::ElementRange> segments, std::uint64_t arena_elements,
              const convoy_compilation& what, GradientFunction gradient);

  void forward(const convoy_compute& compute);
  void backward(const convoy_compute& compute);

 private:
  std::vector<plan::ElementRange> segments_;
  std::uint32_t replica_;
  bool inference_;
  GradientFunction gradient_;
  std::uint64_t computes_ = 0;
  float loss_scale_ = 1;  // as the last segment's backward found it
  std::vector<float> forward_read_;
};

// What replica's loss layer says at its step (counted from 0) when its first label is `label`.
double fake_loss(std::uint32_t replica, std::uint64_t step, std::int32_t label);

}  // namespace convoy::testing

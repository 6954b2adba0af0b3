#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/plan/host_kernel.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/reference/update.hpp"

namespace convoy::testing {

// The inputs of one replica's backward over one segment.
struct GradientRequest {
  std::uint32_t replica = 0;
  std::uint64_t step = 0;  // the replica's own count of computes, from 0
  std::uint32_t segment = 0;
  plan::ElementRange range{};            // arena elements whose gradient is wanted
  std::span<const float> forward_read;   // whole arena, as read by the forward of this compute
  std::span<const float> backward_read;  // `range`, as read by backward
};
// Writes request.range.count elements.
using GradientFunction =
    std::function<void(const GradientRequest& request, std::span<float> gradient)>;

struct InterpreterOptions {
  // Arena elements; the initial contents of every parameters and master buffer
  std::vector<float> initial;
  convoy_optimizer optimizer{};
  std::vector<plan::ElementRange> decayed;  // arena ranges with weight decay, ascending
  std::function<double(std::uint64_t step)> learning_rate;
  GradientFunction gradient;
  std::function<plan::HostKernel(const std::string& name)> kernel;  // for call operations
};

// Runs a plan, logical or lowered, one operation after the other over plain arrays. It defines the
// meaning of the plan, and is the oracle for tests of faster implementations. Sums go over the
// reads from left to right. Memory with undefined contents holds NaN: gradients before their first
// backward, scratch at the start of every period, both at the start of a stage.
class Interpreter {
 public:
  // The plan must outlive the interpreter.
  Interpreter(const plan::Plan& plan, InterpreterOptions options);

  // Runs this many more computes of every replica; the prologue runs before the first one. All
  // operations that belong to a compute run.
  void run(std::uint64_t steps);

  // Runs one operation as part of this step, for callers that choose the order themselves.
  void execute(const plan::Operation& operation, std::uint64_t step);

  std::uint64_t steps() const { return steps_; }
  std::span<const float> values(std::uint32_t buffer) const;
  std::span<const std::byte> bytes(std::uint32_t buffer) const { return memory_.at(buffer); }
  std::span<const float> optimizer_state(std::uint32_t buffer, std::uint32_t slot) const;
  // The number of elements that a backward read with another value than the forward before it.
  std::uint64_t elements_changed_before_backward() const { return changed_; }

 private:
  struct Replica {
    std::uint64_t computes = 0;
    float loss_scale = 1;  // scale of this compute's gradients
    std::vector<float> forward_read;
  };

  void poison(std::uint32_t buffer);
  void poison_all(std::uint32_t kind);
  void begin_stage(std::size_t stage);
  void forward(const plan::Operation& operation);
  void backward(const plan::Operation& operation);
  void apply(const plan::Operation& operation, std::uint64_t step);
  void skip(const plan::Operation& apply);
  // Returns the number of updates of every element of the span.
  std::span<std::uint64_t> updates_of(const plan::PlanSpan& target);
  void update(const plan::PlanSpan& target, plan::UpdateConstants constants, double rate,
              std::span<const float> gradient);
  void norm(const plan::Operation& operation);
  void adapt(const plan::Operation& operation);
  void call(const plan::Operation& operation, std::uint64_t step);
  std::byte* at(const plan::PlanSpan& span);
  float* floats(const plan::PlanSpan& span);
  std::vector<float>& state(std::uint32_t buffer, std::uint32_t slot);

  const plan::Plan& plan_;
  InterpreterOptions options_;
  std::uint64_t steps_ = 0;
  bool in_prologue_ = false;
  std::uint64_t changed_ = 0;
  std::vector<std::vector<std::byte>> memory_;       // per buffer
  std::vector<std::vector<float>> state_;            // per buffer and slot, empty until used
  std::vector<std::vector<std::uint64_t>> updates_;  // per buffer and element, empty until used
  std::vector<std::uint8_t> decays_;                 // per arena element: 1 with weight decay
  std::vector<Replica> replicas_;
};

}  // namespace convoy::testing

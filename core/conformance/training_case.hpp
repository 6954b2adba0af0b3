#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/conformance/tested_device.hpp"
#include "core/graph/arena.hpp"
#include "core/graph/graph_view.hpp"

namespace convoy::conformance {

enum class Layouts { kPlain, kProposed };

struct TrainingOptions {
  std::uint32_t batch = 2;
  std::uint32_t flags = 0;
  Layouts layouts = Layouts::kProposed;
  std::uint64_t seed = 1;
  std::uint32_t replica = 0;
  std::uint32_t dtype = CONVOY_F32;
};

// A graph compiled on a device. Parameters, images and labels are in plain order, and so are the
// results of a forward and a backward pass.
class TrainingCase {
 public:
  TrainingCase(TestedDevice& device, const graph::Graph& graph, const TrainingOptions& options);
  ~TrainingCase();
  TrainingCase(const TrainingCase&) = delete;
  TrainingCase& operator=(const TrainingCase&) = delete;

  // Submits all segments. The operations run in one lane.
  void forward(std::uint64_t step = 0);
  // The same, with the parameters of the last forward pass, even if the public ones have changed.
  void forward_again(std::uint64_t step = 0);
  void backward(std::uint64_t step = 0);

  const graph::Graph& graph() const { return graph_; }
  std::uint32_t batch() const { return options_.batch; }
  std::vector<float> gradient(std::uint64_t variable) const;
  // Returns the largest magnitude in the gradient arena outside the variables' elements.
  float gradient_padding() const;
  // Returns the program's times, if it was compiled with CONVOY_COMPILE_PROFILE.
  std::vector<convoy_profile_record> profile() const { return device_.profile(program_); }

  std::vector<std::vector<float>> parameters;  // for each variable
  std::vector<float> images;
  std::vector<std::int32_t> labels;
  std::vector<float> state;
  float loss_scale = 1;
  double loss = 0.0;
  std::uint64_t hits[2] = {0, 0};

 private:
  void fill();
  convoy_compute compute(std::uint64_t segment);

  TestedDevice& device_;
  graph::Graph graph_;
  TrainingOptions options_;
  std::unique_ptr<graph::Arena> arena_;
  std::unique_ptr<graph::GraphView> view_;
  void* program_ = nullptr;
  std::vector<float> parameter_arena_;
  std::vector<float> gradient_arena_;
};

}  // namespace convoy::conformance

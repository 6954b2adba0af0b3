// The common parts of all layers.
#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// The outputs of one layer for a batch, in plain order (image, channel, row, column), and the
// gradient of the loss with respect to them. Every layer that reads the outputs adds its part to
// the gradient.
struct Values {
  std::size_t channels = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::vector<float> data;
  std::vector<float> gradient;

  std::size_t plane() const { return height * width; }
  std::size_t image() const { return channels * plane(); }
};

// The data that a layer is made from. They live as long as the program.
struct LayerParts {
  const convoy_compilation* what = nullptr;
  const convoy_node* node = nullptr;
  std::size_t index = 0;  // of the node in the graph
  std::vector<Values*> inputs;
  Values* output = nullptr;
};

// The data that change from step to step.
struct Step {
  const convoy_compute* compute = nullptr;
  std::uint64_t number = 0;
};

// One layer of one replica. forward() computes the output from the inputs; backward() adds the
// layer's part to the gradients of its inputs and writes the gradients of its variables.
class Layer {
 public:
  explicit Layer(LayerParts parts) : parts_(std::move(parts)) {}
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  virtual void forward(const Step& step) = 0;
  virtual void backward(const Step& step) = 0;

  std::uint64_t segment() const { return parts_.node->segment; }
  Values& output() { return *parts_.output; }

 protected:
  const convoy_layer& layer() const { return *parts_.node->layer; }
  const convoy_node& node() const { return *parts_.node; }
  const convoy_compilation& what() const { return *parts_.what; }
  std::size_t index() const { return parts_.index; }
  std::size_t batch() const { return parts_.what->batch; }
  bool inference() const { return (what().flags & CONVOY_COMPILE_INFERENCE) != 0; }
  const std::vector<Values*>& inputs() const { return parts_.inputs; }
  Values& input() const { return *parts_.inputs.front(); }
  const Values& output() const { return *parts_.output; }

  // Returns variable 0 (weights or gamma) or 1 (bias or beta), null when the layer has none.
  const float* parameters(const Step& step, int which) const {
    const convoy_graph_variable* variable = this->variable(which);
    return variable == nullptr ? nullptr : step.compute->parameters + variable->arena_first;
  }
  float* gradients(const Step& step, int which) const {
    const convoy_graph_variable* variable = this->variable(which);
    return variable == nullptr ? nullptr : step.compute->gradients + variable->arena_first;
  }

 private:
  const convoy_graph_variable* variable(int which) const {
    const std::uint32_t id = parts_.node->variables[which];
    return id == CONVOY_NONE ? nullptr : parts_.what->graph->variables[id];
  }

  LayerParts parts_;
};

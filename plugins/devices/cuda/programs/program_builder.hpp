#pragma once

#include <convoy/abi.h>

#include <optional>
#include <vector>

#include "plugins/devices/cuda/kernels/activation.hpp"
#include "plugins/devices/cuda/programs/program.hpp"
#include "plugins/devices/shared/node_plan.hpp"

namespace convoy::cuda {

// Which nodes work in place, and which relus and sums their producers compute, is decided as on CPU
// devices.

class Convolution;

// What a layer's forward pass leaves for its backward pass.
struct LayerNotes {
  std::optional<MemoryPlan::Id> first;  // mean; record of a pool; flat input of a matrix product
  std::optional<MemoryPlan::Id>
      second;  // 1 / standard deviation; weights in the type of activations
};

// Where a consumer writes its part of the gradient of an activation.
struct GradientPart {
  MemoryPlan::Id id;
  bool adds;  // to what is there
};

// A variable in the arena.
struct VariablePlace {
  const convoy_graph_variable* variable = nullptr;
  std::uint64_t first = 0;  // element of the arena
};

// What layers are planned with: activations and their gradients by node, variables, temporaries,
// and the task lists. Keeps track of which memory is in use when; "now" is the pass of the node
// being built. Activations are NHWC, in the compilation's type.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const convoy_compilation& what);
  ProgramPlan build();

  const convoy_compilation& compilation() const { return what_; }
  bool inference() const { return plan_.inference; }
  bool drops() const { return (what_.flags & CONVOY_COMPILE_DROPOUT) != 0 && !inference(); }
  Type type() const { return type_; }
  std::uint32_t batch() const { return what_.batch; }
  const GraphPlan& graph_plan() const { return graph_plan_; }
  const NodePlan& node(std::size_t index) const { return graph_plan_.nodes[index]; }
  const convoy_node& shape(std::size_t index) const { return *node(index).node; }
  const convoy_layer& layer(std::size_t index) const { return *shape(index).layer; }
  LayerNotes& notes(std::size_t index) { return notes_[index]; }
  std::uint64_t cells(std::size_t index) const;     // of one channel of one image
  std::uint64_t rows(std::size_t index) const;      // images times cells
  std::uint64_t elements(std::size_t index) const;  // of the whole activation
  // The relu that a node computes behind its own work, if any.
  Relu fused_relu(std::size_t index) const;
  Relu relu_of(std::size_t relu_node) const;
  std::optional<VariablePlace> variable(std::size_t index, int which) const;

  // Appends the layer's own computation to the pass being built, or something around it:
  // conversions of storage, sums of gradients. implementation: a literal.
  void then(Task task, const char* implementation = "kernel");
  void help(Task task, const char* implementation);
  // To which part of the backward pass the next tasks belong; at first the gradient of the data.
  void part(convoy_pass pass) { pass_ = pass; }
  // Before the first step, in order.
  void prepare(Prepare step) { plan_.prepares.push_back(std::move(step)); }
  // What the node's task needs while it computes: Run::scratch has at least as much.
  void need_scratch(std::uint64_t bytes);
  // The node is the one that a batch comes to.
  void take_input(std::size_t node);
  // Of the batch, from its input on as long as they are used(); empty when the loss needs none.
  std::optional<MemoryPlan::Id> labels() const { return labels_; }

  // Activations: the one for reading now, and a new one that the node produces.
  MemoryPlan::Id read(std::size_t index);
  MemoryPlan::Id define(std::size_t index);
  // Memory that lives now only; used() makes it live until now.
  MemoryPlan::Id temporary(std::uint64_t bytes);
  MemoryPlan::Id used(MemoryPlan::Id id);

  bool needs_gradient(std::size_t index) const { return node(index).needs_gradient; }
  // Gradient of a node's activation, complete when the node's backward is built.
  MemoryPlan::Id gradient(std::size_t index);
  // For a consumer that can add to what is there.
  GradientPart begin_gradient(std::size_t index);
  // For one that cannot; finish_gradient follows once the writing task is appended.
  MemoryPlan::Id begin_whole_gradient(std::size_t index);
  void finish_gradient(std::size_t index, MemoryPlan::Id part);
  // A part that the node's gradient still lacks, for a producer that adds it itself, before it asks
  // for the gradient.
  std::optional<MemoryPlan::Id> take_last_part(std::size_t index);
  // The consumer's own gradient, which nobody else needs any more, is that of some of its inputs.
  void pass_gradient(const std::vector<std::size_t>& inputs, std::size_t consumer);

 private:
  struct Value {
    MemoryPlan::Id data = 0;
    std::optional<MemoryPlan::Id> gradient;
    std::optional<MemoryPlan::Id> last_part;  // to be added to it
  };

  Value& value_of(std::size_t index) { return values_[node(index).value]; }
  void build_node(std::size_t index, bool forward);
  void append(Task task, convoy_profile_role role, const char* implementation);
  void accumulate(MemoryPlan::Id total, MemoryPlan::Id part, bool adds, std::uint64_t count);

  convoy_compilation what_;
  Type type_;
  GraphPlan graph_plan_;
  std::vector<Value> values_;
  std::vector<LayerNotes> notes_;
  ProgramPlan plan_;
  TaskList* tasks_ = nullptr;
  std::size_t node_ = 0;
  convoy_pass pass_ = CONVOY_PASS_FORWARD;
  std::optional<MemoryPlan::Id> labels_;
  std::size_t now_ = 0;
};

}  // namespace convoy::cuda

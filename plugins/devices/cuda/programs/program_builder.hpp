#pragma once

#include <convoy/abi.h>

#include <optional>
#include <vector>

#include "plugins/devices/cuda/kernels/activation.hpp"
#include "plugins/devices/cuda/programs/program.hpp"
#include "plugins/devices/shared/node_plan.hpp"

namespace convoy::cuda {

// The same code as on CPU devices decides which nodes work in place, and which relus and sums their
// producers compute.

class Convolution;

// Memory that a layer's forward pass keeps for its backward pass.
struct LayerNotes {
  std::optional<MemoryPlan::Id> first;  // mean; record of a pool; flat input of a matrix product
  // 1 / standard deviation; weights in the type of activations.
  std::optional<MemoryPlan::Id> second;
};

// The memory for a consumer's part of the gradient of an activation.
struct GradientPart {
  MemoryPlan::Id id;
  bool adds;  // adds to the contents
};

// A variable in the arena.
struct VariablePlace {
  const convoy_graph_variable* variable = nullptr;
  std::uint64_t first = 0;  // element of the arena
};

// The interface with which layers are planned: activations and their gradients by node, variables,
// temporaries, and the task lists. It tracks when each memory is in use; "now" is the pass of the
// node being built. Activations are NHWC, in the compilation's type.
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

  // Append to the pass being built: the layer's own computation, or work around it (conversions of
  // storage, sums of gradients). implementation: a literal.
  void then(Task task, const char* implementation = "kernel");
  void help(Task task, const char* implementation);
  // Sets the part of the backward pass for the next tasks; at first it is the gradient of the data.
  void part(convoy_pass pass) { pass_ = pass; }
  // Steps run before the first step of training, in order.
  void prepare(Prepare step) { plan_.prepares.push_back(std::move(step)); }
  // Requests scratch memory for the node's task: Run::scratch has at least as much.
  void need_scratch(std::uint64_t bytes);
  // Makes this node the one that gets batches.
  void take_input(std::size_t node);
  // The labels of the batch, from its input on as long as they are used(); empty when the loss
  // needs none.
  std::optional<MemoryPlan::Id> labels() const { return labels_; }

  // Activations: the one for reading now, and a new one that the node produces.
  MemoryPlan::Id read(std::size_t index);
  MemoryPlan::Id define(std::size_t index);
  // Memory that lives only now; used() extends its life until now.
  MemoryPlan::Id temporary(std::uint64_t bytes);
  MemoryPlan::Id used(MemoryPlan::Id id);

  bool needs_gradient(std::size_t index) const { return node(index).needs_gradient; }
  // The gradient of a node's activation, complete when the node's backward is built.
  MemoryPlan::Id gradient(std::size_t index);
  // For a consumer that can add to the contents.
  GradientPart begin_gradient(std::size_t index);
  // For a consumer that cannot; it calls finish_gradient once the writing task is appended.
  MemoryPlan::Id begin_whole_gradient(std::size_t index);
  void finish_gradient(std::size_t index, MemoryPlan::Id part);
  // Returns a part that the node's gradient still lacks, for a producer that adds it itself. Call
  // it before gradient().
  std::optional<MemoryPlan::Id> take_last_part(std::size_t index);
  // Uses the consumer's own gradient, which nothing else needs any more, for some of its inputs.
  void pass_gradient(const std::vector<std::size_t>& inputs, std::size_t consumer);

 private:
  struct Value {
    MemoryPlan::Id data = 0;
    std::optional<MemoryPlan::Id> gradient;
    std::optional<MemoryPlan::Id> last_part;  // a part that is still to be added
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

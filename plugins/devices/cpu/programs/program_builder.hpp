#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/precision.hpp"
#include "plugins/devices/cpu/programs/program.hpp"
#include "plugins/devices/cpu/programs/task.hpp"
#include "plugins/devices/shared/node_plan.hpp"

namespace convoy::cpu {

// Memory for a part of a gradient; `final` says that it is the gradient's own memory.
struct GradientPart {
  dnnl::memory memory;
  bool final = false;
  std::optional<Workspace::Id> id = {};  // of memory that is used for nothing else
  bool adds = false;                     // the consumer adds to what the memory holds
};

// A gradient as a sum of two terms; the second may be empty.
struct GradientSum {
  dnnl::memory total;
  dnnl::memory addend;
};

// The interface with which layers are built: activations and their gradients by node, variables,
// temporaries, and the task lists. It tracks when each memory is in use; "now" is the pass of the
// node being built. Dimensions are in oneDNN's order, NCHW.
//
// A program in bf16 rounds every activation, every part and sum of its gradient, and the weights of
// convolutions and fully connected layers as they are read. Products of such values are exact in
// f32 and sums accumulate in f32. Biases, batch norm's variables and statistics, gradients of
// variables, the scores that the loss reads and the loss are f32.
//
// On processors that multiply bf16, activations and their gradients are stored as bf16 with
// channels last, however many channels there are; a batch norm's sum and relu are computed before
// the one rounding of its result. Others emulate: activations are f32, rounded between layers.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const convoy_compilation& what);
  std::unique_ptr<Program> build();

  const dnnl::engine& engine() const { return program_->engine_; }
  const convoy_compilation& compilation() const { return what_; }
  // What the compilation asks for: forward only, and whether dropout layers drop.
  bool inference() const { return (what_.flags & CONVOY_COMPILE_INFERENCE) != 0; }
  bool dropout() const { return (what_.flags & CONVOY_COMPILE_DROPOUT) != 0 && !inference(); }
  dnnl::prop_kind forward_kind() const {
    return inference() ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training;
  }
  bool rounds() const { return precision_ == Precision::kEmulatedBf16; }
  bool stores_bf16() const { return precision_ == Precision::kBf16; }
  // The relu's upper bound in the type of activations, 0 = none.
  double relu_limit(std::size_t node) const;
  const NodePlan& plan(std::size_t node) const { return plan_.nodes[node]; }
  const GraphPlan& graph_plan() const { return plan_; }
  dnnl::memory::dims dims(std::size_t node) const;  // of the node's output
  Desc plain(std::size_t node) const;               // in f32, NCHW
  // Stored with channels last, as bf16: the layout of all activations where they are bf16.
  Desc channels_last(std::size_t node) const;
  // In the type of activations and NCHW order, as a fully connected layer counts its inputs.
  Desc flat(std::size_t node) const;
  // Append to the pass being built. The implementation's name is for profiles.
  void then(Task task, const char* implementation = "own");
  void then(const dnnl::primitive& primitive,
            const std::unordered_map<int, dnnl::memory>& arguments);
  // The same for work around a layer's own computation.
  void help(Task task, const char* implementation);
  // Sets what the following tasks of the node's backward compute, for profiles. The default is
  // gradients of activations.
  void part(convoy_pass pass) { pass_ = pass; }

  // The activation of a node: its description, its memory for reading now, and the same in another
  // layout (converted once per step).
  const Desc& desc(std::size_t node) const;
  dnnl::memory read(std::size_t node);
  dnnl::memory read_as(std::size_t node, const Desc& wanted);
  // Makes the images the activation of the input node.
  void define_images();
  // Creates the activation that the node produces.
  dnnl::memory define(std::size_t node, const Desc& desc);

  // The gradient of a node's activation, complete when the node's backward is built.
  dnnl::memory gradient(std::size_t node);
  dnnl::memory gradient_as(std::size_t node, const Desc& wanted);
  // The same before its last addition, which the caller makes in `total`.
  GradientSum gradient_sum(std::size_t node);
  // Returns memory for a consumer's part of the gradient of a node's activation, in the layout it
  // prefers. It calls finish_gradient once the writing task is appended.
  GradientPart begin_gradient(std::size_t node, const Desc& wanted);
  // The same for a consumer that can add to the present values, in the layout of the activation.
  GradientPart begin_gradient_addition(std::size_t node);
  // The same for a consumer that reads the activation and writes its gradient cell by cell. If the
  // activation is a convolution's result that no later task reads, the gradient uses its memory,
  // which saves fetching other memory.
  GradientPart begin_gradient_over(std::size_t node);
  void finish_gradient(std::size_t node, const GradientPart& part);
  // Adds the consumer's own gradient to that of its input, or uses one memory for both.
  void pass_gradient(std::size_t input, std::size_t consumer);

  // A variable in a layout, for reading now, and the memory for its gradient. Grouped convolutions
  // need one dimension more than the variable has; the elements then keep their plain order.
  dnnl::memory variable(std::uint32_t index, const Desc& wanted);
  // The same with rounded values if activations are bf16, in the type of `wanted`.
  dnnl::memory weights(std::uint32_t index, const Desc& wanted);
  // A convolution's weights in bf16 with input and output channels exchanged and the taps mirrored.
  // With several taps, `wanted` must fill its blocks of channels.
  dnnl::memory transposed_weights(std::uint32_t index, const Desc& wanted);
  // Whether blocks of channels hold no padding.
  static bool fills_blocks(const Desc& desc);
  Desc stored(std::uint32_t index) const;
  GradientPart begin_variable_gradient(std::uint32_t index, const Desc& wanted);
  void finish_variable_gradient(std::uint32_t index, const GradientPart& part);

  // Memory that lives only now, and memory that lives from now to the node's other pass.
  dnnl::memory temporary(const Desc& desc);
  Workspace::Id keep(const Desc& desc);
  dnnl::memory kept(const Desc& desc, Workspace::Id id);
  dnnl::memory scratchpad(const Desc& desc);
  // The same memory under another description.
  dnnl::memory view(const dnnl::memory& memory, const Desc& desc);
  void reorder(const dnnl::memory& from, const dnnl::memory& to);
  // Rounds memory that was just written to the type of activations.
  void round(const dnnl::memory& memory);

 private:
  struct Copy {
    Desc desc;
    Workspace::Id id;
  };
  struct Value {
    Desc desc;
    bool external = false;  // the images
    Workspace::Id data = 0;
    std::vector<Copy> copies;
    bool gradient_started = false;
    Workspace::Id gradient = 0;
    std::optional<Workspace::Id> addend;  // a part that is not yet added to the gradient
  };

  Desc images_desc() const;  // in bf16
  Value& value_of(std::size_t node) { return values_[plan_.nodes[node].value]; }
  dnnl::memory external(External which, const Desc& desc, std::size_t first);
  dnnl::memory gradient_memory(Value& value);
  void add_pending(Value& value);
  bool may_share(std::size_t input, std::size_t consumer) const;
  bool changes_before_read(std::size_t changed, std::size_t read) const;
  void build_node(std::size_t node, bool forward);
  void append(Task task, convoy_profile_role role, const std::string& implementation);
  void round_activation(std::size_t node);
  // Adds the conversion if it is to pairs of bf16 weights, and returns whether it was. `turned`:
  // with mirrored taps.
  bool pair_weights(const dnnl::memory& from, const dnnl::memory& to, bool turned);
  dnnl::memory arranged(std::uint32_t index, const dnnl::memory& source, const Desc& wanted);

  convoy_compilation what_;
  Precision precision_;
  GraphPlan plan_;
  std::vector<Value> values_;
  std::unique_ptr<Program> program_;
  TaskList* tasks_ = nullptr;
  convoy_pass pass_ = CONVOY_PASS_FORWARD;
  std::size_t node_ = 0;
  std::size_t now_ = 0;
};

}  // namespace convoy::cpu

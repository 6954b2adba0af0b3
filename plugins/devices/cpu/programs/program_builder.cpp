#include "plugins/devices/cpu/programs/program_builder.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include "plugins/devices/cpu/convolutions/paired_weights.hpp"
#include "plugins/devices/cpu/kernels/table.hpp"
#include "plugins/devices/cpu/layers/elementwise_tasks.hpp"
#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/programs/weight_layout.hpp"

namespace convoy::cpu {

namespace {

// Rule 3 of the ABI: unknown values are refused.
void check(const convoy_compilation& what) {
  constexpr std::uint32_t kKnown = CONVOY_COMPILE_DROPOUT | CONVOY_COMPILE_ACCURACY |
                                   CONVOY_COMPILE_INFERENCE | CONVOY_COMPILE_DIRECT_CONVOLUTIONS |
                                   CONVOY_COMPILE_PROFILE;
  if ((what.flags & ~kKnown) != 0) {
    throw std::invalid_argument("compile flags " + std::to_string(what.flags & ~kKnown) +
                                " are unknown to this CPU device");
  }
  if (what.dtype != CONVOY_F32 && what.dtype != CONVOY_BF16) {
    throw std::invalid_argument("CPU devices compute in f32 or bf16, not in type " +
                                std::to_string(what.dtype));
  }
}

// oneDNN writes the code that it generates to the memory that it gets from the system, and to
// address 0 if it gets none. It takes up to 4 MiB for each of a few kernels of a layer.
void require_room_for_code() {
  constexpr std::size_t kRoom = std::size_t{32} << 20;
  void* const room =
      ::mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  ::munmap(room, kRoom);
}

}  // namespace

ProgramBuilder::ProgramBuilder(const convoy_compilation& what)
    : what_(what),
      precision_(precision_of(what)),
      plan_(plan_graph(*what.graph, {.dropout = dropout(), .rounds = rounds()})),
      values_(plan_.values.size()),
      program_(std::make_unique<Program>()) {
  check(what);
  program_->inference_ = inference();
  if ((what.flags & CONVOY_COMPILE_PROFILE) != 0)
    program_->profile_ = std::make_unique<ProgramProfile>();
  program_->forward_.resize(what.graph->segment_count);
  program_->backward_.resize(what.graph->segment_count);
}

std::unique_ptr<Program> ProgramBuilder::build() {
  const std::size_t count = plan_.nodes.size();
  for (std::size_t node = 0; node < count; ++node) {
    program_->layers_.push_back(make_layer(*plan_.nodes[node].node->layer));
    build_node(node, true);
  }
  for (std::size_t node = count; !inference() && node-- > 0;) {
    if (plan_.nodes[node].needs_gradient) build_node(node, false);
  }
  program_->workspace_.allocate();
  return std::move(program_);
}

void ProgramBuilder::build_node(std::size_t node, bool forward) {
  require_room_for_code();
  const NodePlan& here = plan_.nodes[node];
  node_ = node;
  pass_ = forward ? CONVOY_PASS_FORWARD : CONVOY_PASS_BACKWARD_DATA;
  now_ = forward ? node : 2 * plan_.nodes.size() - 1 - node;
  tasks_ = &(forward ? program_->forward_ : program_->backward_)[here.node->segment];
  Layer& layer = *program_->layers_[node];
  try {
    if (forward) {
      layer.build_forward(*this, node);
      round_activation(node);
    } else {
      layer.build_backward(*this, node);
    }
  } catch (const dnnl::error& error) {
    const char* name = here.node->layer->name;
    throw std::runtime_error("oneDNN cannot build layer " +
                             (name == nullptr ? std::to_string(node) : std::string(name)) +
                             (forward ? " forward: " : " backward: ") + error.what());
  }
}

void ProgramBuilder::define_images() {
  const dnnl::memory images = external(External::kImages, plain(0), 0);
  if (stores_bf16()) return reorder(images, define(0, images_desc()));
  if (rounds()) return help(round_task(define(0, plain(0)), images), "round");
  value_of(0).desc = plain(0);
  value_of(0).external = true;
}

// Uses the layout of the layers that read all images, or else channels last.
Desc ProgramBuilder::images_desc() const {
  const std::vector<std::size_t>& readers = plan_.nodes[0].consumers;
  const bool as_vectors = std::all_of(readers.begin(), readers.end(), [this](std::size_t reader) {
    return plan_.nodes[reader].node->layer->kind == CONVOY_LAYER_FULLY_CONNECTED;
  });
  return as_vectors ? flat(0) : channels_last(0);
}

void ProgramBuilder::round(const dnnl::memory& memory) {
  if (rounds()) help(round_task(memory, memory), "round");
}

void ProgramBuilder::round_activation(std::size_t node) {
  if (makes_new_values(*plan_.nodes[node].node->layer)) round(read(node));
}

// Returns the limit rounded to the type of activations, so that the backward pass recognises
// clipped values.
double ProgramBuilder::relu_limit(std::size_t node) const {
  auto limit = static_cast<float>(plan_.nodes[node].node->layer->limit);
  if (precision_ != Precision::kF32) kernels().round_to_bf16(&limit, &limit, 1);
  return static_cast<double>(limit);
}

dnnl::memory::dims ProgramBuilder::dims(std::size_t node) const {
  const convoy_node& here = *plan_.nodes[node].node;
  return {what_.batch, here.channels, here.height, here.width};
}

Desc ProgramBuilder::plain(std::size_t node) const {
  return {dims(node), dnnl::memory::data_type::f32, dnnl::memory::format_tag::nchw};
}

Desc ProgramBuilder::channels_last(std::size_t node) const {
  return {dims(node), dnnl::memory::data_type::bf16, dnnl::memory::format_tag::nhwc};
}

Desc ProgramBuilder::flat(std::size_t node) const {
  if (!stores_bf16()) return plain(node);
  const convoy_node& here = *plan_.nodes[node].node;
  if (here.height * here.width == 1) return channels_last(node);
  return {dims(node), dnnl::memory::data_type::bf16, dnnl::memory::format_tag::nchw};
}

void ProgramBuilder::append(Task task, convoy_profile_role role,
                            const std::string& implementation) {
  if (program_->profile_)
    task = program_->profile_->timed(std::move(task), node_, pass_, role, implementation);
  tasks_->push_back(std::move(task));
}

void ProgramBuilder::then(Task task, const char* implementation) {
  append(std::move(task), CONVOY_PROFILE_KERNEL, implementation);
}

void ProgramBuilder::help(Task task, const char* implementation) {
  append(std::move(task), CONVOY_PROFILE_HELPER, implementation);
}

void ProgramBuilder::then(const dnnl::primitive& primitive,
                          const std::unordered_map<int, dnnl::memory>& arguments) {
  append(primitive_task(primitive, arguments), CONVOY_PROFILE_KERNEL,
         implementation_name(primitive));
}

const Desc& ProgramBuilder::desc(std::size_t node) const {
  return values_[plan_.nodes[node].value].desc;
}

dnnl::memory ProgramBuilder::read(std::size_t node) {
  Value& value = value_of(node);
  if (value.external) return external(External::kImages, value.desc, 0);
  program_->workspace_.use(value.data, now_);
  return program_->workspace_.memory(value.desc, value.data);
}

dnnl::memory ProgramBuilder::read_as(std::size_t node, const Desc& wanted) {
  Value& value = value_of(node);
  if (value.desc == wanted) return read(node);
  for (const Copy& copy : value.copies) {
    if (copy.desc == wanted) return kept(wanted, copy.id);
  }
  const Copy copy{wanted, keep(wanted)};
  dnnl::memory converted = kept(wanted, copy.id);
  reorder(read(node), converted);
  value_of(node).copies.push_back(copy);
  return converted;
}

dnnl::memory ProgramBuilder::define(std::size_t node, const Desc& desc) {
  Value& value = value_of(node);
  value.desc = desc;
  value.data = keep(desc);
  return kept(desc, value.data);
}

dnnl::memory ProgramBuilder::temporary(const Desc& desc) {
  return kept(desc, keep(desc));
}

Workspace::Id ProgramBuilder::keep(const Desc& desc) {
  return program_->workspace_.add(desc.get_size());
}

dnnl::memory ProgramBuilder::kept(const Desc& desc, Workspace::Id id) {
  program_->workspace_.use(id, now_);
  return program_->workspace_.memory(desc, id);
}

dnnl::memory ProgramBuilder::scratchpad(const Desc& desc) {
  return program_->workspace_.scratchpad(desc);
}

dnnl::memory ProgramBuilder::view(const dnnl::memory& memory, const Desc& desc) {
  for (Program::Bindings& bindings : program_->external_) {
    for (const Program::Binding& binding : bindings.items) {
      if (binding.memory.get() != memory.get()) continue;
      dnnl::memory same(desc, engine(), DNNL_MEMORY_NONE);
      bindings.items.push_back({same, binding.first});
      return same;
    }
  }
  return program_->workspace_.view(memory, desc);
}

void ProgramBuilder::reorder(const dnnl::memory& from, const dnnl::memory& to) {
  if (pair_weights(from, to, false)) return;
  const dnnl::reorder::primitive_desc description(engine(), from.get_desc(), engine(),
                                                  to.get_desc(), shared_scratchpad());
  help(primitive_task(dnnl::reorder(description),
                      {{DNNL_ARG_FROM, from},
                       {DNNL_ARG_TO, to},
                       {DNNL_ARG_SCRATCHPAD, scratchpad(description.scratchpad_desc())}}),
       "reorder");
}

bool ProgramBuilder::pair_weights(const dnnl::memory& from, const dnnl::memory& to, bool turned) {
  const auto paired = PairedWeights::between(from.get_desc(), to.get_desc(), turned);
  if (!paired) return false;
  help([=](const TaskContext&) { paired->run(floats_of(from), halves_of(to)); }, "own reorder");
  return true;
}

dnnl::memory ProgramBuilder::external(External which, const Desc& desc, std::size_t first) {
  dnnl::memory memory(desc, engine(), DNNL_MEMORY_NONE);
  program_->external_[static_cast<std::size_t>(which)].items.push_back({memory, first});
  return memory;
}

std::unique_ptr<Program> compile_program(const convoy_compilation& what) {
  return ProgramBuilder(what).build();
}

}  // namespace convoy::cpu

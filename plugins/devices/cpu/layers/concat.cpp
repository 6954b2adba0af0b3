#include "plugins/devices/cpu/layers/concat.hpp"

#include "plugins/devices/cpu/layers/primitive_attributes.hpp"
#include "plugins/devices/cpu/program_builder.hpp"

namespace convoy::cpu {
namespace {

// The slice of a gradient that belongs to one input, as oneDNN can express it: blocked layouts only
// when the slice starts and ends with a block.
bool has_slice(const Desc& whole, const dnnl::memory::dims& dims, const dnnl::memory::dims& at) {
  return static_cast<bool>(whole.submemory_desc(dims, at, true));
}

}  // namespace

void Concat::build_forward(ProgramBuilder& builder, std::size_t node) {
  constexpr int kChannels = 1;
  const std::vector<std::size_t>& inputs = builder.plan(node).inputs;
  std::vector<Desc> descs;
  std::unordered_map<int, dnnl::memory> arguments;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    descs.push_back(builder.desc(inputs[i]));
    arguments[DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i)] = builder.read(inputs[i]);
  }
  const dnnl::concat::primitive_desc description(kChannels, descs, builder.engine(),
                                                 shared_scratchpad());
  arguments[DNNL_ARG_DST] = builder.define(node, description.dst_desc());
  arguments[DNNL_ARG_SCRATCHPAD] = builder.scratchpad(description.scratchpad_desc());
  builder.then(dnnl::concat(description), arguments);
}

void Concat::build_backward(ProgramBuilder& builder, std::size_t node) {
  dnnl::memory own = builder.gradient(node);
  dnnl::memory::dims at = {0, 0, 0, 0};
  for (std::size_t input : builder.plan(node).inputs) {
    const dnnl::memory::dims dims = builder.dims(input);
    if (builder.plan(input).needs_gradient) {
      if (!has_slice(own.get_desc(), dims, at)) {
        own = builder.gradient_as(node, builder.plain(node));
      }
      const dnnl::memory slice = builder.view(own, own.get_desc().submemory_desc(dims, at));
      const GradientPart part = builder.begin_gradient(input, builder.desc(input));
      builder.reorder(slice, part.memory);
      builder.finish_gradient(input, part);
    }
    at[1] += dims[1];
  }
}

}  // namespace convoy::cpu

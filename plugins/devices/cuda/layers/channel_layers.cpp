#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

// Channels [first, first + those of `part`) of the activation `whole`, and all of `part`.
struct Slice {
  std::size_t whole, part;
  std::uint32_t first;
};

ChannelCopy sizes_of(const ProgramBuilder& builder, const Slice& slice) {
  ChannelCopy copy{};
  copy.channels = builder.shape(slice.part).channels;
  copy.rows = builder.rows(slice.part);
  return copy;
}

void copy_into(ProgramBuilder& builder, const Slice& slice, MemoryPlan::Id whole,
               MemoryPlan::Id part) {
  ChannelCopy copy = sizes_of(builder, slice);
  copy.write_channels = builder.shape(slice.whole).channels;
  copy.write_first = slice.first;
  copy.read_channels = copy.channels;
  builder.then([=, type = builder.type()](const Run& run) {
    ChannelCopy now = copy;
    now.write = run.at(whole);
    now.read = run.at(part);
    copy_channels(run.stream, type, now);
  });
}

void copy_gradient_from(ProgramBuilder& builder, const Slice& slice, MemoryPlan::Id whole) {
  if (!builder.needs_gradient(slice.part)) return;
  const GradientPart part = builder.begin_gradient(slice.part);
  ChannelCopy copy = sizes_of(builder, slice);
  copy.read_channels = builder.shape(slice.whole).channels;
  copy.read_first = slice.first;
  copy.write_channels = copy.channels;
  copy.adds = part.adds;
  builder.then([=, type = builder.type()](const Run& run) {
    ChannelCopy now = copy;
    now.write = run.at(part.id);
    now.read = run.at(whole);
    copy_channels(run.stream, type, now);
  });
}

Slice padded_slice(const ProgramBuilder& builder, std::size_t node) {
  const std::size_t input = builder.node(node).inputs[0];
  return {node, input, (builder.shape(node).channels - builder.shape(input).channels) / 2};
}

}  // namespace

void forward_concat(ProgramBuilder& builder, std::size_t node) {
  const MemoryPlan::Id output = builder.define(node);
  std::uint32_t first = 0;
  for (const std::size_t input : builder.node(node).inputs) {
    copy_into(builder, {node, input, first}, output, builder.read(input));
    first += builder.shape(input).channels;
  }
}

void backward_concat(ProgramBuilder& builder, std::size_t node) {
  const MemoryPlan::Id gradient = builder.gradient(node);
  std::uint32_t first = 0;
  for (const std::size_t input : builder.node(node).inputs) {
    copy_gradient_from(builder, {node, input, first}, gradient);
    first += builder.shape(input).channels;
  }
}

void forward_pad_channels(ProgramBuilder& builder, std::size_t node) {
  const MemoryPlan::Id output = builder.define(node);
  const std::uint64_t bytes = builder.elements(node) * bytes_of(builder.type());
  builder.then([=](const Run& run) {
    require(cudaMemsetAsync(run.at(output), 0, bytes, run.stream), "clearing an activation");
  });
  const Slice slice = padded_slice(builder, node);
  copy_into(builder, slice, output, builder.read(slice.part));
}

void backward_pad_channels(ProgramBuilder& builder, std::size_t node) {
  copy_gradient_from(builder, padded_slice(builder, node), builder.gradient(node));
}

}  // namespace convoy::cuda

#include "plugins/devices/cuda/input_buffers.hpp"
#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/program_builder.hpp"

namespace convoy::cuda {

// Images come as [image, channel, row, column] in f32.
void forward_input(ProgramBuilder& builder, std::size_t node) {
  const std::uint64_t cells = builder.cells(node);
  const std::uint64_t images = builder.batch();
  const std::uint32_t channels = builder.shape(node).channels;
  builder.need_input(builder.elements(node) * sizeof(float));
  const MemoryPlan::Id output = builder.define(node);
  builder.forbid_graph("every step brings its images in other memory");
  builder.then([=, type = builder.type()](const Run& run) {
    const void* plain = run.input->bring(run.compute.images, run.lane);
    interleave(run.stream, run.at(output), type, static_cast<const float*>(plain), images, cells,
               channels);
    run.input->release(run.lane);
  });
}

}  // namespace convoy::cuda

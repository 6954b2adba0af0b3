#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/programs/program_builder.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {

// Images arrive as [image, channel, row, column] in f32. Their labels are kept for the loss, so
// that nothing needs the batch after this layer.
void forward_input(ProgramBuilder& builder, std::size_t node) {
  const std::uint64_t cells = builder.cells(node);
  const std::uint64_t images = builder.batch();
  const std::uint32_t channels = builder.shape(node).channels;
  builder.take_input(node);
  const std::optional<MemoryPlan::Id> labels = builder.labels();
  const MemoryPlan::Id output = builder.define(node);
  builder.then([=, type = builder.type()](const Run& run) {
    interleave(run.stream, run.at(output), type, run.batch.images, images, cells, channels);
    if (!labels) return;
    require(cudaMemcpyAsync(run.at(*labels), run.batch.labels, images * sizeof(std::int32_t),
                            cudaMemcpyDeviceToDevice, run.stream),
            "copying labels");
  });
}

}  // namespace convoy::cuda

#include "plugins/devices/cuda/layers/layers.hpp"
#include "plugins/devices/cuda/program_builder.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {

// Images come as [image, channel, row, column] in f32.
void forward_input(ProgramBuilder& builder, std::size_t node) {
  const convoy_node& shape = builder.shape(node);
  const std::uint64_t cells = builder.cells(node);
  const std::uint64_t bytes = builder.elements(node) * sizeof(float);
  const MemoryPlan::Id plain = builder.temporary(bytes);
  const MemoryPlan::Id output = builder.define(node);
  const std::uint32_t channels = shape.channels;
  const std::uint32_t width = shape.width;
  const Permutation order = {{builder.batch(), shape.height, width, channels},
                             {cells * channels, std::uint64_t{width} * channels, channels, 1},
                             {cells * channels, width, 1, cells}};
  builder.forbid_graph("every step brings its images in other memory");
  builder.then([=, type = builder.type()](const Run& run) {
    require(
        cudaMemcpyAsync(run.at(plain), run.compute.images, bytes, cudaMemcpyDefault, run.stream),
        "copying images to the GPU");
    permute(run.stream, run.at(output), type, run.at(plain), Type::kFloat, order);
  });
}

}  // namespace convoy::cuda

#include "plugins/devices/cuda/graphs/graph_driver.hpp"

#include "plugins/devices/cuda/gpu/gpu_memory.hpp"
#include "plugins/devices/cuda/status.hpp"

namespace convoy::cuda {
namespace {

class CudaGraphs : public GraphDriver {
 public:
  // Thread-local: other threads, which watch events and allocate, continue normally.
  void begin(cudaStream_t stream) override {
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
            "beginning a CUDA graph");
  }

  Graph end(cudaStream_t stream) override {
    cudaGraph_t graph = nullptr;
    cudaError_t status = cudaStreamEndCapture(stream, &graph);
    cudaGraphExec_t ready = nullptr;
    const auto turn = memory_turn();
    if (status == cudaSuccess) status = cudaGraphInstantiate(&ready, graph, 0);
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    if (status == cudaSuccess) return ready;
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }

  // May also allocate memory and block.
  void launch(Graph graph, cudaStream_t stream) override {
    const auto turn = memory_turn();
    require(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream), "launching a CUDA graph");
  }

  // Ignores errors.
  void destroy(Graph graph) override {
    const auto turn = memory_turn();
    static_cast<void>(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)));
  }

  Mark make_mark() override {
    cudaEvent_t event = nullptr;
    require(cudaEventCreate(&event), "creating an event");
    return event;
  }

  // External: the event is a node of the graph, not a mark within the recording.
  void place(Mark mark, cudaStream_t stream) override {
    require(
        cudaEventRecordWithFlags(static_cast<cudaEvent_t>(mark), stream, cudaEventRecordExternal),
        "recording an event");
  }

  void destroy_mark(Mark mark) override {
    static_cast<void>(cudaEventDestroy(static_cast<cudaEvent_t>(mark)));
  }
};

}  // namespace

GraphDriver& cuda_graphs() {
  static CudaGraphs driver;
  return driver;
}

}  // namespace convoy::cuda

// The functions of the CUDA runtime that the plug-in calls, on host memory: everything is done when
// the call returns, or when the graph is launched that it was recorded for; behind a collective,
// when that has ended. Two GPUs, or CONVOY_EMULATED_GPUS, at most ten, of which
// CUDA_VISIBLE_DEVICES chooses by numbers. There is no cudaDeviceSynchronize: it would end
// recordings of other threads, so that the plug-in must do without it. What CUDA refuses is refused
// here, too: events, streams and memory of another GPU or kind, events that were never recorded.
// What may hang there ends the process: memory calls, and the first launch of a kernel on a GPU,
// while ranks of a collective are started.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/devices/cuda/emulated/emulated_streams.hpp"
#include "tests/devices/cuda/emulated/emulation.hpp"

namespace emulation = convoy::cuda::emulation;
using emulation::current_gpu;
using emulation::queue;
using emulation::Recording;
using emulation::refuse;

struct CUgraph_st {
  Recording work;
};
struct CUgraphExec_st {
  Recording work;
};

namespace {

constexpr int kOfHost = -1;

// Which GPU every piece of memory belongs to, by its first byte, with its size.
struct Piece {
  std::size_t bytes;
  int gpu;
};
std::mutex pieces_mutex;
std::map<const char*, Piece> pieces;

int present_gpus() {
  const char* number = std::getenv("CONVOY_EMULATED_GPUS");
  return number == nullptr ? 2 : std::clamp(std::atoi(number), 0, 10);
}

// The GPUs that the process sees, in its order: the list ends at the first entry that is none.
std::vector<int> visible_gpus() {
  std::vector<int> gpus(static_cast<std::size_t>(present_gpus()));
  std::iota(gpus.begin(), gpus.end(), 0);
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  if (list == nullptr) return gpus;
  const auto is_gpu = [&](const std::string& entry) {
    return entry.size() == 1 && std::ranges::count(gpus, entry[0] - '0') > 0;
  };
  std::vector<int> chosen;
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ',') && is_gpu(entry);)
    chosen.push_back(entry[0] - '0');
  return chosen;
}

// Which piece an address is in; empty for memory of the host that is not pinned.
std::optional<Piece> piece_of(const void* memory) {
  const auto* byte = static_cast<const char*>(memory);
  const std::lock_guard lock(pieces_mutex);
  const auto behind = pieces.upper_bound(byte);
  if (behind == pieces.begin()) return std::nullopt;
  const auto& [first, piece] = *std::prev(behind);
  return byte < first + piece.bytes ? std::optional(piece) : std::nullopt;
}

// Filled with not-a-number, so that what is read before it is written shows.
cudaError_t allocate(void** memory, std::size_t bytes, int gpu) {
  emulation::check_memory_call();
  *memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  if (*memory == nullptr) return refuse(cudaErrorMemoryAllocation);
  if (!emulation::only_counts()) std::memset(*memory, 0xff, bytes);
  const std::lock_guard lock(pieces_mutex);
  pieces[static_cast<const char*>(*memory)] = {bytes, gpu};
  return cudaSuccess;
}

cudaError_t release(void* memory, bool of_host) {
  if (memory == nullptr) return cudaSuccess;
  emulation::check_memory_call();
  {
    const std::lock_guard lock(pieces_mutex);
    const auto piece = pieces.find(static_cast<const char*>(memory));
    if (piece == pieces.end() || (piece->second.gpu == kOfHost) != of_host)
      return refuse(cudaErrorInvalidValue);
    pieces.erase(piece);
  }
  std::free(memory);
  return cudaSuccess;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): CUDA's names.
extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = static_cast<int>(visible_gpus().size());
  return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || static_cast<std::size_t>(device) >= visible_gpus().size())
    return refuse(cudaErrorInvalidDevice);
  current_gpu() = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = current_gpu();
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  return emulation::take_last_error();
}
const char* cudaGetErrorString(cudaError_t) {
  return "emulated";
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  *properties = {};
  std::strcpy(properties->name, "emulated GPU");
  properties->major = 9;
  properties->totalGlobalMem = std::size_t{1} << 32;
  const int gpu = visible_gpus().at(static_cast<std::size_t>(device));
  std::ranges::fill(properties->uuid.bytes, static_cast<char>(0x0a + gpu));
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  const int gpu = visible_gpus().at(static_cast<std::size_t>(device));
  constexpr const char* kAddresses[] = {
      "0000:30:00.0", "0000:65:00.0", "0000:66:00.0", "0000:67:00.0", "0000:68:00.0",
      "0000:69:00.0", "0000:6a:00.0", "0000:6b:00.0", "0000:6c:00.0", "0000:6d:00.0"};
  std::strncpy(text, kAddresses[gpu], static_cast<std::size_t>(length));
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* possible, int, int) {
  *possible = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* available, std::size_t* total) {
  // Small: workspaces take a share of it, where it is used at all.
  *available = *total = std::size_t{emulation::only_counts() ? 65536u : 352u} << 20;
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return allocate(memory, bytes, kOfHost);
}
cudaError_t cudaFreeHost(void* memory) {
  return release(memory, true);
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (emulation::is_capturing()) return refuse(cudaErrorStreamCaptureUnsupported);
  return allocate(memory, bytes, current_gpu());
}
cudaError_t cudaFree(void* memory) {
  if (emulation::is_capturing()) return refuse(cudaErrorStreamCaptureUnsupported);
  return release(memory, false);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  *attributes = {};
  const std::optional<Piece> piece = piece_of(memory);
  if (!piece) return cudaSuccess;
  const bool of_host = piece->gpu == kOfHost;
  attributes->type = of_host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  attributes->device = of_host ? 0 : piece->gpu;
  return cudaSuccess;
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  if (!emulation::only_counts()) std::memset(memory, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  queue(stream, [=] { std::memset(memory, value, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  queue(stream, [=] { std::memcpy(to, from, bytes); });
  if (!piece_of(to) || !piece_of(from)) emulation::copy_unpinned(stream);
  return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  emulation::begin_capture(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  Recording work;
  const cudaError_t status = emulation::end_capture(stream, work);
  *graph = status == cudaSuccess ? new CUgraph_st{std::move(work)} : nullptr;
  return status;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned long long) {
  *ready = new CUgraphExec_st{graph->work};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  emulation::launch_graph(graph->work, stream);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  *lowest = 0;
  *highest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  *stream = new CUstream_st;
  (*stream)->gpu = current_gpu();
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (stream == nullptr) return cudaSuccess;
  if (stream->capture != nullptr) return refuse(cudaErrorStreamCaptureUnsupported);
  emulation::synchronize(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  emulation::wait(stream, event);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = new CUevent_st;
  (*event)->gpu = current_gpu();
  (*event)->has_time = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event->gpu != stream->gpu) return refuse(cudaErrorInvalidResourceHandle);
  emulation::record(event, stream);
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  if (flags != cudaEventRecordExternal) return refuse(cudaErrorInvalidValue);
  if (event->gpu != stream->gpu) return refuse(cudaErrorInvalidResourceHandle);
  emulation::record_in_graph(event, stream);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (event->capture != nullptr) return refuse(cudaErrorCapturedEvent);
  if (emulation::has_come(event)) return cudaSuccess;
  // Whoever asks asks again at once, for every GPU, and their work needs the same processors.
  std::this_thread::sleep_for(std::chrono::microseconds(200));
  return refuse(cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (event->capture != nullptr) return refuse(cudaErrorCapturedEvent);
  emulation::synchronize(event);
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  const bool fit = from->gpu == to->gpu && from->has_time && to->has_time && from->recorded &&
                   to->recorded && from->capture == nullptr && to->capture == nullptr;
  if (!fit) return refuse(cudaErrorInvalidResourceHandle);
  if (!emulation::has_come(from) || !emulation::has_come(to)) return refuse(cudaErrorNotReady);
  *milliseconds = static_cast<float>(to->milliseconds - from->milliseconds);
  return cudaSuccess;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)

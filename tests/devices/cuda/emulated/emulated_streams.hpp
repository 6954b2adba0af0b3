#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace convoy::cuda::emulation {

struct Work {
  std::function<void()> run;
  bool computes;  // it is not only an event
};
using Recording = std::vector<Work>;

// What one thread records for a graph, from the stream that it began with and those that were made
// to wait for what is recorded.
struct Capture {
  Recording work;
  std::vector<CUstream_st*> streams;
  bool open = true;
};

// By stream, how much of its recorded work comes before.
using Before = std::map<const CUstream_st*, std::uint64_t>;

// Nothing is computed, only counted: see Counter.
bool only_counts();

// As CUDA has it: see cudaStreamBeginCapture and so on.
void begin_capture(CUstream_st* stream);
cudaError_t end_capture(CUstream_st* stream, Recording& work);
bool is_capturing();
void record(CUevent_st* event, CUstream_st* stream);
void record_in_graph(CUevent_st* event, CUstream_st* stream);
void wait(CUstream_st* stream, CUevent_st* event);
void launch_graph(const Recording& work);

}  // namespace convoy::cuda::emulation

struct CUstream_st {
  std::shared_ptr<convoy::cuda::emulation::Capture> capture;  // null: work is done at once
  std::uint64_t recorded = 0;
  convoy::cuda::emulation::Before before;
};

struct CUevent_st {
  double milliseconds = 0;
  std::shared_ptr<convoy::cuda::emulation::Capture> capture;  // null: recorded outside of one
  convoy::cuda::emulation::Before before;
};

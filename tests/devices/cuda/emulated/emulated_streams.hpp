#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <deque>
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

// What other work waits for: an event of a stream that is held up, or what holds it up.
struct Mark {
  std::atomic<bool> reached = false;
};

// The stream runs `arrived` once it has come so far, and nothing after it until release(until).
void hold(CUstream_st* stream, std::function<void()> arrived, std::shared_ptr<Mark> until);
// From any thread, which runs what streams have held back for it.
void release(Mark& mark);
// Waits until the stream has done all that it was given, or the event has come.
void synchronize(CUstream_st* stream);
void synchronize(CUevent_st* event);
bool has_come(const CUevent_st* event);

// As CUDA has it: see cudaStreamBeginCapture and so on.
void begin_capture(CUstream_st* stream);
cudaError_t end_capture(CUstream_st* stream, Recording& work);
bool is_capturing();
void record(CUevent_st* event, CUstream_st* stream);
void record_in_graph(CUevent_st* event, CUstream_st* stream);
void wait(CUstream_st* stream, CUevent_st* event);
void launch_graph(const Recording& work, CUstream_st* stream);
// The stream copies from or to memory of the host that is not pinned: then the caller waits until
// it has done what it was given before. Whoever does not wait for the stream next did not mean to.
void copy_unpinned(CUstream_st* stream);

}  // namespace convoy::cuda::emulation

struct CUstream_st {
  int gpu = 0;
  // Null: work is done at once, unless the stream is held up.
  std::shared_ptr<convoy::cuda::emulation::Capture> capture;
  std::uint64_t recorded = 0;
  convoy::cuda::emulation::Before before;
  struct HeldBack {
    std::function<void()> run;                                  // may be empty
    std::shared_ptr<convoy::cuda::emulation::Mark> until = {};  // first; null: nothing
  };
  std::deque<HeldBack> held_back;  // in order
  bool is_running = false;         // a thread runs one of them
  bool copied_unpinned = false;    // last
};

struct CUevent_st {
  int gpu = 0;
  bool has_time = true;
  bool recorded = false;
  double milliseconds = 0;
  std::shared_ptr<convoy::cuda::emulation::Capture> capture;  // null: recorded outside of one
  std::shared_ptr<convoy::cuda::emulation::Mark> mark;        // null: it came when it was recorded
  convoy::cuda::emulation::Before before;
};

#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <mutex>
#include <optional>
#include <vector>

#include "plugins/devices/cuda/lanes/lane_engine.hpp"

namespace convoy::cuda {

// Returns seconds on the clock that all devices of the process share.
double now_seconds();

// A stream per lane of one GPU and one for the input, and reusable events. Copies, collectives and
// updates have priority over layers. Event times are converted to the clock of now_seconds().
class CudaStreams : public StreamDriver {
 public:
  explicit CudaStreams(int gpu);
  ~CudaStreams() override;
  CudaStreams(const CudaStreams&) = delete;
  CudaStreams& operator=(const CudaStreams&) = delete;

  cudaStream_t stream(std::uint32_t lane) const { return streams_.at(lane); }

  void begin_thread() override;
  Event record(std::uint32_t lane) override;
  void wait(std::uint32_t lane, Event event) override;
  bool reached(Event event) override;
  double time(Event event) override;
  std::optional<double> marked_time(Event mark) override;
  void give_back(Event event) override;

 private:
  struct NextBase {
    cudaEvent_t event = nullptr;
    double seconds = 0;
  };

  cudaEvent_t take();
  void set_base();

  int gpu_;
  std::array<cudaStream_t, kStreams> streams_{};
  std::mutex mutex_;  // guards the members below
  std::vector<cudaEvent_t> all_;
  std::vector<cudaEvent_t> free_;
  cudaEvent_t base_ = nullptr;  // an event whose time on the host's clock is known
  double base_seconds_ = 0;
  NextBase next_base_;  // a later base, used as soon as no pending event needs the old one
};

}  // namespace convoy::cuda

#pragma once

#ifdef CONVOY_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace convoy::cuda {

// A range of host time that NVIDIA's profilers show under this name, with the kernels queued in it.
// Without a profiler, or without the toolkit's header, it costs almost nothing.
class NamedRange {
 public:
#ifdef CONVOY_NVTX
  explicit NamedRange(const char* name) {
    nvtxRangePushA(name);
  }
  ~NamedRange() {
    nvtxRangePop();
  }
#else
  explicit NamedRange(const char*) {}
#endif
  NamedRange(const NamedRange&) = delete;
  NamedRange& operator=(const NamedRange&) = delete;
};

}  // namespace convoy::cuda

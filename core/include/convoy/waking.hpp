// Helper for device plug-ins in C++20 that export convoy/abi/waking.h. The plug-in keeps one
// TimelineListeners for all of its devices and calls tell() for every timeline that an operation
// has advanced. It ends one source file with CONVOY_DEVICE_WAKING(listeners, advanced), with
// functions of these forms:
//   convoy::TimelineListeners& listeners();
//   void advanced(const uint64_t* timeline, uint64_t value) noexcept;
#ifndef CONVOY_WAKING_HPP
#define CONVOY_WAKING_HPP

#include <convoy/abi/waking.h>

#include <algorithm>
#include <atomic>
#include <convoy/manifest.hpp>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace convoy {

// The listeners for timelines that operations of devices advance. Thread-safe.
class TimelineListeners {
 public:
  // Costs one load when there is no listener. The caller has stored the value, sequentially
  // consistently.
  void tell(const uint64_t* timeline, uint64_t value) {
    if (is_empty()) return;
    const std::shared_lock lock(mutex_);
    for (const Listener& it : listeners_) it.heard(it.state, timeline, value);
  }
  bool is_empty() const { return count_.load(std::memory_order_seq_cst) == 0; }

  void add(convoy_timeline_listener heard, void* state) {
    const std::unique_lock lock(mutex_);
    listeners_.push_back({heard, state});
    count_.store(listeners_.size(), std::memory_order_seq_cst);
  }
  // No call of the listener is running when it returns.
  void remove(void* state) {
    const std::unique_lock lock(mutex_);
    std::erase_if(listeners_, [state](const Listener& it) { return it.state == state; });
    count_.store(listeners_.size(), std::memory_order_seq_cst);
  }

 private:
  struct Listener {
    convoy_timeline_listener heard;
    void* state;
  };
  std::shared_mutex mutex_;
  std::vector<Listener> listeners_;
  std::atomic<uint64_t> count_{0};
};

namespace waking_detail {

template <TimelineListeners& (*kListeners)()>
int32_t listen(convoy_timeline_listener heard, void* state) noexcept {
  try {
    kListeners().add(heard, state);
  } catch (...) {
    return CONVOY_FAILED;
  }
  return CONVOY_OK;
}
template <TimelineListeners& (*kListeners)()>
void forget(void* state) noexcept {
  kListeners().remove(state);
}

template <TimelineListeners& (*kListeners)(), void (*kAdvanced)(const uint64_t*, uint64_t) noexcept>
inline constexpr convoy_device_waking kTable = {sizeof(convoy_device_waking), kAdvanced,
                                                listen<kListeners>, forget<kListeners>};

}  // namespace waking_detail
}  // namespace convoy

#define CONVOY_DEVICE_WAKING(listeners, advanced)                                  \
  extern "C" CONVOY_EXPORT const convoy_device_waking* convoy_device_waking_v1() { \
    return &::convoy::waking_detail::kTable<listeners, advanced>;                  \
  }                                                                                \
  static_assert(true, "a semicolon may follow")

#endif

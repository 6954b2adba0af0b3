// Checks that threads can be started, before a library starts some. Many libraries end the process,
// or wait for ever, when the system refuses a thread.
#ifndef CONVOY_THREADS_HPP
#define CONVOY_THREADS_HPP

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace convoy {

// The limits that may be the cause when the system refuses a thread.
inline constexpr const char* kThreadLimits =
    "`ulimit -u` (of all processes of this user together), the control group (of all processes in "
    "it) and, by the memory of their stacks, `ulimit -v` limit threads";

// Threads that wait until this object is destroyed.
class WaitingThreads {
 public:
  // Starts `most` threads, or as many as the system allows: see count(). stack_bytes: 0 for stacks
  // of the default size.
  explicit WaitingThreads(uint64_t most, size_t stack_bytes = 0) {
    threads_.reserve(most);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    if (stack_bytes != 0) pthread_attr_setstacksize(&attributes, stack_bytes);
    for (pthread_t thread; threads_.size() < most; threads_.push_back(thread))
      if (pthread_create(&thread, &attributes, wait_for_end, &ended_) != 0) break;
    pthread_attr_destroy(&attributes);
  }
  ~WaitingThreads() {
    ended_ = true;
    ended_.notify_all();
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
  }
  WaitingThreads(const WaitingThreads&) = delete;
  WaitingThreads& operator=(const WaitingThreads&) = delete;

  uint64_t count() const { return threads_.size(); }

 private:
  static void* wait_for_end(void* ended) {
    static_cast<std::atomic<bool>*>(ended)->wait(false);
    return nullptr;
  }

  std::vector<pthread_t> threads_;
  std::atomic<bool> ended_{false};
};

// Starts `more` threads and ends them again. Throws std::runtime_error unless the system allows all
// of them at the same time, with stacks of the default size. The text of the error begins with
// `what`, which names what will start the threads.
inline void require_threads(uint64_t more, const std::string& what) {
  const WaitingThreads given(more);
  if (given.count() == more) return;
  throw std::runtime_error(what + " needs " + std::to_string(more) +
                           " threads, of which the system gives " + std::to_string(given.count()) +
                           "; " + kThreadLimits +
                           ": raise the limit, or run fewer processes at the same time");
}

}  // namespace convoy

#endif

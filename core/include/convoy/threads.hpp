// Threads that a library is about to start. Many libraries end the process, or wait for ever, when
// the system refuses one; whoever uses them asks first.
#ifndef CONVOY_THREADS_HPP
#define CONVOY_THREADS_HPP

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace convoy {

// What may be behind a thread that the system refuses.
inline constexpr const char* kThreadLimits =
    "`ulimit -u`, the control group and, by the memory of their stacks, `ulimit -v` limit threads";

// Threads that wait until this object is destroyed.
class WaitingThreads {
 public:
  explicit WaitingThreads(uint64_t most) {
    threads_.reserve(most);
    try {
      while (threads_.size() < most) threads_.emplace_back([this] { ended_.wait(false); });
    } catch (const std::system_error&) {
      // there are as many as there may be
    }
  }
  ~WaitingThreads() {
    ended_ = true;
    ended_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  WaitingThreads(const WaitingThreads&) = delete;
  WaitingThreads& operator=(const WaitingThreads&) = delete;

  uint64_t count() const { return threads_.size(); }

 private:
  std::vector<std::thread> threads_;
  std::atomic<bool> ended_{false};
};

// Starts `more` threads and ends them again. Throws std::runtime_error unless the system gives them
// all at once, with stacks of the usual size. `what`: whose they are to be.
inline void require_threads(uint64_t more, const std::string& what) {
  const WaitingThreads given(more);
  if (given.count() == more) return;
  throw std::runtime_error(what + " needs " + std::to_string(more) +
                           " threads, of which the system gives " + std::to_string(given.count()) +
                           "; " + kThreadLimits + ": raise the limit");
}

}  // namespace convoy

#endif

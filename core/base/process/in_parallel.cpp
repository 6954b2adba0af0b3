#include "core/base/process/in_parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/process/processors.hpp"

namespace convoy {
namespace {

std::atomic<std::size_t> helpers_at_work = 0;

// The state that the threads of one in_parallel() share.
class SharedWork {
 public:
  SharedWork(std::size_t count, const std::function<void(std::size_t)>& work)
      : count_(count), work_(work) {}

  void take_turns() {
    for (std::size_t i = next_++; i < count_; i = next_++) {
      try {
        work_(i);
      } catch (const OtherWorkGoesOn&) {
        const std::lock_guard lock(mutex_);
        put_off_.push_back(i);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        problem_ = std::current_exception();
      }
    }
  }

  // Call this after the other threads have ended.
  void finish() {
    if (problem_) std::rethrow_exception(problem_);
    std::ranges::sort(put_off_);
    for (const std::size_t i : put_off_) work_(i);
  }

 private:
  const std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::vector<std::size_t> put_off_;
  std::exception_ptr problem_;
};

struct CountedHelpers {
  explicit CountedHelpers(std::size_t helpers) : count(helpers) { helpers_at_work += count; }
  ~CountedHelpers() { helpers_at_work -= count; }
  CountedHelpers(const CountedHelpers&) = delete;
  CountedHelpers& operator=(const CountedHelpers&) = delete;

  const std::size_t count;
};

}  // namespace

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  SharedWork shared(count, work);
  const std::size_t threads = std::min<std::size_t>(count, count_usable_processors());
  {
    const CountedHelpers counted(threads > 1 ? threads - 1 : 0);
    std::vector<std::jthread> helpers;  // destroyed, and so joined, before `counted`
    helpers.reserve(counted.count);
    try {
      for (std::size_t i = 0; i < counted.count; ++i)
        helpers.emplace_back([&shared] { shared.take_turns(); });
    } catch (const std::system_error&) {
      // the threads that exist do all the work
    }
    shared.take_turns();
  }
  shared.finish();
}

void side_by_side(std::size_t items, const std::function<void()>& one,
                  const std::function<void()>& other) {
  constexpr std::size_t kMany = 20'000;
  if (items >= kMany) return in_parallel(2, [&](std::size_t part) { part == 0 ? one() : other(); });
  one();
  other();
}

void require_no_other_work() {
  if (helpers_at_work > 0) throw OtherWorkGoesOn();
}

}  // namespace convoy

#pragma once

#include <cstdint>

namespace convoy::testing {

struct CallCounts {
  std::int64_t allocations = 0;
  std::int64_t locks = 0;
};

// Counts what all threads of this process do while it lives, plug-ins included: memory they
// allocate and mutexes they lock. What oneDNN does inside a primitive is its own business and is
// left out. One at a time.
class CallCounter {
 public:
  CallCounter();
  ~CallCounter();
  CallCounter(const CallCounter&) = delete;
  CallCounter& operator=(const CallCounter&) = delete;

  CallCounts counts() const;
};

}  // namespace convoy::testing

#pragma once

#include <convoy/abi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace convoy::conformance {

// Copies host memory of tests to a device that does not address it. An operation is passed on with
// the device's pointers, and everything that it may write is copied back.
class MirroredMemory {
 public:
  struct Functions {
    std::function<void*(std::uint64_t bytes)> allocate;
    std::function<void(void*)> deallocate;
    std::function<void(void* to, const void* from_host, std::uint64_t bytes)> write;
    std::function<void(void* to_host, const void* from, std::uint64_t bytes)> read;
  };

  explicit MirroredMemory(Functions functions) : functions_(std::move(functions)) {}
  ~MirroredMemory();
  MirroredMemory(const MirroredMemory&) = delete;
  MirroredMemory& operator=(const MirroredMemory&) = delete;

  // Declares memory whose size no operation says: arenas and state of programs.
  void know(const void* host, std::uint64_t bytes) { known_[host] = bytes; }
  // Calls run_there with the operation on the device's memory.
  void run(const convoy_submission& submission,
           const std::function<void(const convoy_submission&)>& run_there);

 private:
  struct Mirror {
    void* there = nullptr;
    std::uint64_t bytes = 0;
  };

  void* there(const void* host, std::uint64_t bytes);
  void* known_there(const void* host);
  std::vector<convoy_region> regions(const convoy_region* all, std::uint64_t count);
  void back();

  Functions functions_;
  std::map<const void*, std::uint64_t> known_;
  std::map<const void*, Mirror> mirrors_;  // for one operation
};

}  // namespace convoy::conformance

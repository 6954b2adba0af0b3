#pragma once

#include <atomic>
#include <convoy/transport_events.hpp>
#include <cstdint>
#include <mutex>
#include <vector>

namespace convoy::grpc_transport {

// A piece of a message that gRPC has released.
struct Released {
  std::uint32_t peer;
  std::uint32_t channel;
  std::uint64_t sequence;
};

// Passes results of gRPC's threads to the polling thread, and wakes it. Any thread may call it. It
// lives until gRPC refers to no memory any more.
class Mailbox {
 public:
  Mailbox();
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Readable when there is something to do.
  int descriptor() const { return epoll_; }
  void wake();
  // Sleeps until there is something to do, or `seconds` have passed.
  void sleep(double seconds) const;
  // Clears the wake-up. The caller then looks at everything.
  void settle();
  // Starts or stops waking at intervals, for timed work.
  void tick(bool on);

  void release(const Released& piece);
  std::vector<Released> take_released();

 private:
  int epoll_;
  int bell_;
  int timer_;
  bool ticks_ = false;
  std::atomic<bool> rung_ = false;
  std::mutex mutex_;  // no function is called while it is held
  std::vector<Released> released_;
};

}  // namespace convoy::grpc_transport

#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/devices/cuda/nccl_arithmetic.hpp"

namespace convoy::cuda::emulation {

// Where the processes of a communicator meet, in the process that made its id: takes what all ranks
// send, computes it and sends every rank its result. A socket without a file, so that nothing is
// left of it. When a process is lost it says nothing, as NCCL may: the others wait for ever.
class CollectiveRoom {
 public:
  explicit CollectiveRoom(const std::string& name);
  ~CollectiveRoom();  // after the collective that it is in, unless that waits for somebody
  CollectiveRoom(const CollectiveRoom&) = delete;
  CollectiveRoom& operator=(const CollectiveRoom&) = delete;

 private:
  struct Guest {
    int socket = -1;
    std::vector<int> ranks;
  };

  void serve();
  bool admit_all();
  bool serve_call();
  void shut(int how);

  int door_ = -1;
  std::atomic<bool> closing_ = false;
  std::atomic<bool> closed_ = false;
  std::mutex mutex_;  // of the guests' list
  std::vector<Guest> guests_;
  std::thread thread_;
};

// One process's way into a room, with its ranks. Functions return false once it is left or the room
// is lost.
class RoomVisit {
 public:
  RoomVisit() = default;
  ~RoomVisit();
  RoomVisit(const RoomVisit&) = delete;
  RoomVisit& operator=(const RoomVisit&) = delete;

  // Waits until all `size` ranks are there.
  bool enter(const std::string& name, int size, const std::vector<int>& ranks);
  // One call of every rank of this process, in their order; back when its results are there.
  bool take_part(const std::vector<fake_nccl::Call>& calls);
  // Ends the others, from any thread.
  void leave();

 private:
  std::mutex mutex_;
  bool left_ = false;
  int socket_ = -1;
  int size_ = 0;
  std::vector<int> ranks_;
};

// What a call of a communicator of so many ranks reads and writes at its rank, in bytes.
std::size_t bytes_sent(const fake_nccl::Call& call, int size);
std::size_t bytes_received(const fake_nccl::Call& call, int size, int rank);

}  // namespace convoy::cuda::emulation

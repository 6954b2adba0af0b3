#include "plugins/transports/mpi/frames.hpp"

#include <cstring>
#include <utility>

#include "plugins/transports/mpi/launch.hpp"

namespace convoy::mpi {

// MPI may still read memory of frames that nobody has received: it is left to it.
OutgoingFrames::~OutgoingFrames() {
  for (Flying& it : flying_) static_cast<void>(it.memory.release());
}

void OutgoingFrames::send(int to, const Frame& frame, const void* payload) {
  std::unique_ptr<FrameMemory> memory;
  if (free_.empty()) {
    memory = std::make_unique<FrameMemory>();
  } else {
    memory = std::move(free_.back());
    free_.pop_back();
  }
  std::memcpy(memory->data(), &frame, sizeof frame);
  if (frame.payload > 0) std::memcpy(memory->data() + sizeof frame, payload, frame.payload);
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Isend(memory->data(), static_cast<int>(sizeof frame + frame.payload), MPI_BYTE, to,
                    kFrameTag, MPI_COMM_WORLD, &request),
          "MPI_Isend");
  flying_.push_back({request, std::move(memory)});
}

bool OutgoingFrames::progress() {
  bool moved = false;
  for (std::size_t i = 0; i < flying_.size();) {
    int done = 0;
    require(MPI_Test(&flying_[i].request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) {
      // Those behind it are rarely further; all are tried when there is no room.
      if (has_room()) break;
      ++i;
      continue;
    }
    free_.push_back(std::move(flying_[i].memory));
    flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(i));
    moved = true;
  }
  return moved;
}

IncomingFrames::IncomingFrames() {
  for (std::size_t i = 0; i < kPosted; ++i) post(i);
}

IncomingFrames::~IncomingFrames() {
  for (MPI_Request& request : requests_) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void IncomingFrames::post(std::size_t index) {
  require(MPI_Irecv(memory_[index].data(), static_cast<int>(kFrameBytes), MPI_BYTE, MPI_ANY_SOURCE,
                    kFrameTag, MPI_COMM_WORLD, &requests_[index]),
          "MPI_Irecv");
}

bool IncomingFrames::arrived(int& source, int& bytes) {
  int done = 0;
  MPI_Status status{};
  require(MPI_Test(&requests_[oldest_], &done, &status), "MPI_Test");
  if (done == 0) return false;
  source = status.MPI_SOURCE;
  require(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  return true;
}

}  // namespace convoy::mpi

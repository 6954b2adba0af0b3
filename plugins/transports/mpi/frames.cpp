#include "plugins/transports/mpi/frames.hpp"

#include <cstring>
#include <utility>

#include "plugins/transports/mpi/launch.hpp"

namespace convoy::mpi {

// MPI may still read memory of parcels that were not received, so this memory is leaked.
OutgoingParcels::~OutgoingParcels() {
  for (Flying& it : flying_) static_cast<void>(it.memory.release());
}

std::unique_ptr<ParcelMemory> OutgoingParcels::memory() {
  if (free_.empty()) return std::make_unique_for_overwrite<ParcelMemory>();
  auto memory = std::move(free_.back());
  free_.pop_back();
  return memory;
}

void OutgoingParcels::send(int to, std::unique_ptr<ParcelMemory> memory, std::size_t bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  require(MPI_Isend(memory->data(), static_cast<int>(bytes), MPI_BYTE, to, kFrameTag,
                    MPI_COMM_WORLD, &request),
          "MPI_Isend");
  flying_.push_back({request, std::move(memory)});
}

bool OutgoingParcels::progress() {
  bool moved = false;
  for (std::size_t i = 0; i < flying_.size();) {
    int done = 0;
    require(MPI_Test(&flying_[i].request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done == 0) {
      // Later parcels are rarely finished earlier; all are checked when there is no room.
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

void Parcel::add(const Frame& frame, const void* payload) {
  if (bytes_ + sizeof frame + frame.payload > kParcelBytes) send();
  if (memory_ == nullptr) memory_ = parcels_.memory();
  std::byte* const to = memory_->data() + bytes_;
  std::memcpy(to, &frame, sizeof frame);
  if (payload != nullptr) std::memcpy(to + sizeof frame, payload, frame.payload);
  bytes_ += sizeof frame + frame.payload;
}

void Parcel::send() {
  if (bytes_ > 0) parcels_.send(to_, std::move(memory_), std::exchange(bytes_, 0));
}

IncomingParcels::IncomingParcels() {
  for (std::size_t i = 0; i < kPosted; ++i) post(i);
}

IncomingParcels::~IncomingParcels() {
  for (MPI_Request& request : requests_) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

void IncomingParcels::post(std::size_t index) {
  require(MPI_Irecv(memory_[index].data(), static_cast<int>(kParcelBytes), MPI_BYTE, MPI_ANY_SOURCE,
                    kFrameTag, MPI_COMM_WORLD, &requests_[index]),
          "MPI_Irecv");
}

bool IncomingParcels::arrived(int& source, int& bytes) {
  int done = 0;
  MPI_Status status{};
  require(MPI_Test(&requests_[oldest_], &done, &status), "MPI_Test");
  if (done == 0) return false;
  source = status.MPI_SOURCE;
  require(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  return true;
}

}  // namespace convoy::mpi

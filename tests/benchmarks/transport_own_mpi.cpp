#include "tests/benchmarks/transport_own_mpi.hpp"

#include <stdexcept>
#include <vector>

#ifdef CONVOY_HAS_MPI
#include <mpi.h>
#endif

namespace convoy::testing {

#ifdef CONVOY_HAS_MPI

namespace {

// One direction of all channels: a window of messages is always with MPI.
class MpiDirection {
 public:
  MpiDirection(const Streams& streams, int other, bool sends)
      : streams_(streams),
        other_(other),
        sends_(sends),
        memory_(streams.channels * kWindow),
        requests_(memory_.size(), MPI_REQUEST_NULL) {
    for (auto& span : memory_) span.resize(streams.bytes);
  }
  // Whether there is anything left.
  bool progress() {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      int done = 1;
      if (requests_[i] != MPI_REQUEST_NULL) {
        MPI_Test(&requests_[i], &done, MPI_STATUS_IGNORE);
        if (done != 0) ++done_;
      }
      if (done != 0 && queued_ < streams_.messages()) queue(i);
    }
    return done_ < streams_.messages();
  }

 private:
  void queue(std::size_t i) {
    const int tag = 1000 + static_cast<int>(i);
    const int bytes = static_cast<int>(streams_.bytes);
    if (sends_)
      MPI_Isend(memory_[i].data(), bytes, MPI_BYTE, other_, tag, MPI_COMM_WORLD, &requests_[i]);
    else
      MPI_Irecv(memory_[i].data(), bytes, MPI_BYTE, other_, tag, MPI_COMM_WORLD, &requests_[i]);
    ++queued_;
  }

  const Streams& streams_;
  int other_;
  bool sends_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<MPI_Request> requests_;
  std::uint64_t queued_ = 0;
  std::uint64_t done_ = 0;
};

}  // namespace

double over_mpi(conformance::TransportEnd& end, const Streams& streams) {
  bind_to_core(end.rank());
  const auto other = static_cast<int>(end.other());
  MpiDirection outgoing(streams, other, true);
  MpiDirection incoming(streams, other, false);
  const bool sends = streams.both || end.rank() == 0;
  const bool receives = streams.both || end.rank() == 1;
  end.meet();
  const conformance::Stopwatch watch;
  for (bool left = true; left;) {
    left = receives && incoming.progress();
    left |= sends && outgoing.progress();
  }
  const double seconds = watch.seconds();
  end.meet();
  return seconds;
}

#else

double over_mpi(conformance::TransportEnd&, const Streams&) {
  throw std::logic_error("the benchmark was built without an MPI");
}

#endif

}  // namespace convoy::testing

#pragma once

#include "tests/benchmarks/transport_streams.hpp"

namespace convoy::testing {

// Whether the program was built with an MPI.
#ifdef CONVOY_HAS_MPI
inline constexpr bool kHasMpi = true;
#else
inline constexpr bool kHasMpi = false;
#endif

// The same messages with nothing but MPI_Isend and MPI_Irecv, in MPI_COMM_WORLD of two processes.
double over_mpi(conformance::TransportEnd& end, const Streams& streams);

}  // namespace convoy::testing

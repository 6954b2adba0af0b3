// Compiles as it is; every -DMIXED_UP=<n> is a mistake that must not compile.
#include <convoy/planner.hpp>

#ifndef MIXED_UP
#define MIXED_UP 0
#endif

void write(convoy::Planner& p) {
  const convoy::ReplicaId replica(0);
  const convoy::PlaceId place = p.replica_place(replica);
  const convoy::SetId set(1);
#if MIXED_UP == 0
  p.master(place);
  p.gradient(replica, set);
#elif MIXED_UP == 1
  p.master(replica);
#elif MIXED_UP == 2
  p.gradient(place);
#elif MIXED_UP == 3
  p.gradient(replica, replica);
#elif MIXED_UP == 4
  p.master(0);
#elif MIXED_UP == 5
  p.host_place(place);
#elif MIXED_UP == 6
  p.all_reduce({}, {.algorithm = convoy::Reduction::kMax});
#elif MIXED_UP == 7
  p.scratch(place, 4, CONVOY_BF16);
#else
#error "no such mistake"
#endif
}

// Compiles as it is. With -DMIXED_UP every line that is marked as a mistake must not compile.
#include <convoy/planner.hpp>

void write(convoy::Planner& p) {
  const convoy::ReplicaId replica(0);
  const convoy::PlaceId place = p.replica_place(replica);
  const convoy::SetId set(1);
  p.master(place);
  p.gradient(replica, set);
#ifdef MIXED_UP
  p.master(replica);                                         // mistake
  p.gradient(place);                                         // mistake
  p.gradient(replica, replica);                              // mistake
  p.master(0);                                               // mistake
  p.host_place(place);                                       // mistake
  p.all_reduce({}, {.algorithm = convoy::Reduction::kMax});  // mistake
  p.scratch(place, 4, CONVOY_BF16);                          // mistake
#endif
}

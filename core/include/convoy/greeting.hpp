// The check that two tasks belong to one run, for transports that use connections. A greeting is a
// struct that the transport defines and sends. It has the fields key, rank, ranks, channels and
// generation of convoy_transport_run, and any others.
#ifndef CONVOY_GREETING_HPP
#define CONVOY_GREETING_HPP

#include <convoy/abi/transport.h>

#include <algorithm>
#include <convoy/transfer_flow.hpp>
#include <cstddef>
#include <string>

namespace convoy {

// Fills in this task's fields. The greeting then holds the secret key of the run.
template <typename Greeting>
void introduce(const convoy_transport_run& run, Greeting& mine) {
  std::copy_n(run.key, sizeof mine.key, mine.key);
  mine.rank = run.rank;
  mine.ranks = run.ranks;
  mine.channels = run.channels;
  mine.generation = run.generation;
}

// Throws RefusedInput unless the greeting is of another task of this run. Wrong keys take equally
// long, so that the time does not tell how much of a key is right.
template <typename Greeting>
void require_same_run(const Greeting& theirs, const convoy_transport_run& run) {
  unsigned different = 0;
  for (std::size_t i = 0; i < sizeof run.key; ++i)
    different |= static_cast<unsigned>(theirs.key[i] ^ run.key[i]);
  if (different != 0)
    throw RefusedInput(CONVOY_REASON_FOREIGN, "a task of another run (another key) has connected");
  if (theirs.generation != run.generation)
    throw RefusedInput(CONVOY_REASON_STALE,
                       "a task of generation " + std::to_string(theirs.generation) +
                           " has connected; here it is " + std::to_string(run.generation));
  if (theirs.ranks != run.ranks || theirs.channels != run.channels || theirs.rank >= run.ranks ||
      theirs.rank == run.rank)
    throw RefusedInput(CONVOY_REASON_FOREIGN,
                       "task " + std::to_string(theirs.rank) + " of " +
                           std::to_string(theirs.ranks) + " with " +
                           std::to_string(theirs.channels) + " channels has connected to task " +
                           std::to_string(run.rank) + " of " + std::to_string(run.ranks) +
                           " with " + std::to_string(run.channels));
}

}  // namespace convoy

#endif

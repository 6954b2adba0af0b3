#include "plugins/transports/grpc/greeting.hpp"

#include <convoy/transfer_flow.hpp>
#include <cstring>
#include <string>

namespace convoy::grpc_transport {
namespace {

[[noreturn]] void foreign(const std::string& text) {
  throw RefusedInput(CONVOY_REASON_FOREIGN, text);
}

void require_same_run(const Hello& theirs, const Settings& settings) {
  const convoy_transport_run& run = settings.run;
  const std::string who = "task " + std::to_string(theirs.rank);
  if (std::memcmp(theirs.key, run.key, sizeof theirs.key) != 0)
    foreign("a peer does not know the key of this run");
  if (theirs.generation != run.generation)
    throw RefusedInput(CONVOY_REASON_STALE, who + " is of generation " +
                                                std::to_string(theirs.generation) + ", not " +
                                                std::to_string(run.generation));
  if (theirs.ranks != run.ranks || theirs.rank >= run.ranks || theirs.rank == run.rank)
    foreign(who + " of " + std::to_string(theirs.ranks) + " is no peer of task " +
            std::to_string(run.rank) + " of " + std::to_string(run.ranks));
  if (theirs.channels != run.channels || theirs.connections != settings.connections ||
      theirs.connection >= settings.connections_per_pair())
    foreign(who + " has " + std::to_string(theirs.channels) + " channels over " +
            std::to_string(theirs.connections) + " connections, not " +
            std::to_string(run.channels) + " over " + std::to_string(settings.connections));
}

}  // namespace

Hello make_hello(const Settings& settings, std::uint32_t connection) {
  Hello hello;
  hello.rank = settings.run.rank;
  hello.ranks = settings.run.ranks;
  hello.generation = settings.run.generation;
  hello.channels = settings.run.channels;
  hello.connections = settings.connections;
  hello.connection = connection;
  std::memcpy(hello.key, settings.run.key, sizeof hello.key);
  return hello;
}

Hello read_hello(const grpc::ByteBuffer& message, const Settings& settings) {
  FrameReader reader(message);
  Hello theirs;
  if (reader.left() != sizeof theirs)
    throw RefusedInput(CONVOY_REASON_MALFORMED, "a stream does not begin with who sends it");
  reader.read(&theirs, sizeof theirs);
  if (theirs.magic != Hello::kMagic) foreign("a stream is none of convoy's");
  if (theirs.version != kVersion)
    foreign("a peer has version " + std::to_string(theirs.version) + " of this transport, not " +
            std::to_string(kVersion));
  require_same_run(theirs, settings);
  return theirs;
}

}  // namespace convoy::grpc_transport

#include "plugins/transports/grpc/greeting.hpp"

#include <convoy/greeting.hpp>
#include <string>

namespace convoy::grpc_transport {
namespace {

[[noreturn]] void foreign(const std::string& text) {
  throw RefusedInput(CONVOY_REASON_FOREIGN, text);
}

void require_same_connections(const Hello& theirs, const Settings& settings) {
  if (theirs.connections != settings.connections ||
      theirs.connection >= settings.connections_per_pair())
    foreign("task " + std::to_string(theirs.rank) + " has " + std::to_string(theirs.connections) +
            " connections, not " + std::to_string(settings.connections));
}

}  // namespace

Hello make_hello(const Settings& settings, std::uint32_t connection) {
  Hello hello;
  introduce(settings.run, hello);
  hello.connections = settings.connections;
  hello.connection = connection;
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
  require_same_run(theirs, settings.run);
  require_same_connections(theirs, settings);
  return theirs;
}

}  // namespace convoy::grpc_transport

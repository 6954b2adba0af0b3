// What a peer sends over the connections of the transport grpc: frames, each behind one byte that
// says over which connection it comes and two with its length. Two messages are expected, one comes
// early at most, one is sent; whatever comes, all of them end.
#include <cstring>
#include <vector>

#include "core/base/error.hpp"
#include "plugins/transports/grpc/greeting.hpp"
#include "plugins/transports/grpc/pair.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace convoy::grpc_transport;

constexpr std::uint32_t kConnections = 2;
constexpr std::size_t kMessageBytes = 100;

// The other end takes whatever is written.
class SilentStream : public Stream {
 public:
  bool write(const grpc::ByteBuffer&) override { return true; }
  void finish(const grpc::Status&) override {}
  void cancel() override {}
};

convoy_transfer transfer(std::uint32_t channel, std::vector<std::uint8_t>& memory) {
  auto result = convoy::make_sized<convoy_transfer>();
  result.channel = channel;
  result.tag.operation = 3;
  result.memory = memory.data();
  result.bytes = memory.size();
  return result;
}

class Exchange {
 public:
  Exchange()
      : pair_({.channels = 3, .connections = kConnections}, std::make_shared<Mailbox>(), events_) {
    Pair::Lock lock(mutex_);
    pair_.ask();
    for (std::uint32_t i = 0; i < kConnections; ++i) pair_.attach(i, streams_[i], lock);
    pair_.expect(transfer(0, first_), lock);
    pair_.expect(transfer(1, second_), lock);
    pair_.send(transfer(2, sent_), lock);
  }

  void hear(std::uint32_t connection, std::string_view frame) {
    Pair::Lock lock(mutex_);
    pair_.read(connection, copied(frame.data(), frame.size()), lock);
    pair_.written(connection, true, lock);
  }

  void end() {
    Pair::Lock lock(mutex_);
    pair_.cancel();
    CONVOY_CHECK(pair_.lost());
  }

 private:
  std::mutex mutex_;
  convoy::TransportEvents events_;
  std::vector<std::uint8_t> first_ = std::vector<std::uint8_t>(kMessageBytes);
  std::vector<std::uint8_t> second_;
  std::vector<std::uint8_t> sent_ = std::vector<std::uint8_t>(kMessageBytes);
  SilentStream streams_[kConnections];
  Pair pair_;
};

void greet(std::string_view bytes) {
  Settings settings;
  settings.run.ranks = 2;
  settings.run.channels = 3;
  settings.connections = kConnections;
  try {
    read_hello(copied(bytes.data(), bytes.size()), settings);
  } catch (const convoy::RefusedInput&) {
    return;  // refused, as it should be
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = convoy::fuzz::as_text(data, size);
  greet(bytes);
  Exchange exchange;
  while (bytes.size() >= 3) {
    const auto connection = static_cast<std::uint8_t>(bytes[0]) % kConnections;
    std::uint16_t length = 0;
    std::memcpy(&length, bytes.data() + 1, sizeof length);
    bytes.remove_prefix(3);
    const std::string_view frame = bytes.substr(0, length);
    exchange.hear(connection, frame);
    bytes.remove_prefix(frame.size());
  }
  exchange.end();
  return 0;
}

// How much a sender may have on the way before its messages are expected, and what it must hold
// back.
#include <fmt/format.h>

#include <algorithm>

#include "core/conformance/transport_conformance.hpp"

namespace convoy::conformance {
namespace {

using Bytes = std::vector<std::byte>;
using Token = TransportEnd::Token;

// While the target expects nothing, the sender may complete as many messages as the limit allows,
// and no more.
void bounded(TransportEnd& end, std::uint64_t bytes, std::size_t count) {
  const std::string what = fmt::format("{} messages of {} bytes", count, bytes);
  end.join();
  std::vector<Bytes> memory(count, Bytes(bytes));
  std::vector<Token> tokens;
  if (end.rank() == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      fill_message(memory[i].data(), bytes, i);
      tokens.push_back(end.send(1, i % 2, memory[i].data(), bytes));
    }
  }
  end.poll_for(0.5);
  const auto done = static_cast<std::uint64_t>(std::ranges::count_if(
      tokens, [&](Token token) { return end.state(token) == TransportEnd::State::kDone; }));
  const std::uint64_t most = CONVOY_EAGER_BYTES / (bytes + CONVOY_EAGER_MESSAGE_BYTES);
  if (done > most)
    throw Wrong(
        fmt::format("{}: {} of them are done though none is expected; at most {} may be "
                    "on the way",
                    what, done, most));
  end.meet();
  if (end.rank() == 1)
    for (std::size_t i = 0; i < count; ++i) end.expect(0, i % 2, memory[i].data(), bytes);
  end.finish_all(what + " have come");
  if (end.rank() == 1)
    for (std::size_t i = 0; i < count; ++i) require_message(memory[i].data(), bytes, i, what);
  end.meet();
}

// Checks that credit comes back: many times the eager bytes pass one after the other.
void returns(TransportEnd& end) {
  constexpr std::uint64_t kBytes = 300000;
  constexpr std::size_t kCount = 40;
  end.join();
  Bytes memory(kBytes);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (end.rank() == 0) {
      end.finish(end.send(1, 0, memory.data(), kBytes), "a message is sent");
    } else {
      if (i % 8 == 0) end.poll_for(0.02);
      end.finish(end.expect(0, 0, memory.data(), kBytes), "a message has come");
    }
  }
  end.meet();
}

// A stream whose messages nobody expects must not block the others, in either direction.
void streams_apart(TransportEnd& end) {
  constexpr std::uint64_t kBytes = 4 << 20;
  end.join();
  std::vector<Bytes> stuck(3, Bytes(kBytes));
  Bytes outgoing(kBytes);
  Bytes incoming(kBytes);
  for (Bytes& memory : stuck) end.send(end.other(), 0, memory.data(), kBytes);
  end.send(end.other(), 3, stuck[0].data(), 1000);
  fill_message(outgoing.data(), kBytes, end.rank());
  const Token comes = end.expect(end.other(), 1, incoming.data(), kBytes);
  const Token goes = end.send(end.other(), 1, outgoing.data(), kBytes);
  end.finish(goes, "a message goes beside a stream that nobody expects");
  end.finish(comes, "a message comes beside a stream that nobody expects");
  require_message(incoming.data(), kBytes, end.other(), "a message beside a stuck stream");
  end.meet();
  for (Bytes& memory : stuck) end.expect(end.other(), 0, memory.data(), kBytes);
  end.expect(end.other(), 3, incoming.data(), 1000);
  end.finish_all("the stream goes on once it is expected");
  end.meet();
}

// A message is expected later than those after it on another channel.
void crossed(TransportEnd& end) {
  constexpr std::uint64_t kBytes = 2 << 20;
  end.join();
  std::vector<Bytes> memory(2, Bytes(kBytes));
  for (const std::uint32_t channel : {0u, 1u}) {
    if (end.rank() == 0)
      end.send(1, channel, memory[channel].data(), kBytes);
    else
      end.finish(end.expect(0, 1 - channel, memory[channel].data(), kBytes),
                 "messages of two channels come in the target's order");
  }
  end.finish_all("messages of two channels are sent");
  end.meet();
}

}  // namespace

void add_credit_cases(std::vector<TransportCase>& cases) {
  const auto add = [&](std::string name, std::function<void(TransportEnd&)> check) {
    cases.push_back({"credit", std::move(name), std::move(check)});
  };
  add("bounds what is on the way, 64 kB messages", [](auto& end) { bounded(end, 65536, 64); });
  add("bounds what is on the way, 2 MB messages", [](auto& end) { bounded(end, 2 << 20, 4); });
  add("bounds what is on the way, empty messages", [](auto& end) { bounded(end, 0, 20000); });
  add("comes back", returns);
  add("of one stream leaves the others alone", streams_apart);
  add("in the target's order", crossed);
}

}  // namespace convoy::conformance

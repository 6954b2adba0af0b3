// Messages arrive as they were sent: sizes, addresses, order, channels, directions.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/conformance/transport_conformance.hpp"

namespace convoy::conformance {
namespace {

constexpr std::uint64_t kMegabyte = 1048576;
const std::vector<std::uint64_t> kMessageSizes = {
    0, 1, 63, 4096, 65537, kMegabyte - 65, kMegabyte - 1, kMegabyte, kMegabyte + 1, 16 * kMegabyte};

using Bytes = std::vector<std::byte>;

std::uint64_t seed_of(std::uint32_t origin, std::uint32_t channel, std::uint64_t sequence) {
  return (origin + 1) * 1000003ULL + channel * 100000007ULL + sequence;
}

// Sends one message from 0 to 1. `early`: it is sent some time before the target expects it.
void one_message(TransportEnd& end, std::uint64_t bytes, bool early, std::uint64_t sequence) {
  const std::uint64_t seed = seed_of(0, 0, sequence);
  const std::string what = fmt::format("a message of {} bytes", bytes);
  Bytes memory(bytes);
  if (end.rank() == 0) {
    fill_message(memory.data(), bytes, seed);
    if (!early) end.meet();
    end.finish(end.send(1, 0, memory.data(), bytes), what);
  } else {
    if (early) end.poll_for(0.05);
    const auto token = end.expect(0, 0, memory.data(), bytes);
    if (!early) end.meet();
    end.finish(token, what);
    require_message(memory.data(), bytes, seed, what);
  }
}

void sizes(TransportEnd& end, bool early) {
  end.join();
  for (std::size_t i = 0; i < kMessageSizes.size(); ++i)
    one_message(end, kMessageSizes[i], early, i);
  end.meet();
}

// Spans begin and end at arbitrary addresses. The bytes around them must not change.
void unaligned(TransportEnd& end) {
  constexpr std::size_t kGuard = 64;
  constexpr std::byte kUntouched{0xa5};
  end.join();
  std::uint64_t sequence = 0;
  for (const std::uint64_t bytes : std::vector<std::uint64_t>{1, 4095, 70001, 3 * kMegabyte + 5}) {
    for (const std::size_t shift : {1, 3, 8, 13}) {
      Bytes memory(bytes + 2 * kGuard, kUntouched);
      std::byte* const span = memory.data() + kGuard / 2 + shift;
      const std::uint64_t seed = seed_of(0, 0, sequence++);
      const std::string what = fmt::format("{} bytes at an address that ends in {}", bytes,
                                           reinterpret_cast<std::uintptr_t>(span) % 64);
      if (end.rank() == 0) {
        fill_message(span, bytes, seed);
        end.finish(end.send(1, 0, span, bytes), what);
        continue;
      }
      end.finish(end.expect(0, 0, span, bytes), what);
      require_message(span, bytes, seed, what);
      const auto untouched = [](std::byte it) { return it == kUntouched; };
      if (!std::all_of(memory.data(), span, untouched) ||
          !std::all_of(span + bytes, memory.data() + memory.size(), untouched))
        throw Wrong(what + ": bytes beside the span were changed");
    }
  }
  end.meet();
}

// A stream of messages with changing sizes, all queued in advance.
struct Stream {
  std::vector<Bytes> messages;
  std::uint32_t origin;
  std::uint32_t channel;

  Stream(std::uint32_t from, std::uint32_t on, std::size_t count, std::uint64_t largest)
      : origin(from), channel(on) {
    for (std::size_t i = 0; i < count; ++i)
      messages.emplace_back((i * 7919 + channel * 104729) % (largest + 1));
  }
  void send(TransportEnd& end, std::uint32_t peer) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      fill_message(messages[i].data(), messages[i].size(), seed_of(origin, channel, i));
      end.send(peer, channel, messages[i].data(), messages[i].size());
    }
  }
  void expect(TransportEnd& end) {
    for (Bytes& message : messages) end.expect(origin, channel, message.data(), message.size());
  }
  void require_right() const {
    for (std::size_t i = 0; i < messages.size(); ++i)
      require_message(messages[i].data(), messages[i].size(), seed_of(origin, channel, i),
                      fmt::format("message {} of channel {} from end {}", i, channel, origin));
  }
};

// Every end sends to every other one on every channel, and all messages arrive in order.
void all_to_all(TransportEnd& end, std::uint32_t channels, std::size_t count,
                std::uint64_t largest) {
  end.run().channels = channels;
  end.join();
  std::vector<Stream> incoming;
  std::vector<Stream> outgoing;
  incoming.reserve(channels * (end.ranks() - 1));
  outgoing.reserve(incoming.capacity());
  for (std::uint32_t peer = 0; peer < end.ranks(); ++peer) {
    if (peer == end.rank()) continue;
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
      incoming.emplace_back(peer, channel, count, largest).expect(end);
      outgoing.emplace_back(end.rank(), channel, count, largest).send(end, peer);
    }
  }
  end.finish_all("all messages of all channels have come");
  for (const Stream& stream : incoming) stream.require_right();
  end.meet();
}

// Messages on one channel arrive in order, whenever they are expected.
void in_order(TransportEnd& end) {
  constexpr std::size_t kCount = 1000;
  end.join();
  Stream stream(0, 2, kCount, 20000);
  if (end.rank() == 0) {
    stream.send(end, 1);
  } else {
    end.poll_for(0.05);
    stream.expect(end);
  }
  end.finish_all("1000 messages of one channel have come");
  if (end.rank() == 1) stream.require_right();
  end.meet();
}

// A message carries the content of its span until it is done. What is written there afterwards must
// not be sent.
void released(TransportEnd& end) {
  constexpr std::size_t kRounds = 12;
  end.join();
  std::vector<Bytes> spans;
  for (std::size_t i = 0; i < kRounds; ++i) {
    const std::uint64_t bytes = i % 3 == 0 ? 3 * kMegabyte : i % 3 == 1 ? 700000 : 5000;
    Bytes& memory = spans.emplace_back(bytes);
    if (end.rank() == 0) {
      fill_message(memory.data(), bytes, seed_of(0, 1, i));
      end.finish(end.send(1, 1, memory.data(), bytes), "a message is sent");
      std::memset(memory.data(), 0xee, bytes);
    } else {
      if (i % 2 == 0) end.poll_for(0.02);
      end.finish(end.expect(0, 1, memory.data(), bytes), "a message has come");
      require_message(memory.data(), bytes, seed_of(0, 1, i),
                      "a message whose span was written after it was reported as done");
    }
  }
  // A transport that had not really finished with them may do so now.
  if (end.rank() == 0) end.poll_for(0.2);
  end.meet();
}

// One span belongs to several sends at the same time.
void shared_span(TransportEnd& end) {
  constexpr std::uint64_t kBytes = 2 * kMegabyte;
  end.join();
  Bytes memory(kBytes);
  std::vector<Bytes> copies(3, Bytes(end.rank() == 0 ? 0 : kBytes));
  if (end.rank() == 0) fill_message(memory.data(), kBytes, 5);
  for (std::uint32_t channel = 0; channel < 3; ++channel) {
    if (end.rank() == 0)
      end.send(1, channel, memory.data(), kBytes);
    else
      end.expect(0, channel, copies[channel].data(), kBytes);
  }
  end.finish_all("a span was sent on three channels at a time");
  if (end.rank() == 1)
    for (const Bytes& copy : copies) require_message(copy.data(), kBytes, 5, "a shared span");
  end.meet();
}

}  // namespace

void add_message_cases(std::vector<TransportCase>& cases) {
  const auto add = [&](std::string name, std::function<void(TransportEnd&)> check,
                       std::uint32_t ranks = 2) {
    cases.push_back({"messages", std::move(name), std::move(check), ranks});
  };
  add("of all sizes, expected before they are sent", [](auto& end) { sizes(end, false); });
  add("of all sizes, expected after they are sent", [](auto& end) { sizes(end, true); });
  add("at any address", unaligned);
  add("in order", in_order);
  add("both directions at once", [](auto& end) { all_to_all(end, 2, 4, 9 * kMegabyte); });
  add("64 channels", [](auto& end) { all_to_all(end, 64, 20, 30000); });
  add(
      "three ends", [](auto& end) { all_to_all(end, 4, 20, 300000); }, 3);
  add("released only when they are done", released);
  add("one span in several", shared_span);
}

}  // namespace convoy::conformance

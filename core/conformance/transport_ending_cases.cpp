// The end of messages, peers and transports: cancelled, closed, dead, stopped.
#include <fmt/format.h>

#include <csignal>

#include "core/base/error.hpp"
#include "core/conformance/transport_conformance.hpp"

namespace convoy::conformance {
namespace {

constexpr std::uint64_t kLarge = 8 << 20;
// A loss must be reported within 1 s. The rest is tolerance for a busy machine.
constexpr double kDetected = 2.0;

using Bytes = std::vector<std::byte>;
using State = TransportEnd::State;

// Messages in both directions that cannot end: on each channel only one end sends, and the other
// expects nothing.
struct Stuck {
  std::vector<Bytes> memory{4, Bytes(kLarge)};
  std::vector<TransportEnd::Token> tokens{};

  void queue(TransportEnd& end, std::uint32_t peer) {
    for (const std::uint32_t i : {0u, 1u}) {
      const std::uint32_t channel = 2 * end.rank() + i;
      tokens.push_back(end.send(peer, channel, memory[i].data(), kLarge));
      tokens.push_back(end.expect(peer, channel, memory[2 + i].data(), kLarge));
    }
  }
  void require_cancelled(TransportEnd& end, double seconds, const std::string& what) const {
    end.poll_until([&] { return end.pending() == 0; }, seconds, what);
    for (const auto token : tokens)
      if (end.state(token) != State::kCancelled)
        throw Wrong(what + ", but one is done that cannot be");
  }
};

void interrupted(TransportEnd& end) {
  end.join();
  Stuck stuck;
  if (end.rank() == 0) {
    stuck.queue(end, 1);
    end.poll_for(0.1);
    end.transport().interrupt();
    end.transport().interrupt();
    stuck.require_cancelled(end, 1.5, "all messages end after interrupt");
    stuck.queue(end, 1);
    stuck.require_cancelled(end, 1.5, "messages queued after interrupt end");
  }
  end.meet();
  end.close();
}

// Neither end serves the other, so pending messages end without events.
void closes_with_pending(TransportEnd& end) {
  end.join();
  Stuck stuck;
  stuck.queue(end, end.other());
  if (end.rank() == 0) end.close();
  end.meet();
  if (end.rank() == 0) return;
  stuck.require_cancelled(end, kDetected, "all messages end when the peer closes");
  if (end.lost(0) == nullptr) throw Wrong("a peer that closes is not reported");
  stuck.tokens.clear();
  end.send(0, 0, stuck.memory[0].data(), 10);
  end.poll_until([&] { return end.pending() == 0; }, kDetected,
                 "messages to a lost peer end as cancelled");
}

// The sender closes at once, but everything that it sent must arrive.
void last_messages(TransportEnd& end) {
  constexpr std::size_t kCount = 50;
  end.join();
  std::vector<Bytes> memory(kCount, Bytes(10000));
  for (std::size_t i = 0; i < kCount; ++i) {
    if (end.rank() == 1) end.expect(0, 0, memory[i].data(), memory[i].size());
    fill_message(memory[i].data(), end.rank() == 0 ? memory[i].size() : 0, i);
  }
  end.meet();
  if (end.rank() == 0) {
    for (Bytes& bytes : memory) end.send(1, 0, bytes.data(), bytes.size());
    end.finish_all("messages are sent");
    end.close();
    return;
  }
  end.poll_for(0.2);
  end.finish_all("what was done before the peer closed comes");
  for (std::size_t i = 0; i < kCount; ++i)
    require_message(memory[i].data(), memory[i].size(), i, "a message of a peer that has closed");
  end.poll_until([&] { return end.lost(0) != nullptr; }, kDetected, "the closed peer is reported");
  if (end.lost(0)->reason != CONVOY_REASON_CLOSED)
    throw Wrong(fmt::format("a peer that closed in order is lost for reason {} ({})",
                            end.lost(0)->reason, end.lost(0)->text));
}

// The last end is killed while its messages are on the way. The others must go on with each other.
void killed(TransportEnd& end) {
  end.join();
  const std::uint32_t victim = end.ranks() - 1;
  Bytes outgoing(kLarge);
  Bytes incoming(kLarge);
  if (end.rank() == victim) {
    for (std::uint32_t i = 0; i < 4; ++i) end.send(0, i, outgoing.data(), kLarge);
    end.expect(0, 0, incoming.data(), kLarge);
    end.poll(0.002);
    static_cast<void>(std::raise(SIGKILL));
  }
  const bool told = (end.transport().describe().flags & CONVOY_TRANSPORT_DETECTS_DEATH) != 0;
  for (std::uint32_t i = 0; end.rank() == 0 && i < 4; ++i)
    end.expect(victim, i, incoming.data(), kLarge);
  end.poll_until([&] { return end.lost(victim) != nullptr && end.pending() == 0; },
                 told ? kDetected : end.run().peer_seconds + kDetected,
                 "the death of a peer is reported and its messages end");
  if (end.lost(victim)->reason == CONVOY_REASON_CLOSED)
    throw Wrong("a peer that was killed is reported as closed in order");
  const std::uint32_t survivor = 1 - end.rank();
  fill_message(outgoing.data(), kLarge, end.rank());
  const auto goes = end.send(survivor, 0, outgoing.data(), kLarge);
  end.finish(end.expect(survivor, 0, incoming.data(), kLarge), "the survivors go on");
  end.finish(goes, "the survivors go on");
  require_message(incoming.data(), kLarge, survivor, "a message after the death of a third end");
  end.meet();
}

// The transport must not wait for a peer that has stopped.
void stopped(TransportEnd& end) {
  end.join();
  if (end.rank() == 1) static_cast<void>(std::raise(SIGSTOP));
  Stuck stuck;
  stuck.queue(end, 1);
  end.poll_for(0.3);
  end.transport().interrupt();
  stuck.require_cancelled(end, 1.5, "all messages to a stopped peer end after interrupt");
  end.close();
}

void closes_beside_stopped(TransportEnd& end) {
  end.join();
  if (end.rank() == 1) static_cast<void>(std::raise(SIGSTOP));
  Stuck stuck;
  stuck.queue(end, 1);
  end.poll_for(0.1);
  end.close();
}

// Connects to the address of a process that has ended.
void unreached(TransportEnd& end) {
  end.run().join_seconds = 1.0;
  end.open();
  const std::vector<std::string> all = end.addresses();
  if (end.rank() == 1) static_cast<void>(std::raise(SIGKILL));
  end.poll_for(0.1);
  char byte = 0;
  end.connect(1, all.at(1));
  end.send(1, 0, &byte, 1);
  end.expect(1, 0, &byte, 1);
  end.poll_until([&] { return end.lost(1) != nullptr && end.pending() == 0; }, 1.0 + kDetected,
                 "a peer that is gone before it is connected is lost");
}

// Tests a restart of the run in which the processes stay.
void opened_again(TransportEnd& end) {
  for (int i = 0; i < 3; ++i) {
    const auto generation = static_cast<std::uint32_t>(100 * end.run().generation + i);
    // A new end must not see anything of the closed one.
    TransportEnd again = end.successor(generation);
    again.join();
    std::uint64_t sent = generation + end.rank();
    std::uint64_t received = 0;
    again.send(end.other(), 0, &sent, sizeof sent);
    again.expect(end.other(), 0, &received, sizeof received);
    again.finish_all("messages pass after the transport was opened again");
    if (received != generation + end.other())
      throw Wrong("a message after a restart is not what was sent");
    again.meet();
    again.close();
  }
}

}  // namespace

void add_ending_cases(std::vector<TransportCase>& cases) {
  const auto add = [&](std::string name, std::function<void(TransportEnd&)> check,
                       std::uint32_t ranks = 2, std::uint32_t victim = CONVOY_NONE) {
    cases.push_back({"endings", std::move(name), std::move(check), ranks, victim});
  };
  add("interrupt cancels", interrupted);
  add("close with messages pending", closes_with_pending);
  add("messages before close arrive", last_messages);
  add("opened again", opened_again);
  add("a peer is killed", killed, 3, 2);
  add("a peer is gone before it is connected", unreached, 2, 1);
  add("interrupt beside a stopped peer", stopped, 2, 1);
  add("close beside a stopped peer", closes_beside_stopped, 2, 1);
}

}  // namespace convoy::conformance

// Refusals of a transport: wrong calls, peers of another run, messages that are not the expected
// ones.
#include <convoy/sized.hpp>

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/conformance/transport_conformance.hpp"

namespace convoy::conformance {
namespace {

using Bytes = std::vector<std::byte>;
using State = TransportEnd::State;

template <typename Call>
void require_failure(const std::string& what, Call call) {
  try {
    call();
  } catch (const Error&) {
    return;
  }
  throw Wrong(what + " does not fail");
}

convoy_transfer transfer_to(std::uint32_t peer, std::uint32_t channel, std::uint64_t sequence,
                            std::uint64_t bytes) {
  static std::byte memory[64];
  auto transfer = make_sized<convoy_transfer>();
  transfer.peer = peer;
  transfer.channel = channel;
  transfer.sequence = sequence;
  transfer.memory = memory;
  transfer.bytes = bytes;
  return transfer;
}

// Wrong calls must fail at once and leave the transport unchanged.
void wrong_calls(TransportEnd& end) {
  end.join();
  plugin::OpenTransport& it = end.transport();
  const auto both = [&](const std::string& what, const convoy_transfer& transfer) {
    require_failure("sending " + what, [&] { it.send(transfer); });
    require_failure("expecting " + what, [&] { it.expect(transfer); });
  };
  both("a message to itself", transfer_to(end.rank(), 0, 0, 8));
  both("a message to a peer that does not exist", transfer_to(end.ranks(), 0, 0, 8));
  both("a message on a channel that does not exist", transfer_to(end.other(), 4, 0, 8));
  both("a message whose sequence leaves one out", transfer_to(end.other(), 0, 1, 8));
  both("a message of 2 GiB",
       transfer_to(end.other(), 0, 0, 2 * std::uint64_t{CONVOY_MESSAGE_BYTES}));
  const std::string address = it.address();
  require_failure("connecting a peer twice",
                  [&] { static_cast<void>(it.refuses_to_connect(end.other(), address)); });
  std::uint64_t sent = end.rank();
  std::uint64_t received = 7;
  end.send(end.other(), 0, &sent, sizeof sent);
  end.expect(end.other(), 0, &received, sizeof received);
  end.finish_all("messages pass after calls that failed");
  if (received != end.other())
    throw Wrong("a message after calls that failed is not what was sent");
  end.meet();
}

// Both ways of failing are right for bytes that are not an address. No connection may result.
void no_address(TransportEnd& end) {
  end.open();
  for (const std::string& address :
       {std::string(), std::string("no address"), std::string(CONVOY_ADDRESS_BYTES, '\xff')}) {
    try {
      if (end.transport().refuses_to_connect(end.other(), address)) continue;
    } catch (const Error&) {
      continue;
    }
    throw Wrong(fmt::format("{} bytes that are no address can be connected to", address.size()));
  }
  end.meet();
}

// Connects although the run differs at end 1. No end may be connected, and an end must report the
// refusal.
void foreign(TransportEnd& end, const std::function<void(convoy_transport_run&)>& differ) {
  end.run().join_seconds = 1.0;
  if (end.rank() == 1) differ(end.run());
  end.open();
  const std::vector<std::string> all = end.addresses();
  end.connect(end.other(), all.at(end.other()));
  end.poll_until([&] { return end.lost(end.other()) != nullptr; }, 4.0,
                 "a peer of another run is lost");
  end.meet();
  if (end.connected(end.other())) throw Wrong("a peer of another run is connected");
  const std::string refused = end.meet(std::to_string(end.refused())).at(end.other());
  if (end.refused() == 0 && refused == "0")
    throw Wrong("neither end reports that it has refused a peer of another run");
}

// The target expects another message than the one that comes. It must refuse the message and count
// that, and the connection of the pair ends.
void other_message(TransportEnd& end, std::uint64_t bytes, bool other_tag, bool early) {
  end.join();
  Bytes memory(1 << 21);
  if (end.rank() == 0) {
    end.send(1, 0, memory.data(), bytes);
    end.poll_until([&] { return end.lost(1) != nullptr && end.pending() == 0; }, 3.0,
                   "the sender of an unexpected message learns that the pair is at an end");
    return;
  }
  if (early) end.poll_for(0.05);
  convoy_message_tag tag = end.usual_tag(0, 0);
  if (other_tag) ++tag.iteration;
  const auto token = end.expect(0, 0, memory.data(), other_tag ? bytes : bytes + 1, tag);
  end.poll_until([&] { return end.state(token) != State::kPending; }, 3.0,
                 "a message that is not the expected one ends");
  if (end.state(token) == State::kDone)
    throw Wrong("a message that is not the expected one is reported as done");
  end.poll_until([&] { return end.lost(0) != nullptr; }, 3.0,
                 "a message that is not the expected one ends the pair");
  if (end.refused() == 0) throw Wrong("a message that is not the expected one is not counted");
  if (end.lost(0)->reason != CONVOY_REASON_UNEXPECTED)
    throw Wrong(fmt::format("the reason is {} ({}) instead of UNEXPECTED", end.lost(0)->reason,
                            end.lost(0)->text));
}

}  // namespace

void add_refusal_cases(std::vector<TransportCase>& cases) {
  const auto add = [&](std::string name, std::function<void(TransportEnd&)> check) {
    cases.push_back({"refusals", std::move(name), std::move(check)});
  };
  const auto differ = [&](const std::string& what, std::function<void(convoy_transport_run&)> how) {
    add("a peer with " + what, [how = std::move(how)](auto& end) { foreign(end, how); });
  };
  add("calls that are wrong", wrong_calls);
  add("addresses that are none", no_address);
  differ("another key", [](auto& run) { run.key[31] ^= 1; });
  differ("another generation", [](auto& run) { ++run.generation; });
  differ("another number of tasks", [](auto& run) { ++run.ranks; });
  differ("another number of channels", [](auto& run) { ++run.channels; });
  for (const bool early : {false, true}) {
    const std::string when = early ? ", expected late" : "";
    add("another tag" + when, [=](auto& end) { other_message(end, 5000, true, early); });
    add("another size" + when, [=](auto& end) { other_message(end, 5000, false, early); });
  }
  add("another size of a large message",
      [](auto& end) { other_message(end, (1 << 21) - 1, false, false); });
}

}  // namespace convoy::conformance

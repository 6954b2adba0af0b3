#pragma once

#include <convoy/abi/transport.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/plugin/library.hpp"

namespace convoy::plugin {

// A kind of transport, before one is open.
class TransportPlugin : public ConfiguredPlugin<convoy_transport> {
 public:
  using ConfiguredPlugin::ConfiguredPlugin;

  bool has(convoy_transport_trait trait) const;

  // Why this process cannot open it; empty when it can.
  std::optional<std::string> unavailable() const;

  // The rank of this process among those that were launched together. Requires the trait
  // CONVOY_TRANSPORT_LAUNCHED.
  struct Launched {
    std::uint32_t rank;
    std::uint32_t ranks;
  };
  Launched launched() const;
  // An all-gather: the bytes of all these processes, in the order of ranks. All call it with the
  // same number of bytes. Error kTimeout if not all have called it within `seconds`.
  std::string exchange(std::string_view mine, double seconds) const;
};

// One open transport: the slots of convoy_transport with failures thrown as Error. The plug-in must
// outlive it. What a function means, and that one thread at a time calls them, is in
// convoy/abi/transport.h.
class OpenTransport {
 public:
  OpenTransport(const TransportPlugin& plugin, const convoy_transport_run& run);
  // Ends within 5 s, whatever the peers do.
  ~OpenTransport();
  OpenTransport(const OpenTransport&) = delete;
  OpenTransport& operator=(const OpenTransport&) = delete;

  convoy_transport_description describe();
  // Returns at most 4 KiB of any bytes.
  std::string address();
  // Begins to connect. Returns a reason if this transport can never reach that address; the pair
  // then uses another transport.
  std::optional<std::string> refuses_to_connect(std::uint32_t peer, std::string_view address);
  void expect(const convoy_transfer& transfer);
  void send(const convoy_transfer& transfer);
  // The events put into `room`, which is not empty.
  std::span<const convoy_transport_event> poll(std::span<convoy_transport_event> room,
                                               double seconds);
  void interrupt();
  // Readable when poll has something to do; empty when the transport has none.
  std::optional<int> descriptor();
  // Null when the transport registers nothing.
  void* register_memory(void* memory, std::uint64_t bytes);
  void unregister_memory(void* registration);

 private:
  const TransportPlugin& plugin_;
  void* self_ = nullptr;
};

}  // namespace convoy::plugin

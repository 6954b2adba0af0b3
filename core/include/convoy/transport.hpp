// How to write a transport plug-in in C++20: derive from convoy::Transport and end one source file
// with CONVOY_TRANSPORT(MyTransport, "name=my_transport", "version=0.1.0", "description=...").
// Needs nothing but the SDK's headers. The meaning of every function is in convoy/abi/transport.h.
// convoy/transfer_flow.hpp implements order and credit for transports that use connections.
#ifndef CONVOY_TRANSPORT_HPP
#define CONVOY_TRANSPORT_HPP

#include <convoy/abi.h>

#include <algorithm>
#include <convoy/host_calls.hpp>
#include <convoy/manifest.hpp>
#include <convoy/sized.hpp>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace convoy {

// The functions of the host that a transport may use during one call.
using TransportHost = HostCalls;

// One open transport. A function reports failure by throwing a std::exception, whose text becomes
// the error of the call; std::invalid_argument becomes CONVOY_REFUSED. A derived class also has
//   static std::unique_ptr<Transport> open(const TransportHost&, const convoy_transport_run&);
// Its destructor is close: it cancels pending messages, refers to no span afterwards and ends
// within 5 s, whatever the peers do. One thread at a time calls the functions. The structs are
// those of the ABI with all fields that this header knows, whatever the version of the host. A
// derived class may redefine the constants and the static functions.
class Transport {
 public:
  static constexpr uint32_t kTraits = 0;      // convoy_transport_trait
  static constexpr uint32_t kPreference = 0;  // convoy_transport_preference, or none

  // Throws with the reason when this process cannot open the transport.
  static void available(const TransportHost& /*host*/) {}
  // For the trait LAUNCHED: see convoy_transport.exchange; `all` may be null. Throws TimedOut.
  static void exchange(const TransportHost& /*host*/, std::span<const std::byte> /*mine*/,
                       double /*seconds*/, std::byte* /*all*/, uint32_t& /*rank*/,
                       uint32_t& /*ranks*/) {
    throw std::runtime_error("no launcher starts this kind of transport");
  }

  virtual ~Transport() = default;
  // `out` is zero on entry.
  virtual void describe(convoy_transport_description& out) = 0;
  // The host always has room for CONVOY_ADDRESS_BYTES, and possibly for more.
  virtual std::string address() = 0;
  // Throws std::invalid_argument when this transport can never reach that address.
  virtual void connect(uint32_t peer, std::string_view address) = 0;
  virtual void expect(const convoy_transfer& transfer) = 0;
  virtual void send(const convoy_transfer& transfer) = 0;
  // Writes events to `out`, which has room for at least one, and returns their number.
  virtual uint64_t poll(std::span<convoy_transport_event> out, double seconds) = 0;
  virtual void interrupt() = 0;
  // Optional: a descriptor that is readable when poll has work to do.
  virtual std::optional<int> descriptor() { return std::nullopt; }
  // Optional, both or none. The host of this version calls neither.
  virtual void* register_memory(void* /*memory*/, uint64_t /*bytes*/) { return nullptr; }
  virtual void unregister_memory(void* /*registration*/) {}
};

// Returns the run without its texts, which are valid only while the transport opens.
inline convoy_transport_run without_texts(convoy_transport_run run) {
  run.listen_address = run.advertised_host = nullptr;
  run.certificate = run.private_key = run.authorities = nullptr;
  return run;
}

namespace transport_detail {

inline void require_possible(const convoy_transport_run& run) {
  if (run.channels == 0 || run.channels > 256 || run.rank >= run.ranks)
    throw std::invalid_argument("task " + std::to_string(run.rank) + " of " +
                                std::to_string(run.ranks) + " with " +
                                std::to_string(run.channels) + " channels cannot be");
}

// The instance behind a table, with the host's functions for set_error.
struct Instance {
  const convoy_host* host;
  std::unique_ptr<Transport> transport{};
};

template <typename Body>
int32_t guarded(const convoy_host* host, convoy_context* context, Body&& body) noexcept {
  return convoy::detail::guarded(host, context, CONVOY_REFUSED, std::forward<Body>(body));
}

template <typename Body>
int32_t on_transport(void* instance, convoy_context* context, Body&& body) noexcept {
  auto* self = static_cast<Instance*>(instance);
  return guarded(self->host, context, [&] { body(*self->transport); });
}

inline void close(void* self) noexcept {
  delete static_cast<Instance*>(self);
}
inline int32_t describe(void* self, convoy_context* context,
                        convoy_transport_description* out) noexcept {
  return on_transport(self, context, [&](Transport& transport) {
    convoy_transport_description description{};
    transport.describe(description);
    answer_sized(*out, description, "convoy_transport_description");
  });
}
inline int32_t address(void* self, convoy_context* context, void* out, uint64_t* bytes) noexcept {
  return on_transport(self, context, [&](Transport& transport) {
    const std::string text = transport.address();
    if (text.size() > *bytes)
      throw std::runtime_error("its address has " + std::to_string(text.size()) +
                               " bytes, and the host has room for " + std::to_string(*bytes));
    *bytes = text.size();
    std::copy(text.begin(), text.end(), static_cast<char*>(out));
  });
}
inline int32_t connect(void* self, convoy_context* context, uint32_t peer, const void* address,
                       uint64_t bytes) noexcept {
  return on_transport(self, context, [&](Transport& transport) {
    transport.connect(peer, std::string_view(static_cast<const char*>(address), bytes));
  });
}
inline int32_t expect(void* self, convoy_context* context,
                      const convoy_transfer* transfer) noexcept {
  return on_transport(self, context, [&](Transport& transport) {
    transport.expect(read_sized(*transfer, "convoy_transfer", Side::kPlugin));
  });
}
inline int32_t send(void* self, convoy_context* context, const convoy_transfer* transfer) noexcept {
  return on_transport(self, context, [&](Transport& transport) {
    transport.send(read_sized(*transfer, "convoy_transfer", Side::kPlugin));
  });
}
inline int32_t poll(void* self, convoy_context* context, convoy_transport_event* out,
                    uint64_t capacity, double seconds, uint64_t* count) noexcept {
  return on_transport(self, context, [&](Transport& transport) {
    *count = transport.poll(std::span(out, capacity), seconds);
  });
}
inline int32_t interrupt(void* self, convoy_context* context) noexcept {
  return on_transport(self, context, [](Transport& transport) { transport.interrupt(); });
}
inline int32_t descriptor(void* self, convoy_context* context, int32_t* out) noexcept {
  return on_transport(self, context,
                      [&](Transport& transport) { *out = transport.descriptor().value_or(-1); });
}
inline int32_t register_memory(void* self, convoy_context* context, void* memory, uint64_t bytes,
                               void** registration) noexcept {
  return on_transport(self, context, [&](Transport& transport) {
    *registration = transport.register_memory(memory, bytes);
  });
}
inline int32_t unregister_memory(void* self, convoy_context* context, void* registration) noexcept {
  return on_transport(self, context,
                      [&](Transport& transport) { transport.unregister_memory(registration); });
}

template <typename Class>
int32_t available(convoy_context* context, const convoy_host* host) noexcept {
  return guarded(host, context, [&] { Class::available(TransportHost(context, host)); });
}

template <typename Class>
int32_t open(convoy_context* context, const convoy_host* host, const convoy_transport_run* run,
             void** out) noexcept {
  return guarded(host, context, [&] {
    auto instance = std::make_unique<Instance>(Instance{host});
    const auto known = read_sized(*run, "convoy_transport_run", Side::kPlugin);
    require_known((known.flags & ~CONVOY_RUN_CLEAR_TEXT) == 0 && known.reserved == 0,
                  "flags of a run", known.flags, Side::kPlugin);
    require_possible(known);
    instance->transport = Class::open(TransportHost(context, host), known);
    *out = instance.release();
  });
}

template <typename Class>
int32_t exchange(convoy_context* context, const convoy_host* host, const void* mine, uint64_t bytes,
                 double seconds, void* all, uint32_t* rank, uint32_t* ranks) noexcept {
  return guarded(host, context, [&] {
    Class::exchange(TransportHost(context, host),
                    std::span(static_cast<const std::byte*>(mine), bytes), seconds,
                    static_cast<std::byte*>(all), *rank, *ranks);
  });
}

template <typename Class>
inline constexpr convoy_transport kTable = {sizeof(convoy_transport),
                                            CONVOY_ABI_MAJOR,
                                            CONVOY_ABI_MINOR,
                                            available<Class>,
                                            open<Class>,
                                            close,
                                            describe,
                                            address,
                                            connect,
                                            expect,
                                            send,
                                            poll,
                                            interrupt,
                                            descriptor,
                                            register_memory,
                                            unregister_memory,
                                            exchange<Class>,
                                            Class::kTraits,
                                            Class::kPreference};

}  // namespace transport_detail
}  // namespace convoy

#define CONVOY_TRANSPORT(Class, ...)                                       \
  CONVOY_MANIFEST("kind=transport", __VA_ARGS__);                          \
  extern "C" CONVOY_EXPORT const convoy_transport* convoy_transport_v1() { \
    return &::convoy::transport_detail::kTable<Class>;                     \
  }                                                                        \
  static_assert(true, "a semicolon may follow")

#endif

#include "core/plugin/transport_plugin.hpp"

#include <convoy/sized.hpp>

#include <fmt/format.h>

#include <array>

#include "core/base/error.hpp"

namespace convoy::plugin {
namespace {

void require_launched(const TransportPlugin& plugin) {
  if (plugin.table().exchange != nullptr && plugin.has(CONVOY_TRANSPORT_LAUNCHED)) return;
  fail(ExitCode::kUnavailable, "{}: no launcher starts its processes, so that it knows no ranks",
       plugin.settings().label);
}

}  // namespace

bool TransportPlugin::has(convoy_transport_trait trait) const {
  return (table().traits & trait) != 0;
}

std::optional<std::string> TransportPlugin::unavailable() const {
  convoy_context context(settings());
  const std::int32_t status = enter(
      settings(), "saying whether it can be used",
      [&] { return table().available(&context, &host_functions()); }, kAtLength);
  if (status == 0) return std::nullopt;
  return context.error.value_or("it gave no reason");
}

TransportPlugin::Launched TransportPlugin::launched() const {
  require_launched(*this);
  Launched result{};
  call(
      settings(), "asking for its rank",
      [&](convoy_context* context) {
        return table().exchange(context, &host_functions(), nullptr, 0, 0.0, nullptr, &result.rank,
                                &result.ranks);
      },
      ExitCode::kUnavailable, kAtLength);
  return result;
}

std::string TransportPlugin::exchange(std::string_view mine, double seconds) const {
  Launched who = launched();
  std::string all(mine.size() * who.ranks, '\0');
  call(
      settings(), "exchanging with the processes launched with this one",
      [&](convoy_context* context) {
        return table().exchange(context, &host_functions(), mine.data(), mine.size(), seconds,
                                all.data(), &who.rank, &who.ranks);
      },
      ExitCode::kFailed, seconds);
  return all;
}

OpenTransport::OpenTransport(const TransportPlugin& plugin, const convoy_transport_run& run)
    : plugin_(plugin) {
  convoy_context context(plugin_.settings());
  const std::int32_t status = enter(
      plugin_.settings(), "opening it",
      [&] { return plugin_.table().open(&context, &host_functions(), &run, &self_); }, kAtLength);
  require_success(context, status, "opening it",
                  status == CONVOY_REFUSED ? ExitCode::kUsage : ExitCode::kUnavailable);
}

OpenTransport::~OpenTransport() {
  leave(plugin_.settings(), "closing it", [&] { plugin_.table().close(self_); });
}

convoy_transport_description OpenTransport::describe() {
  auto description = make_sized<convoy_transport_description>();
  call(plugin_.settings(), "describing it", [&](convoy_context* context) {
    return plugin_.table().describe(self_, context, &description);
  });
  // A text that fills its field may come without the terminating NUL.
  description.name[sizeof description.name - 1] = '\0';
  description.detail[sizeof description.detail - 1] = '\0';
  return description;
}

std::string OpenTransport::address() {
  constexpr std::size_t kRoom = 4096;
  static_assert(kRoom >= CONVOY_ADDRESS_BYTES);
  std::array<char, kRoom> room{};
  std::uint64_t bytes = room.size();
  call(plugin_.settings(), "asking for its address", [&](convoy_context* context) {
    return plugin_.table().address(self_, context, room.data(), &bytes);
  });
  if (bytes > room.size())
    fail(ExitCode::kFailed, "{}: its address has {} bytes, more than the {} that addresses have",
         plugin_.settings().label, bytes, room.size());
  return {room.data(), bytes};
}

std::optional<std::string> OpenTransport::refuses_to_connect(std::uint32_t peer,
                                                             std::string_view address) {
  convoy_context context(plugin_.settings());
  const std::string what = fmt::format("connecting to task {}", peer);
  const std::int32_t status = enter(plugin_.settings(), what, [&] {
    return plugin_.table().connect(self_, &context, peer, address.data(), address.size());
  });
  if (status == CONVOY_REFUSED) return context.error.value_or("it gave no reason");
  require_success(context, status, what);
  return std::nullopt;
}

void OpenTransport::expect(const convoy_transfer& transfer) {
  call(plugin_.settings(), "expecting a message",
       [&](convoy_context* context) { return plugin_.table().expect(self_, context, &transfer); });
}

void OpenTransport::send(const convoy_transfer& transfer) {
  call(plugin_.settings(), "sending a message",
       [&](convoy_context* context) { return plugin_.table().send(self_, context, &transfer); });
}

std::span<const convoy_transport_event> OpenTransport::poll(std::span<convoy_transport_event> room,
                                                            double seconds) {
  std::uint64_t count = 0;
  call(
      plugin_.settings(), "moving messages",
      [&](convoy_context* context) {
        return plugin_.table().poll(self_, context, room.data(), room.size(), seconds, &count);
      },
      ExitCode::kFailed, seconds);
  if (count > room.size())
    fail(ExitCode::kFailed, "{}: it reports {} events where there is room for {}",
         plugin_.settings().label, count, room.size());
  for (convoy_transport_event& event : room.first(count)) event.text[sizeof event.text - 1] = '\0';
  return room.first(count);
}

void OpenTransport::interrupt() {
  call(plugin_.settings(), "interrupting it",
       [&](convoy_context* context) { return plugin_.table().interrupt(self_, context); });
}

std::optional<int> OpenTransport::descriptor() {
  if (plugin_.table().descriptor == nullptr) return std::nullopt;
  std::int32_t descriptor = -1;
  call(plugin_.settings(), "asking for its descriptor", [&](convoy_context* context) {
    return plugin_.table().descriptor(self_, context, &descriptor);
  });
  return descriptor < 0 ? std::nullopt : std::optional<int>(descriptor);
}

void* OpenTransport::register_memory(void* memory, std::uint64_t bytes) {
  if (plugin_.table().register_memory == nullptr) return nullptr;
  void* registration = nullptr;
  call(
      plugin_.settings(), fmt::format("registering {} bytes", bytes),
      [&](convoy_context* context) {
        return plugin_.table().register_memory(self_, context, memory, bytes, &registration);
      },
      ExitCode::kFailed, kAtLength);
  return registration;
}

void OpenTransport::unregister_memory(void* registration) {
  if (registration == nullptr) return;
  call(plugin_.settings(), "forgetting memory", [&](convoy_context* context) {
    return plugin_.table().unregister_memory(self_, context, registration);
  });
}

}  // namespace convoy::plugin

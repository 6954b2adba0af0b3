// Transports of other versions carry bytes for this host, and for a later one (CONVOY_LATER).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/base/error.hpp"
#include "core/plugin/transport_plugin.hpp"
#include "tests/abi/training_case.hpp"

namespace convoy::testing {
namespace {

using ::testing::HasSubstr;

convoy_transport_run mailbox_run(std::uint32_t rank, std::uint32_t ranks) {
  convoy_transport_run run{};
  run.struct_size = sizeof run;
  run.rank = rank;
  run.ranks = ranks;
  run.channels = 1;
  return run;
}

convoy_transfer mailbox_transfer(std::uint32_t peer, char* memory, std::uint64_t bytes) {
  convoy_transfer transfer{};
  transfer.struct_size = sizeof transfer;
  transfer.peer = peer;
  transfer.memory = memory;
  transfer.bytes = bytes;
  transfer.token = 40 + peer;
  return transfer;
}

std::uint64_t next_done(plugin::OpenTransport& transport) {
  std::array<convoy_transport_event, 4> room;
  for (const convoy_transport_event& event : transport.poll(room, 0))
    if (event.kind == CONVOY_EVENT_DONE) return event.token;
  return 0;
}

// One task at each version's file, in one process.
void carry(const std::filesystem::path& folder) {
  plugin::PluginHost host;
  std::string logged;
  const plugin::TransportPlugin plugin(
      host.load_transport(plugin::read_plugin(folder / "mailbox_transport.so")), {},
      [&](std::int32_t, std::string_view, std::string_view text) { logged = text; });
  EXPECT_TRUE(plugin.has(CONVOY_TRANSPORT_ONE_MACHINE));
  EXPECT_EQ(plugin.table().preference, 7u);
  EXPECT_EQ(plugin.unavailable(), std::nullopt);
  plugin::OpenTransport first(plugin, mailbox_run(0, 2));
  plugin::OpenTransport second(plugin, mailbox_run(1, 2));
  EXPECT_EQ(logged, "opened");
  EXPECT_STREQ(first.describe().name, "mailbox");
  EXPECT_EQ(first.describe().latency, 0.25);
  EXPECT_EQ(first.descriptor(), std::nullopt);
  EXPECT_EQ(first.refuses_to_connect(1, second.address()), std::nullopt);
  EXPECT_EQ(second.refuses_to_connect(0, "box 3"), "no such box");
  char sent[6] = "hello";
  char received[6] = {};
  second.expect(mailbox_transfer(0, received, 6));
  first.send(mailbox_transfer(1, sent, 6));
  EXPECT_EQ(next_done(first), 41u);
  EXPECT_EQ(next_done(second), 40u);
  EXPECT_STREQ(received, "hello");
}

TEST(CONVOY_VERSIONS, FrozenTransportsCarryBytes) {
  carry(kFrozen);
}

TEST(CONVOY_VERSIONS, TransportsOfALaterVersionCarryBytes) {
  carry(kLater);
}

TEST(CONVOY_VERSIONS, TransportsSayWhatTheyRefuse) {
  plugin::PluginHost host;
  const auto loaded = host.load_transport(plugin::read_plugin(kFrozen / "mailbox_transport.so"));
  const plugin::TransportPlugin closed(loaded, {{"closed", "true"}});
  EXPECT_EQ(closed.unavailable(), "the post office is closed");
  try {
    plugin::OpenTransport transport(closed, mailbox_run(0, 9));
    FAIL() << "it was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), HasSubstr("opening it failed: there are eight boxes"));
  }
}

}  // namespace
}  // namespace convoy::testing

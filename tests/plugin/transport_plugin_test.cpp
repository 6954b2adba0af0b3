#include "core/plugin/transport_plugin.hpp"

#include <convoy/sized.hpp>
#include <convoy/transport.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/plugin/fixtures.hpp"

namespace convoy::plugin {
namespace {

using ::testing::SizeIs;

// A table with what a case needs; the other slots are null, as those that a plug-in lacks.
convoy_transport bare_table() {
  auto table = make_sized<convoy_transport>();
  table.abi_major = CONVOY_ABI_MAJOR;
  table.open = [](convoy_context*, const convoy_host*, const convoy_transport_run*,
                  void** transport) {
    static int instance = 0;
    *transport = &instance;
    return 0;
  };
  table.close = [](void*) {};
  table.describe = [](void*, convoy_context*, convoy_transport_description* out) {
    std::memset(out->name, 'n', sizeof out->name);
    std::memset(out->detail, 'd', sizeof out->detail);
    return 0;
  };
  return table;
}

// Opens for every run that the SDK lets through.
class Obliging : public Transport {
 public:
  static std::unique_ptr<Transport> open(const TransportHost&, const convoy_transport_run&) {
    return std::make_unique<Obliging>();
  }
  void describe(convoy_transport_description&) override {}
  std::string address() override { return {}; }
  void connect(std::uint32_t, std::string_view) override {}
  void expect(const convoy_transfer&) override {}
  void send(const convoy_transfer&) override {}
  std::uint64_t poll(std::span<convoy_transport_event>, double) override { return 0; }
  void interrupt() override {}
};

class TransportPluginTest : public testing::Test {
 protected:
  TransportPluginTest() { run_.struct_size = sizeof run_; }
  TransportPlugin plugin() const {
    return {{.table = &table_, .manifest = manifest(), .path = "in this program"}, {}};
  }
  static Manifest manifest() {
    Manifest it;
    it.kind = PluginKind::kTransport;
    it.name = "bare";
    return it;
  }

  convoy_transport table_ = bare_table();
  convoy_transport_run run_{};
};

TEST_F(TransportPluginTest, RefusesRunsThatCannotBe) {
  table_ = transport_detail::kTable<Obliging>;
  const TransportPlugin it = plugin();
  run_.rank = 1;
  run_.ranks = 2;
  run_.channels = 256;
  EXPECT_NO_THROW(OpenTransport(it, run_));
  const auto refused = [&](std::uint32_t ranks, std::uint32_t channels) {
    run_.ranks = ranks;
    run_.channels = channels;
    expect_error(ExitCode::kUsage, {"task 1 of", "cannot be"}, [&] { OpenTransport(it, run_); });
  };
  refused(1, 256);
  refused(2, 0);
  refused(2, 257);
}

TEST_F(TransportPluginTest, CutsTextsThatFillTheirFields) {
  const TransportPlugin it = plugin();
  OpenTransport open(it, run_);
  EXPECT_THAT(std::string(open.describe().name), SizeIs(63));
  EXPECT_THAT(std::string(open.describe().detail), SizeIs(191));
}

TEST_F(TransportPluginTest, TellsHowMuchRoomThereIsForAnAddress) {
  table_.address = [](void*, convoy_context*, void* out, uint64_t* bytes) {
    EXPECT_GE(*bytes, CONVOY_ADDRESS_BYTES);
    std::memset(out, 'a', *bytes);
    return 0;
  };
  const TransportPlugin it = plugin();
  OpenTransport open(it, run_);
  EXPECT_THAT(open.address(), SizeIs(testing::Gt(CONVOY_ADDRESS_BYTES)));
}

TEST_F(TransportPluginTest, DoesWithoutOptionalSlots) {
  const TransportPlugin it = plugin();
  OpenTransport open(it, run_);
  EXPECT_EQ(open.descriptor(), std::nullopt);
  EXPECT_EQ(open.register_memory(this, 8), nullptr);
  open.unregister_memory(nullptr);
  expect_error(ExitCode::kUnavailable, {"transport bare", "no launcher"}, [&] { it.launched(); });
}

TEST_F(TransportPluginTest, DoesNotBelieveWhatThereIsNoRoomFor) {
  table_.address = [](void*, convoy_context*, void*, std::uint64_t* bytes) {
    ++*bytes;
    return 0;
  };
  table_.poll = [](void*, convoy_context*, convoy_transport_event*, std::uint64_t capacity, double,
                   std::uint64_t* count) {
    *count = capacity + 1;
    return 0;
  };
  const TransportPlugin it = plugin();
  OpenTransport open(it, run_);
  expect_error(ExitCode::kFailed, {"its address has 4097 bytes", "4096"}, [&] { open.address(); });
  std::array<convoy_transport_event, 3> room{};
  expect_error(ExitCode::kFailed, {"4 events", "room for 3"}, [&] { open.poll(room, 0); });
}

TEST_F(TransportPluginTest, TellsARefusalFromAFailure) {
  table_.connect = [](void*, convoy_context* context, std::uint32_t peer, const void*,
                      std::uint64_t) {
    host_functions().set_error(context, peer == 1 ? "another machine" : "called twice");
    return static_cast<std::int32_t>(peer == 1 ? CONVOY_REFUSED : CONVOY_FAILED);
  };
  const TransportPlugin it = plugin();
  OpenTransport open(it, run_);
  EXPECT_EQ(open.refuses_to_connect(1, "x"), "another machine");
  expect_error(ExitCode::kFailed, {"transport bare", "connecting to task 2", "called twice"},
               [&] { open.refuses_to_connect(2, "x"); });
}

TEST_F(TransportPluginTest, GathersWhatEveryProcessBrings) {
  table_.traits = CONVOY_TRANSPORT_LAUNCHED;
  table_.exchange = [](convoy_context* context, const convoy_host* host, const void* mine,
                       std::uint64_t bytes, double seconds, void* all, std::uint32_t* rank,
                       std::uint32_t* ranks) {
    *rank = 1;
    *ranks = 3;
    if (all == nullptr) return 0;
    if (seconds < 1) {
      host->set_error(context, "task 2 did not come");
      return static_cast<std::int32_t>(CONVOY_TIMED_OUT);
    }
    for (std::uint32_t i = 0; i < 3; ++i)
      std::memcpy(static_cast<char*>(all) + i * bytes, mine, bytes);
    return 0;
  };
  const TransportPlugin it = plugin();
  EXPECT_EQ(it.launched().rank, 1u);
  EXPECT_EQ(it.launched().ranks, 3u);
  EXPECT_EQ(it.exchange("ab", 1), "ababab");
  expect_error(ExitCode::kTimeout, {"task 2 did not come"}, [&] { it.exchange("ab", 0.5); });
}

}  // namespace
}  // namespace convoy::plugin

// What a peer may send and should not: it is refused and counted, and nothing of it is done.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "core/conformance/transport_end.hpp"
#include "tests/transports/grpc/liar.hpp"
#include "tests/transports/grpc/transport_fixture.hpp"

namespace convoy::grpc_transport {
namespace {

using conformance::TransportEnd;
using conformance::Wrong;

constexpr std::uint32_t kConnections = 4;
constexpr std::uint32_t kCreditConnection = 2 * kConnections;
// Those for what the liar sends, which has the larger rank, begin here.
constexpr std::uint32_t kLiars = kConnections;

// End 1 is a liar; end 0 expects a message of 100 bytes from it on channel 1.
std::string told(convoy_transport_reason reason, bool greets,
                 const std::function<void(Liar&, const TransportEnd&)>& lie) {
  return outcome_of([&](TransportEnd& end) {
    end.run().join_seconds = greets ? 5 : 1;
    if (end.rank() == 0) end.open();
    const std::string address = end.meet(end.rank() == 0 ? end.transport().address() : "").at(0);
    if (end.rank() == 1) {
      Liar liar(end.run(), address, kConnections);
      for (std::uint32_t i = 0; greets && i <= kCreditConnection; ++i)
        liar.say(i, bytes_of(liar.hello(i)));
      end.meet();
      lie(liar, end);
      end.meet();
      return;
    }
    end.connect(1, "grpc/1 clear 127.0.0.1:1");
    std::vector<std::byte> memory(100);
    const auto token = end.expect(1, 1, memory.data(), memory.size());
    if (greets) end.poll_until([&] { return end.connected(1); }, 5, "the liar is connected");
    end.meet();
    end.poll_until([&] { return end.lost(1) != nullptr && end.pending() == 0; }, 5,
                   "the liar is lost");
    if (end.state(token) == TransportEnd::State::kDone) throw Wrong("a lie is done");
    if (end.refused() == 0) throw Wrong("a lie is not counted");
    if (greets && end.lost(1)->reason != reason)
      throw Wrong("the liar is lost for another reason: " + std::string(end.lost(1)->text));
    end.meet();
  });
}

// The message that is expected, as it should be.
FrameHeader header_of(const TransportEnd& end) {
  FrameHeader header;
  header.channel = 1;
  header.tag = end.usual_tag(1, 0);
  header.bytes = 100;
  header.length = 100;
  return header;
}

using Change = std::function<void(FrameHeader&)>;
std::string told_frame(convoy_transport_reason reason, const Change& change,
                       std::size_t payload = 100) {
  return told(reason, true, [&](Liar& liar, const TransportEnd& end) {
    FrameHeader header = header_of(end);
    change(header);
    liar.say(kLiars + 1, bytes_of(header) + std::string(payload, 'x'));
  });
}

TEST(GrpcLiar, MustSayWhoItIs) {
  const auto with = [](const std::function<void(Hello&)>& change) {
    return told(CONVOY_REASON_FOREIGN, false, [&](Liar& liar, const TransportEnd&) {
      Hello hello = liar.hello(0);
      change(hello);
      liar.say(0, bytes_of(hello));
    });
  };
  EXPECT_EQ(with([](Hello& hello) { hello.magic = 1; }), "");
  EXPECT_EQ(with([](Hello& hello) { hello.version = 99; }), "");
  EXPECT_EQ(with([](Hello& hello) { hello.key[0] ^= 1; }), "");
  EXPECT_EQ(with([](Hello& hello) { hello.rank = 0; }), "");
  EXPECT_EQ(with([](Hello& hello) { hello.connection = kCreditConnection + 1; }), "");
  EXPECT_EQ(told(CONVOY_REASON_MALFORMED, false,
                 [](Liar& liar, const TransportEnd&) { liar.say(0, "short"); }),
            "");
}

TEST(GrpcLiar, FramesMustBeWhole) {
  const auto say = [](const std::string& bytes) {
    return told(CONVOY_REASON_MALFORMED, true,
                [&](Liar& liar, const TransportEnd&) { liar.say(kLiars + 1, bytes); });
  };
  EXPECT_EQ(say(""), "");
  EXPECT_EQ(say("short"), "");
  EXPECT_EQ(say(std::string(64, '\xff')), "");
  EXPECT_EQ(told_frame(
                CONVOY_REASON_MALFORMED, [](FrameHeader&) {}, 99),
            "");
  EXPECT_EQ(told_frame(
                CONVOY_REASON_MALFORMED, [](FrameHeader&) {}, 101),
            "");
}

TEST(GrpcLiar, PiecesMustLieInTheirMessage) {
  EXPECT_EQ(told_frame(CONVOY_REASON_MALFORMED, [](FrameHeader& h) { h.offset = 1; }), "");
  EXPECT_EQ(told_frame(CONVOY_REASON_MALFORMED, [](FrameHeader& h) { h.bytes = 50; }), "");
  EXPECT_EQ(told_frame(CONVOY_REASON_MALFORMED, [](FrameHeader& h) { h.channel = 2; }), "");
  EXPECT_EQ(told_frame(CONVOY_REASON_MALFORMED, [](FrameHeader& h) { h.channel = 5; }), "");
  EXPECT_EQ(told_frame(
                CONVOY_REASON_MALFORMED, [](FrameHeader& h) { h.length = 0; }, 0),
            "");
}

// Nothing comes on those for messages to the peer but what makes room for them.
TEST(GrpcLiar, MessagesMustComeOnConnectionsOfTheirDirection) {
  const auto told_on = [](std::uint32_t connection) {
    return told(CONVOY_REASON_MALFORMED, true, [&](Liar& liar, const TransportEnd& end) {
      liar.say(connection, bytes_of(header_of(end)) + std::string(100, 'x'));
    });
  };
  EXPECT_EQ(told_on(1), "");
  EXPECT_EQ(told_on(kCreditConnection), "");
}

TEST(GrpcLiar, MessagesMustBeTheExpectedOnes) {
  EXPECT_EQ(told_frame(CONVOY_REASON_UNEXPECTED, [](FrameHeader& h) { ++h.tag.operation; }), "");
  EXPECT_EQ(told_frame(CONVOY_REASON_UNEXPECTED, [](FrameHeader& h) { h.sequence = 1; }), "");
  EXPECT_EQ(told_frame(CONVOY_REASON_UNEXPECTED, [](FrameHeader& h) { h.bytes = 200; }), "");
  EXPECT_EQ(told_frame(CONVOY_REASON_STALE, [](FrameHeader& h) { ++h.tag.generation; }), "");
}

TEST(GrpcLiar, ChecksumsMustFit) {
  EXPECT_EQ(told_frame(CONVOY_REASON_CORRUPTED,
                       [](FrameHeader& h) {
                         h.checked = 1;
                         h.checksum = 12345;
                       }),
            "");
}

TEST(GrpcLiar, CreditMustExist) {
  EXPECT_EQ(told_frame(
                CONVOY_REASON_MALFORMED,
                [](FrameHeader& h) {
                  h.kind = FrameKind::kCredit;
                  h.channel = 77;
                },
                0),
            "");
}

TEST(GrpcLiar, MayNotFlood) {
  EXPECT_EQ(told(CONVOY_REASON_FLOOD, true,
                 [](Liar& liar, const TransportEnd& end) {
                   for (std::uint64_t i = 0; i < 30; ++i) {
                     FrameHeader header = header_of(end);
                     header.channel = 2;  // nobody expects anything there
                     header.sequence = i;
                     header.bytes = 50000;
                     header.length = 50000;
                     liar.say(kLiars + 2, bytes_of(header) + std::string(50000, 'x'));
                   }
                 }),
            "");
}

// A peer whose messages wait for credit would else wait for all that is on its way to it.
TEST(GrpcLiar, HearsOfCreditBesideMessagesThatItDoesNotTake) {
  EXPECT_EQ(outcome_of([](TransportEnd& end) {
              if (end.rank() == 0) end.open();
              const std::string address =
                  end.meet(end.rank() == 0 ? end.transport().address() : "").at(0);
              constexpr std::uint64_t kBytes = 64 << 20;  // more than connections hold
              if (end.rank() == 1) {
                Liar liar(end.run(), address, kConnections);
                for (std::uint32_t i = 0; i <= kCreditConnection; ++i)
                  liar.say(i, bytes_of(liar.hello(i)));
                FrameHeader credit;
                credit.kind = FrameKind::kCredit;
                credit.channel = 1;
                credit.sequence = 1;
                liar.say(kCreditConnection, bytes_of(credit));
                end.meet();
                if (!liar.hears_credit(1, 20)) throw Wrong("the credit does not come");
                end.meet();
                return;
              }
              end.connect(1, "grpc/1 clear 127.0.0.1:1");
              end.poll_until([&] { return end.connected(1); }, 5, "the liar is connected");
              const std::vector<std::byte> message(kBytes);
              std::vector<std::byte> memory(100);
              const auto sent = end.send(1, 1, message.data(), message.size());
              end.poll_for(0.3);
              end.expect(1, 1, memory.data(), memory.size());
              end.meet();
              end.meet();
              if (end.state(sent) == TransportEnd::State::kDone) throw Wrong("all is taken");
              end.close();
            }),
            "");
}

}  // namespace
}  // namespace convoy::grpc_transport

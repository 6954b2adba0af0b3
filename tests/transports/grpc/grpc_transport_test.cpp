// Encryption, addresses, and a peer that stops in the middle of a message.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/base/error.hpp"
#include "core/conformance/transport_end.hpp"
#include "tests/network/certificates.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/transports/grpc/transport_fixture.hpp"

namespace convoy::grpc_transport {
namespace {

using conformance::TransportEnd;
using conformance::Wrong;

void use(TransportEnd& end, const network::SecurityOptions& files) {
  end.run().certificate = files.certificate.c_str();
  end.run().private_key = files.private_key.c_str();
  end.run().authorities = files.authorities.c_str();
}

void require(bool condition, const std::string& what) {
  if (!condition) throw Wrong(what);
}

// A large message in each direction.
void exchange(TransportEnd& end) {
  constexpr std::uint64_t kBytes = 5'000'001;
  std::vector<std::byte> out(kBytes);
  std::vector<std::byte> in(kBytes);
  conformance::fill_message(out.data(), kBytes, end.rank());
  end.send(end.other(), 0, out.data(), kBytes);
  end.expect(end.other(), 0, in.data(), kBytes);
  end.finish_all("messages in both directions");
  conformance::require_message(in.data(), kBytes, end.other(), "a message");
  end.meet();
}

TEST(GrpcTransport, CarriesMessagesEncrypted) {
  const auto files = network::make_certificates(scratch_folder("certificates"));
  EXPECT_EQ(outcome_of([&](TransportEnd& end) {
              use(end, files);
              end.join();
              require((end.transport().describe().flags & CONVOY_TRANSPORT_ENCRYPTED) != 0,
                      "it does not say that it is encrypted");
              exchange(end);
            }),
            "");
}

TEST(GrpcTransport, DoesNotConnectToAForeignCertificate) {
  const auto files = network::make_certificates(scratch_folder("certificates"));
  const auto foreign = network::make_certificates(scratch_folder("foreign"));
  EXPECT_EQ(outcome_of([&](TransportEnd& end) {
              use(end, end.rank() == 0 ? files : foreign);
              end.run().join_seconds = 3;
              end.open();
              end.connect(end.other(), end.addresses().at(end.other()));
              end.poll_until([&] { return end.lost(end.other()) != nullptr; }, 8,
                             "a peer with a foreign certificate is lost");
              require(!end.connected(end.other()), "a foreign certificate is taken");
              const std::string text = end.lost(end.other())->text;
              require(end.lost(end.other())->reason == CONVOY_REASON_UNREACHED, text);
              // Whoever dials hears why.
              require(end.rank() == 0 || text.find("handshake failed") != std::string::npos, text);
              end.meet();
            }),
            "");
}

TEST(GrpcTransport, RefusesAPeerWithoutCertificates) {
  const auto files = network::make_certificates(scratch_folder("certificates"));
  EXPECT_EQ(outcome_of([&](TransportEnd& end) {
              if (end.rank() == 0) use(end, files);
              end.open();
              const std::string address = end.addresses().at(end.other());
              const auto refusal = end.transport().refuses_to_connect(end.other(), address);
              require(refusal && refusal->find("only one has certificates") != std::string::npos,
                      "clear text is taken for TLS");
              end.meet();
            }),
            "");
}

TEST(GrpcTransport, NeedsLeaveForClearTextBeyondLoopback) {
  EXPECT_EQ(outcome_of([&](TransportEnd& end) {
              end.run().listen_address = "0.0.0.0:0";
              end.run().advertised_host = "127.0.0.1";
              std::string text;
              try {
                end.open();
              } catch (const Error& error) {
                text = error.what();
              }
              require(text.find("clear text") != std::string::npos,
                      "it listens everywhere: " + text);
              end.run().flags = CONVOY_RUN_CLEAR_TEXT;
              end.join();
              require(std::string(end.transport().describe().detail).find("with checksums") !=
                          std::string::npos,
                      "clear text on a network has no checksums");
              exchange(end);
            }),
            "");
}

TEST(GrpcTransport, SaysThatAPortIsTaken) {
  EXPECT_EQ(outcome_of([&](TransportEnd& end) {
              std::string taken = "127.0.0.1:";
              if (end.rank() == 0) end.open();
              const std::string address =
                  end.meet(end.rank() == 0 ? end.transport().address() : "").at(0);
              if (end.rank() == 1) {
                taken += address.substr(address.rfind(':') + 1);
                end.run().listen_address = taken.c_str();
                std::string text;
                try {
                  end.open();
                } catch (const Error& error) {
                  text = error.what();
                }
                require(text.find("cannot listen on " + taken) != std::string::npos,
                        "a port is taken twice: " + text);
              }
              end.meet();
            }),
            "");
}

// Of all sockets of this process, so that little is under way in the system.
void shrink_buffers() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::atoi(entry.path().filename().c_str());
    const int bytes = 16384;
    static_cast<void>(::setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes));
    static_cast<void>(::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes));
  }
}

// What the stopped peer does not take is in the middle of a write: its span comes back all the
// same.
void stopped_within(TransportEnd& end) {
  constexpr std::uint64_t kBytes = 256 << 20;
  end.run().peer_seconds = 60;  // its silence does not end the connection
  end.join();
  shrink_buffers();
  std::vector<std::byte> memory(kBytes);
  if (end.rank() == 1) {
    end.expect(0, 0, memory.data(), kBytes);
    end.poll(0.01);
    static_cast<void>(std::raise(SIGSTOP));
  }
  const auto token = end.send(1, 0, memory.data(), kBytes);
  end.poll_for(0.5);
  require(end.state(token) == TransportEnd::State::kPending, "a stopped peer takes 256 MB");
  end.transport().interrupt();
  end.poll_until([&] { return end.pending() == 0; }, 1.5, "a message ends after interrupt");
  end.close();
}

TEST(GrpcTransport, InterruptReleasesWhatAStoppedPeerDoesNotTake) {
  EXPECT_EQ(outcome_of(stopped_within, 1), "");
}

}  // namespace
}  // namespace convoy::grpc_transport

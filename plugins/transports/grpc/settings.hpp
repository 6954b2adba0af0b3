#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <convoy/transport.hpp>

#include <memory>
#include <string>

#include "plugins/transports/grpc/sockets.hpp"

namespace convoy::grpc_transport {

// What a run wants of its connections, with all texts kept.
struct Settings {
  convoy_transport_run run{};  // without its texts
  Endpoint listen{"127.0.0.1", 0};
  std::string advertised_host;
  std::uint32_t connections = 1;  // per pair and direction, for messages
  bool encrypted = false;
  bool checked = false;  // messages carry checksums: clear text that leaves the machine
  std::string certificate;
  std::string private_key;
  std::string authorities;

  // One more per pair is for credit.
  std::uint32_t connections_per_pair() const { return 2 * connections + 1; }
};

// Reads a run and its files. Throws std::invalid_argument: clear text beyond loopback without
// leave, one of three files missing, an address that is none.
Settings read_settings(const convoy_transport_run& run, std::uint32_t connections, bool checked);

std::shared_ptr<grpc::ServerCredentials> server_credentials(const Settings& settings);
// A connection of its own to an address.
std::shared_ptr<grpc::Channel> make_channel(const Settings& settings, const Endpoint& to);
// For connections of both ends: large frames, and pings that tell a silent peer from an idle one.
void add_arguments(const Settings& settings, grpc::ChannelArguments& arguments);

}  // namespace convoy::grpc_transport

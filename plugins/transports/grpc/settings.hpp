#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/support/channel_arguments.h>
#include <convoy/transport.hpp>

#include <memory>
#include <string>

#include "plugins/transports/grpc/sockets.hpp"

namespace convoy::grpc_transport {

// The settings of a run's connections, with copies of all texts.
struct Settings {
  convoy_transport_run run{};  // without its texts
  Endpoint listen{"127.0.0.1", 0};
  std::string advertised_host;
  std::uint32_t connections = 1;  // per pair and direction, for messages
  bool encrypted = false;
  bool checked = false;  // messages carry checksums: in clear text beyond the machine
  std::string certificate;
  std::string private_key;
  std::string authorities;

  // Includes the pair's connection for credit.
  std::uint32_t connections_per_pair() const { return 2 * connections + 1; }
};

// Reads a run and its files. Throws std::invalid_argument for clear text beyond loopback without
// permission, for one or two of the three files missing, and for a malformed address.
Settings read_settings(const convoy_transport_run& run, std::uint32_t connections, bool checked);

std::shared_ptr<grpc::ServerCredentials> server_credentials(const Settings& settings);
// Makes a separate connection to an address.
std::shared_ptr<grpc::Channel> make_channel(const Settings& settings, const Endpoint& to);
// Adds the arguments of connections of both ends: large frames, and pings that distinguish a silent
// peer from an idle one.
void add_arguments(const Settings& settings, grpc::ChannelArguments& arguments);

}  // namespace convoy::grpc_transport

#pragma once

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "core/network/wire.hpp"

namespace convoy::network {

// Both sides must show a certificate of the given authorities, made out to the name "convoy": one
// certificate serves all hosts, whatever their names and addresses are.
std::shared_ptr<grpc::ServerCredentials> server_credentials(const WireSecurity& security);
std::shared_ptr<grpc::ChannelCredentials> client_credentials(const WireSecurity& security);

// A connection of its own, straight to the address: no proxy, no configuration from name servers.
grpc::ChannelArguments client_arguments(const WireSecurity& security);

}  // namespace convoy::network

#pragma once

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include "core/network/wire.hpp"

namespace convoy::network {

// Both sides must show a certificate of the given authorities for the name "convoy". So one
// certificate serves all hosts, whatever their names and addresses are.
std::shared_ptr<grpc::ServerCredentials> server_credentials(const WireSecurity& security);
std::shared_ptr<grpc::ChannelCredentials> client_credentials(const WireSecurity& security);

// Error(kUnavailable) if the private key is not that of the certificate, or if one of them is
// damaged. gRPC would only say that it has no connection.
void require_own_key(const WireSecurity& security);

// A client has its own connection, directly to the address, without a proxy and without
// configuration from name servers.
grpc::ChannelArguments client_arguments(const WireSecurity& security);

}  // namespace convoy::network

#include "core/network/grpc/credentials.hpp"

namespace convoy::network {

std::shared_ptr<grpc::ServerCredentials> server_credentials(const WireSecurity& security) {
  if (!security.encrypted()) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = security.authorities;
  options.pem_key_cert_pairs.push_back({security.private_key, security.certificate});
  return grpc::SslServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> client_credentials(const WireSecurity& security) {
  if (!security.encrypted()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({security.authorities, security.private_key, security.certificate});
}

grpc::ChannelArguments client_arguments(const WireSecurity& security) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  arguments.SetMaxReceiveMessageSize(-1);
  if (security.encrypted()) arguments.SetSslTargetNameOverride("convoy");
  return arguments;
}

}  // namespace convoy::network

#include "core/network/grpc/credentials.hpp"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

#include "core/base/error.hpp"

namespace convoy::network {
namespace {

struct Free {
  void operator()(BIO* it) const { BIO_free(it); }
  void operator()(X509* it) const { X509_free(it); }
  void operator()(EVP_PKEY* it) const { EVP_PKEY_free(it); }
};
template <typename Object>
using Owned = std::unique_ptr<Object, Free>;

Owned<BIO> reader_of(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Instead of a question at the terminal. gRPC takes no encrypted keys.
int no_password(char* /*buffer*/, int /*size*/, int /*writes*/, void* /*user*/) {
  return 0;
}

}  // namespace

void require_own_key(const WireSecurity& security) {
  if (!security.encrypted()) return;
  const Owned<X509> certificate(
      PEM_read_bio_X509(reader_of(security.certificate).get(), nullptr, nullptr, nullptr));
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(reader_of(security.private_key).get(), nullptr,
                                                    no_password, nullptr));
  if (certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1) return;
  fail(ExitCode::kUnavailable,
       "--private_key is not the key of --certificate, or one of the files is damaged; "
       "certificates.sh of convoy's share folder makes certificates");
}

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

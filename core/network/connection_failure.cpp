#include "core/network/connection_failure.hpp"

namespace convoy::network {
namespace {

constexpr const char* kSameAuthority =
    "give all tasks certificates of one authority that have not expired, or none of them "
    "certificates; certificates.sh of convoy's share folder makes them";

}  // namespace

ConnectionFailure explain_failure(const std::string& reason, bool encrypted) {
  const auto says = [&](const char* words) { return reason.find(words) != std::string::npos; };
  if (says("handshake failed")) {
    if (says("certificate verify failed") || says("CERTIFICATE_VERIFY_FAILED"))
      return {true, "the certificate there is none of --certificate_authority's, or has expired",
              kSameAuthority};
    if (says("wrong version number") || says("WRONG_VERSION_NUMBER"))
      return {true, "this task has a certificate, and there is none there", kSameAuthority};
    return {true, reason, kSameAuthority};
  }
  // A server does not say why it refuses a certificate. It may also be about to end.
  if (says("Socket closed") || says("reset by peer"))
    return {false,
            encrypted ? "it closes the connection, as it does when this task's certificate has "
                        "expired or is of another authority"
                      : "it closes the connection, as it does when it has a certificate and this "
                        "task has none",
            kSameAuthority};
  return {false, reason, "start it, and check its name, its port and the firewalls between"};
}

}  // namespace convoy::network

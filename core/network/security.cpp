#include "core/network/security.hpp"

#include <fstream>
#include <sstream>

#include "core/base/error.hpp"
#include "core/network/addresses.hpp"

namespace convoy::network {
namespace {

std::string read_pem(const std::string& path, std::string_view flag) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file || text.str().find("-----BEGIN ") == std::string::npos)
    fail(ExitCode::kUnavailable, "{}={} {}; share/certificates.sh makes certificates", flag, path,
         file ? "is no file in PEM form" : "cannot be read");
  return text.str();
}

}  // namespace

WireSecurity read_security(const SecurityOptions& options) {
  const int given =
      !options.certificate.empty() + !options.private_key.empty() + !options.authorities.empty();
  if (given == 0) return {};
  if (given < 3)
    fail(ExitCode::kUsage,
         "of --certificate, --private_key and --certificate_authority only {} given; encryption "
         "needs all three: share/certificates.sh makes them",
         given == 1 ? "one is" : "two are");
  return {read_pem(options.certificate, "--certificate"),
          read_pem(options.private_key, "--private_key"),
          read_pem(options.authorities, "--certificate_authority")};
}

void require_safe_network(const HostPort& coordinator, const SecurityOptions& options) {
  if (!options.certificate.empty() || options.insecure_network) return;
  if (is_loopback(coordinator.host) || !resolution_problem(coordinator.host).empty()) return;
  fail(ExitCode::kUsage,
       "the coordinator at {} would be reached in clear text by everyone on the network; give "
       "--certificate, --private_key and --certificate_authority (share/certificates.sh makes "
       "them), or --insecure_network on a network that you trust",
       to_string(coordinator));
}

}  // namespace convoy::network

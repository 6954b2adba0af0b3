#include "core/network/security.hpp"

#include "core/base/error.hpp"
#include "core/base/files/input_file.hpp"
#include "core/network/addresses.hpp"

namespace convoy::network {
namespace {

std::string read_pem(const std::string& path, std::string_view flag) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  InputFile file = read_input_file(path, kMostBytes);
  if (!file.problem.empty())
    fail(ExitCode::kUnavailable,
         "{}={} cannot be read: {}; certificates.sh of convoy's share folder makes certificates",
         flag, path, file.problem);
  if (file.bytes.find("-----BEGIN ") == std::string::npos)
    fail(
        ExitCode::kUnavailable,
        "{}={} is no file in PEM form; certificates.sh of convoy's share folder makes certificates",
        flag, path);
  return std::move(file.bytes);
}

}  // namespace

WireSecurity read_security(const SecurityOptions& options) {
  const int given =
      !options.certificate.empty() + !options.private_key.empty() + !options.authorities.empty();
  if (given == 0) return {};
  if (given < 3)
    fail(ExitCode::kUsage,
         "of --certificate, --private_key and --certificate_authority only {} given; encryption "
         "needs all three: certificates.sh of convoy's share folder makes them",
         given == 1 ? "one is" : "two are");
  return {read_pem(options.certificate, "--certificate"),
          read_pem(options.private_key, "--private_key"),
          read_pem(options.authorities, "--certificate_authority")};
}

std::string require_safe_network(const HostPort& coordinator, const SecurityOptions& options) {
  if (!options.certificate.empty() || options.insecure_network) return "";
  if (is_loopback(coordinator.host)) return "";
  if (std::string problem = resolution_problem(coordinator.host); !problem.empty()) return problem;
  fail(ExitCode::kUsage,
       "the coordinator at {} would be reached in clear text by everyone on the network; give "
       "--certificate, --private_key and --certificate_authority (certificates.sh of convoy's "
       "share folder makes "
       "them), or --insecure_network on a network that you trust",
       to_string(coordinator));
}

}  // namespace convoy::network

#include "tests/network/certificates.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>

namespace convoy::network {

SecurityOptions make_certificates(const std::string& folder) {
  const std::string command =
      fmt::format("sh '{}/share/certificates.sh' '{}' >/dev/null 2>&1", CONVOY_SOURCE_DIR, folder);
  if (std::system(command.c_str()) != 0) throw std::runtime_error("no certificates: " + command);
  return {folder + "/task.crt", folder + "/task.key", folder + "/authority.crt", false};
}

}  // namespace convoy::network

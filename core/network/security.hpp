#pragma once

#include <string>

#include "core/network/wire.hpp"

namespace convoy::network {

// The flags about encryption, as the user gave them.
struct SecurityOptions {
  std::string certificate;  // PEM files; all three are given or none is
  std::string private_key;
  std::string authorities;
  bool insecure_network = false;  // clear text may leave this machine
};

// Reads the files. Throws Error: kUsage if one of the three is missing, kUnavailable if a file
// cannot be read or is no PEM file.
WireSecurity read_security(const SecurityOptions& options);

// Throws Error (kUsage) if clear text would leave this machine and no flag allows that. Returns an
// empty text if the task may connect. While the coordinator's name does not resolve, nobody can
// tell; then it returns the reason, and the caller asks again and sends nothing until the text is
// empty.
std::string require_safe_network(const HostPort& coordinator, const SecurityOptions& options);

}  // namespace convoy::network

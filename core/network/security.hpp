#pragma once

#include <string>

#include "core/network/wire.hpp"

namespace convoy::network {

// The flags about encryption, as they were given.
struct SecurityOptions {
  std::string certificate;  // files in PEM form; all three or none
  std::string private_key;
  std::string authorities;
  bool insecure_network = false;  // clear text is allowed beyond loopback
};

// Reads the files. Throws Error: kUsage when one of the three is missing, kUnavailable when a file
// cannot be read or is none in PEM form.
WireSecurity read_security(const SecurityOptions& options);

// Throws Error with exit code kUsage when clear text would leave this machine without leave. Why
// nobody can tell, because the coordinator's name means nothing yet; empty: one may connect. Until
// it is empty nothing is sent, and it is asked again.
std::string require_safe_network(const HostPort& coordinator, const SecurityOptions& options);

}  // namespace convoy::network

#pragma once

#include <string>

#include "core/network/security.hpp"

namespace convoy::network {

// Runs share/certificates.sh: an authority of its own with a key and a certificate, in a folder.
SecurityOptions make_certificates(const std::string& folder);

}  // namespace convoy::network

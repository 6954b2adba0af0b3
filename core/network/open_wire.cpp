#include <boost/dll/shared_library.hpp>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/system/system_refusal.hpp"
#include "core/base/version.hpp"
#include "core/network/wire.hpp"
#include "core/plugin/search_path.hpp"

namespace convoy::network {
namespace {

// The path of the library, in the build tree and when installed.
std::filesystem::path wire_library() {
  const std::filesystem::path beside = plugin::module_directory() / "../lib/convoy/network_grpc.so";
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::weakly_canonical(beside, ignored);
  return ignored ? beside : real;
}

[[noreturn]] void fail_to_open(const std::filesystem::path& path, std::string_view reason) {
  fail(
      ExitCode::kUnavailable,
      "several hosts need {}, which cannot be used: {}; install libgrpc++ and this convoy with all "
      "its files",
      path.string(), reason);
}

}  // namespace

Wire& open_grpc_wire() {
  const std::filesystem::path path = wire_library();
  using boost::dll::load_mode::type;
  try {
    // It is linked with -z nodelete: closing the handle does not close the library.
    boost::dll::shared_library library(path.c_str(), type::rtld_now | type::rtld_local);
    const std::string version = library.get<const char*()>("convoy_network_version")();
    if (version != kVersion)
      fail_to_open(path, fmt::format("it is of version {}, this convoy of {}", version, kVersion));
    return *library.get<Wire*()>("convoy_network_wire")();
  } catch (const boost::system::system_error& error) {
    const std::string reason = error.what();
    if (const std::optional<std::string> with_limit = advised(reason))
      fail(ExitCode::kUnavailable, "several hosts need {}: {}", path.string(), *with_limit);
    fail_to_open(path, reason);
  }
}

}  // namespace convoy::network

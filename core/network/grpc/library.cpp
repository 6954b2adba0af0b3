// The entry point of this library, which open_wire.cpp looks up.
#include <grpc/grpc.h>
#include <grpc/support/log.h>

#include <cstdlib>

#include "core/base/process/process_limits.hpp"
#include "core/base/version.hpp"
#include "core/network/grpc/client.hpp"
#include "core/network/grpc/server.hpp"
#include "core/network/wire_threads.hpp"

#define CONVOY_WIRE_EXPORT extern "C" __attribute__((visibility("default")))

namespace convoy::network {
namespace {

// If gRPC cannot start a thread, it waits for ever for what that thread would do.
void require_threads_for_grpc() {
  prepare_to_start(wire_threads(), "the network between tasks (gRPC)");
}

class GrpcWire : public Wire {
 public:
  GrpcWire() {
    require_threads_for_grpc();
    // gRPC shuts down with its last connection, and then waits for threads that never began where
    // the system refused them. This reference is never given back.
    grpc_init();
    // Errors are reported by convoy, which knows what they mean.
    if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
  }
  std::unique_ptr<WireServer> listen(const HostPort& address, const WireSecurity& security,
                                     ServerEvents& events) override {
    return make_grpc_server(address, security, events);
  }
  std::unique_ptr<WireClient> connect(const HostPort& address, const WireSecurity& security,
                                      ClientEvents& events) override {
    return make_grpc_client(address, security, events);
  }
};

}  // namespace
}  // namespace convoy::network

CONVOY_WIRE_EXPORT convoy::network::Wire* convoy_network_wire() {
  static convoy::network::GrpcWire wire;
  return &wire;
}

CONVOY_WIRE_EXPORT const char* convoy_network_version() {
  return convoy::kVersion;
}

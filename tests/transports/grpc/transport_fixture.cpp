#include "tests/transports/grpc/transport_fixture.hpp"

#include "core/plugin/library.hpp"

namespace convoy::grpc_transport {

std::string outcome_of(std::function<void(conformance::TransportEnd& end)> check,
                       std::uint32_t victim) {
  plugin::PluginHost plugins;
  const plugin::TransportPlugin plugin(
      plugins.load_transport(plugin::read_plugin(CONVOY_OWN_PLUGINS "/convoy_transport_grpc.so")),
      {});
  const conformance::CaseResult result =
      conformance::run_forked(plugin, {"grpc", "case", std::move(check), 2, victim}, 60);
  return result.outcome == conformance::Outcome::kRight ? "" : result.text + " (wrong)";
}

}  // namespace convoy::grpc_transport

// A strategy that asks and writes a little of everything: variables on the first replica's host,
// gradients through a kernel of its own.
#include <convoy/strategy.hpp>

#include <algorithm>
#include <stdexcept>

namespace {

std::int32_t pass_on(const convoy_region* reads, std::uint64_t read_count,
                     const convoy_region* writes, std::uint64_t write_count) {
  if (read_count != 1 || write_count != 1) return 1;
  std::copy_n(static_cast<const float*>(reads[0].data), reads[0].count,
              static_cast<float*>(writes[0].data));
  return 0;
}

class OneServer : public convoy::Strategy {
 public:
  void plan(convoy::Planner& p) override {
    const convoy::PlaceId server = p.host_place(p.replicas().front());
    require_answers(p, server);
    for (const auto r : p.replicas()) p.copy(p.parameters(r), p.master(server));
    p.compute();
    for (const convoy::Range range : p.buckets()) {
      for (const auto r : p.replicas()) {
        const convoy::Span gradient = p.gradient(r)[range];
        p.call("pass_on", p.replica_place(r), {gradient}, {gradient});
      }
      const convoy::Buffer total = p.scratch(server, range.count);
      p.sum(total, p.all_gradients(range));
      p.apply(p.master(server)[range], total);
    }
  }

  convoy_host_kernel host_kernel(const std::string& name) override {
    return name == "pass_on" ? pass_on : nullptr;
  }

 private:
  static void require_answers(const convoy::Planner& p, convoy::PlaceId server) {
    const convoy::PlaceInfo place = p.place(server);
    const convoy::RouteInfo route = p.route(p.replica_place(p.replicas().front()), server);
    const convoy::VariableInfo last = p.variable(p.variable_count() - 1);
    if (place.kind != convoy::PlaceKind::kHost || place.replica || place.name.empty() ||
        route.bytes_per_second < 0 || last.name.empty() || last.range.count < last.elements)
      throw std::runtime_error("the host's answers are not what they were");
  }
};

}  // namespace

CONVOY_STRATEGY(OneServer, "name=one_server", "version=0.1.0",
                "description=Variables on a host, gradients through a kernel.", "claim=approximate",
                "needs=copy,call,sum,apply,forward,backward")

// How many bytes per second installed transports carry between two processes that are bound to a
// core each, beside sockets without anything around them; grpc in clear text and encrypted. The
// transport of an MPI is measured, beside that MPI's own functions, when its launcher starts the
// program:
//   mpirun -np 2 --bind-to none build/release/benchmarks/transport_benchmark
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "core/conformance/transport_conformance.hpp"
#include "core/plugin/library.hpp"
#include "core/plugin/search_path.hpp"
#include "tests/benchmarks/transport_own_mpi.hpp"
#include "tests/benchmarks/transport_streams.hpp"
#include "tests/network/certificates.hpp"

namespace convoy::testing {
namespace {

using conformance::CaseResult;
using conformance::Outcome;
using conformance::TransportCase;
using conformance::TransportEnd;
using Carry = std::function<double(TransportEnd& end, const Streams& streams)>;

constexpr double kPatience = 120;
constexpr int kIterations = 3;

// Seconds of both ends, in memory that child processes share with this one.
struct Seconds {
  double* of_end = static_cast<double*>(::mmap(nullptr, 2 * sizeof(double), PROT_READ | PROT_WRITE,
                                               MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  double longest() const { return std::max(of_end[0], of_end[1]); }
  ~Seconds() { ::munmap(of_end, 2 * sizeof(double)); }
};

// Processor time of the processes that have ended.
double children_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Both processes of a launched program come here for the same cases, in the same order.
void measure(benchmark::State& state, const plugin::TransportPlugin& plugin, const Carry& carry,
             const Streams& streams) {
  static std::uint32_t number = 0;
  const Seconds seconds;
  const TransportCase it{
      "benchmark", "throughput",
      [&](TransportEnd& end) { seconds.of_end[end.rank()] = carry(end, streams); }, 2};
  const bool launched = plugin.has(CONVOY_TRANSPORT_LAUNCHED);
  const double before = children_seconds();
  for (auto _ : state) {
    const CaseResult result =
        launched ? conformance::run_launched(plugin, it, ++number, static_cast<unsigned>(kPatience))
                 : conformance::run_forked(plugin, it, kPatience);
    if (result.outcome != Outcome::kRight) return state.SkipWithError(result.text.c_str());
    state.SetIterationTime(seconds.longest());
  }
  const double bytes = streams.total_bytes() * kIterations;
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  // Of both ends; what a machine that does other things cannot distort.
  if (!launched) state.counters["cpu_s_per_GB"] = 1e9 * (children_seconds() - before) / bytes;
}

// The same with mutual TLS.
Carry encrypted(const network::SecurityOptions& files) {
  return [files](TransportEnd& end, const Streams& streams) {
    end.run().certificate = files.certificate.c_str();
    end.run().private_key = files.private_key.c_str();
    end.run().authorities = files.authorities.c_str();
    return over_transport(end, streams);
  };
}

void add_case(const std::string& name, const plugin::TransportPlugin& plugin, const Carry& carry,
              const Streams& streams) {
  const std::string label = name + "/" + (streams.both ? "both" : "one") +
                            "/bytes:" + std::to_string(streams.bytes) +
                            "/channels:" + std::to_string(streams.channels);
  benchmark::RegisterBenchmark(label.c_str(),
                               [&plugin, carry, streams](benchmark::State& state) {
                                 measure(state, plugin, carry, streams);
                               })
      ->UseManualTime()
      ->Iterations(kIterations)
      ->Unit(benchmark::kMillisecond);
}

void add_cases(const std::string& name, const plugin::TransportPlugin& plugin, const Carry& carry) {
  for (const bool both : {false, true})
    for (const std::uint64_t bytes : {4096, 262144, 16777216})
      for (const std::uint32_t channels : {1, 2, 4, 8})
        add_case(name, plugin, carry, {bytes, channels, both});
  // All parts of a case, in an instant: it measures nothing.
  add_case(name + "/tiny", plugin, carry, {4096, 2, true, 16});
}

// What of the installed transports this process can measure.
void add_transports(plugin::PluginHost& host,
                    std::vector<std::unique_ptr<plugin::TransportPlugin>>& plugins,
                    const std::filesystem::path& scratch) {
  const plugin::Catalog catalog = plugin::installed_plugins("");
  const bool launched = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  for (const std::string& name : catalog.names(plugin::PluginKind::kTransport)) {
    const plugin::FoundPlugin found = catalog.find(plugin::PluginKind::kTransport, name);
    auto plugin = std::make_unique<plugin::TransportPlugin>(host.load_transport(found),
                                                            plugin::OptionValues{});
    if (plugin->has(CONVOY_TRANSPORT_LAUNCHED) != launched) continue;
    if (plugins.empty() && !launched) add_cases("sockets", *plugin, over_sockets);
    add_cases(name, *plugin, over_transport);
    if (name == "grpc")
      add_cases("grpc_tls", *plugin, encrypted(network::make_certificates(scratch.string())));
    if (name == "mpi" && kHasMpi) add_cases("mpi_own", *plugin, over_mpi);
    plugins.push_back(std::move(plugin));
  }
}

}  // namespace
}  // namespace convoy::testing

int main(int argc, char** argv) {
  const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank != nullptr && std::string(rank) != "0" &&
      std::freopen("/dev/null", "w", stdout) == nullptr)
    return 1;
  convoy::plugin::PluginHost host;
  std::vector<std::unique_ptr<convoy::plugin::TransportPlugin>> plugins;
  ::setenv("CONVOY_PLUGIN_PATH", CONVOY_BINARY_DIR "/lib/convoy/plugins", 0);
  const std::filesystem::path scratch =
      std::filesystem::temp_directory_path() /
      ("convoy_transport_benchmark." + std::to_string(::getpid()));
  convoy::testing::add_transports(host, plugins, scratch);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(scratch);
}

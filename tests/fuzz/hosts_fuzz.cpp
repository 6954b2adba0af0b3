// What a launcher or a user says of the tasks of a run: lines of name=value are the environment,
// and each value is also read as a list of hosts and as one of Slurm's nodes.
#include <map>

#include "core/network/launcher.hpp"
#include "core/network/slurm_nodes.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using convoy::fuzz::expect_result_or_error;

void read_lists(const std::string& text) {
  expect_result_or_error([&] {
    for (const convoy::network::HostPort& address :
         convoy::network::parse_host_list(text, "--worker_hosts")) {
      const std::string written = convoy::network::to_string(address);
      CONVOY_CHECK(convoy::network::parse_host_port(written, "written again") == address);
    }
  });
  expect_result_or_error([&] {
    for (const std::string& name : convoy::network::expand_node_list(text, "SLURM_NODELIST"))
      CONVOY_CHECK(!name.empty());
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::map<std::string, std::string> environment;
  std::string_view text = convoy::fuzz::as_text(data, size);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string value(line.substr(equals + 1));
    environment[std::string(line.substr(0, equals))] = value;
    read_lists(value);
  }
  expect_result_or_error([&] {
    const auto process = convoy::network::launched_process(
        [&](const std::string& variable) -> std::optional<std::string> {
          const auto found = environment.find(variable);
          if (found == environment.end()) return std::nullopt;
          return found->second;
        });
    if (process) CONVOY_CHECK(process->rank >= 0 && process->rank < process->size);
  });
  return 0;
}

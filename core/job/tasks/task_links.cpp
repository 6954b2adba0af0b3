#include "core/job/tasks/task_links.hpp"

#include <convoy/sized.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "core/base/text/sent_number.hpp"
#include "core/job/tasks/task_messages.hpp"
#include "core/plugin/availability.hpp"

namespace convoy::job {
namespace {

std::string to_hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes += static_cast<char>(
        sent_number<unsigned char>(text.substr(i, 2), "address for a transport", 16));
  return bytes;
}

convoy_transport_run describe_run(const network::Roster& roster,
                                  const TaskLinks::Options& options) {
  const auto text = [](const std::string& it) { return it.empty() ? nullptr : it.c_str(); };
  auto run = make_sized<convoy_transport_run>();
  std::memcpy(run.key, roster.key.data(), std::min(roster.key.size(), sizeof(run.key)));
  run.rank = static_cast<std::uint32_t>(roster.rank);
  run.ranks = static_cast<std::uint32_t>(roster.members.size());
  run.generation = static_cast<std::uint32_t>(roster.generation);
  run.channels = (options.lanes + 1) * options.streams;  // the last ones are for measuring
  run.flags = options.security.insecure_network ? std::uint32_t{CONVOY_RUN_CLEAR_TEXT} : 0;
  run.peer_seconds = options.peer_timeout;
  run.join_seconds = options.join_timeout;
  run.listen_address = text(options.listen_address);
  run.advertised_host = text(options.advertised_host);
  run.certificate = text(options.security.certificate);
  run.private_key = text(options.security.private_key);
  run.authorities = text(options.security.authorities);
  return run;
}

}  // namespace

TaskLinks::TaskLinks(network::ControlPlane& control, const Setup& setup, const Options& options,
                     const plugin::PluginLog& log) {
  const network::Roster roster = control.roster();
  open_transports(roster, setup, options, log);
  const std::vector<std::string> all = control.exchange("addresses", offers());
  runtime::NetworkOptions engine;
  engine.generation = static_cast<std::uint32_t>(roster.generation);
  engine.now = options.now;
  engine.waking = options.waking;
  engine.channels = options.lanes;
  engine.streams = options.streams;
  chosen_.resize(all.size());
  for (std::uint32_t peer = 0; peer < all.size(); ++peer)
    engine.peers.push_back(static_cast<int>(peer) == roster.rank
                               ? runtime::NetworkPeer{}
                               : connect(roster, peer, all[peer]));
  measure(engine, options);
  engine_ = std::make_unique<runtime::NetworkEngine>(std::move(engine));
}

void TaskLinks::measure(const runtime::NetworkOptions& engine, const Options& options) {
  EchoOptions echo;
  echo.generation = engine.generation;
  echo.first_channel = options.lanes * options.streams;
  echo.streams = options.streams;
  echo.join_seconds = options.join_timeout;
  echo.peer_seconds = options.peer_timeout;
  echo.while_waiting = options.while_waiting;
  std::vector<EchoPeer> peers;
  for (const runtime::NetworkPeer& peer : engine.peers) {
    if (peer.transport == nullptr) echo.rank = static_cast<std::uint32_t>(peers.size());
    peers.push_back({peer.name, peer.transport});
  }
  measured_ = measure_links(peers, echo);
}

void TaskLinks::open_transports(const network::Roster& roster, const Setup& setup,
                                const Options& options, const plugin::PluginLog& log) {
  for (const plugin::FoundPlugin& found : wanted_transports(setup))
    open(found, roster, setup, options, log);
  std::ranges::stable_sort(transports_, std::ranges::greater(),
                           [](const Transport& it) { return it.plugin->table().preference; });
}

// A transport that nobody named is left out if it cannot be used here.
void TaskLinks::open(const plugin::FoundPlugin& found, const network::Roster& roster,
                     const Setup& setup, const Options& options, const plugin::PluginLog& log) {
  const std::string& name = found.manifest.name;
  const bool named = !setup.options.task.transports.empty();
  try {
    Transport it;
    it.name = name;
    it.plugin = std::make_unique<plugin::TransportPlugin>(
        setup.host->load_transport(found), given_options(found.manifest, setup.options), log);
    if (!named && it.plugin->table().preference == 0) return;
    const bool launched = it.plugin->has(CONVOY_TRANSPORT_LAUNCHED);
    if (const auto reason = plugin::unavailable_reason(*setup.host, found))
      fail(ExitCode::kUnavailable, "{}", *reason);
    if (launched && it.plugin->launched().ranks != roster.members.size())
      fail(ExitCode::kUnavailable, "its launcher has started {} processes, and the run has {}",
           it.plugin->launched().ranks, roster.members.size());
    it.open = std::make_unique<plugin::OpenTransport>(*it.plugin, describe_run(roster, options));
    it.address = it.open->address();
    transports_.push_back(std::move(it));
  } catch (const Error& error) {
    if (named) fail(error.code(), "--transport={}: {}", name, error.what());
    left_out_.push_back(fmt::format("{}: {}", name, error.what()));
  }
}

// The text looks like {"shm": "hexadecimal digits of the address"}.
std::string TaskLinks::offers() const {
  nlohmann::json json = nlohmann::json::object();
  for (const Transport& it : transports_) json[it.name] = to_hex(it.address);
  return json_text(json);
}

runtime::NetworkPeer TaskLinks::connect(const network::Roster& roster, std::uint32_t peer,
                                        const std::string& offers) {
  const network::Member& self = roster.members[static_cast<std::size_t>(roster.rank)];
  const network::Member& other = roster.members[peer];
  const std::string name = network::to_string(other.name);
  std::map<std::string, std::string> offered;  // addresses by transport
  read_message("addresses", [&] {
    const nlohmann::json json = parse_json(offers);
    for (const auto& [transport, address] : json.items())
      offered[transport] = from_hex(address.get<std::string>());
  });
  std::vector<std::string> reasons = left_out_;
  for (Transport& it : transports_) {
    if (!offered.contains(it.name)) {
      reasons.push_back(fmt::format("{}: the other task has none", it.name));
      continue;
    }
    if (it.plugin->has(CONVOY_TRANSPORT_ONE_MACHINE) && self.machine != other.machine) continue;
    const auto refusal = it.open->refuses_to_connect(peer, offered.at(it.name));
    if (!refusal) {
      chosen_[peer] = it.name;
      return {name, it.open.get()};
    }
    reasons.push_back(fmt::format("{}: {}", it.name, *refusal));
  }
  fail(ExitCode::kUnavailable,
       "no transport connects this task with {}: {}; convoy list shows those that are installed",
       name,
       reasons.empty() ? "none is installed for several machines"
                       : fmt::format("{}", fmt::join(reasons, "; ")));
}

}  // namespace convoy::job

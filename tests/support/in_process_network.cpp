#include "tests/support/in_process_network.hpp"

#include <fmt/format.h>

#include <convoy/transport.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tests/support/in_process_hub.hpp"

namespace convoy::testing {
namespace {

// Hubs by the number with which a transport is opened, because the ABI carries only texts.
std::mutex hubs_mutex;
std::map<std::string, std::weak_ptr<Hub>> hubs;

class InProcessTransport : public Transport {
 public:
  static std::unique_ptr<Transport> open(const TransportHost& host,
                                         const convoy_transport_run& run) {
    const std::lock_guard lock(hubs_mutex);
    return std::make_unique<InProcessTransport>(hubs.at(host.option("hub")).lock(), run.rank);
  }

  InProcessTransport(std::shared_ptr<Hub> hub, std::uint32_t rank)
      : hub_(std::move(hub)), rank_(rank) {}
  ~InProcessTransport() override { hub_->lose(rank_, CONVOY_REASON_CLOSED, "it has closed"); }

  void describe(convoy_transport_description& out) override { set_text(out.name, "in process"); }
  std::string address() override { return std::to_string(rank_); }
  void connect(uint32_t peer, std::string_view /*address*/) override { hub_->connect(rank_, peer); }
  void expect(const convoy_transfer& transfer) override { hub_->add(rank_, transfer, false); }
  void send(const convoy_transfer& transfer) override { hub_->add(rank_, transfer, true); }
  uint64_t poll(std::span<convoy_transport_event> out, double seconds) override {
    return hub_->poll(rank_, out, seconds);
  }
  void interrupt() override { hub_->interrupt(rank_); }
  std::optional<int> descriptor() override {
    if (!hub_->options().descriptor) return std::nullopt;
    return hub_->descriptor(rank_);
  }

 private:
  std::shared_ptr<Hub> hub_;
  std::uint32_t rank_;
};

}  // namespace

InProcessNetwork::InProcessNetwork(std::uint32_t ranks, const InProcessOptions& options)
    : ranks_(ranks), hub_(std::make_shared<Hub>(ranks, options)) {
  const std::string name = fmt::format("{}", static_cast<const void*>(hub_.get()));
  {
    const std::lock_guard lock(hubs_mutex);
    hubs[name] = hub_;
  }
  plugin::Manifest manifest;
  manifest.kind = plugin::PluginKind::kTransport;
  manifest.name = "in_process";
  manifest.options.push_back(
      {.name = "hub", .type = plugin::OptionType::kString, .default_value = name});
  plugin_ = std::make_unique<plugin::TransportPlugin>(
      plugin::LoadedPlugin<convoy_transport>{&transport_detail::kTable<InProcessTransport>,
                                             manifest, "built in"},
      plugin::OptionValues{});
}

InProcessNetwork::~InProcessNetwork() = default;

std::unique_ptr<plugin::OpenTransport> InProcessNetwork::open(std::uint32_t rank) {
  auto run = make_sized<convoy_transport_run>();
  run.rank = rank;
  run.ranks = ranks_;
  run.channels = ranks_;
  auto transport = std::make_unique<plugin::OpenTransport>(*plugin_, run);
  for (std::uint32_t peer = 0; peer < ranks_; ++peer)
    if (peer != rank) transport->refuses_to_connect(peer, "");
  return transport;
}

void InProcessNetwork::kill(std::uint32_t rank, const std::string& reason) {
  hub_->lose(rank, CONVOY_REASON_DIED, reason);
}

void InProcessNetwork::drop_after(std::uint32_t from, std::uint32_t to, std::uint64_t messages) {
  hub_->drop_after(from, to, messages);
}

void InProcessNetwork::stop(std::uint32_t rank) {
  hub_->stop(rank, true);
}

void InProcessNetwork::go_on(std::uint32_t rank) {
  hub_->stop(rank, false);
}

}  // namespace convoy::testing

#include "core/job/tasks/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/byte_hash.hpp"
#include "core/base/process/process_limits.hpp"
#include "core/job/model_choice.hpp"
#include "core/job/sizes.hpp"
#include "core/job/tasks/task_cluster.hpp"
#include "core/job/tasks/task_messages.hpp"
#include "core/network/addresses.hpp"
#include "core/network/plan_agreement.hpp"
#include "core/network/reachable_names.hpp"
#include "core/plan/print/print.hpp"
#include "topology/detect/usable_cores.hpp"

namespace convoy::job {
namespace {

constexpr std::uint32_t kMostChannels = 256;  // the most channels that a transport has

// Options in which tasks may differ: their identity, the places of their files, what they print.
const std::set<std::string>& own_options() {
  static const std::set<std::string> kNames = {"advertise_address",
                                               "against",
                                               "against_program",
                                               "calibration_file",
                                               "controller_host",
                                               "data_dir",
                                               "datasets_num_private_threads",
                                               "display_every",
                                               "display_perf_ewma",
                                               "gpu_indices",
                                               "job_name",
                                               "num_intra_threads",
                                               "output_file",
                                               "plugin_path",
                                               "profile",
                                               "quiet",
                                               "record_timeline",
                                               "repeat",
                                               "report",
                                               "task_index",
                                               "certificate_authority",
                                               "certificate",
                                               "private_key",
                                               "restarts",
                                               "trace_file",
                                               "verbose"};
  return kNames;
}

std::string plugin_name(const Setup& setup) {
  const JobOptions& options = setup.options;
  return model_plugin_name(setup.catalog, options.model, options.data_name, options.data_dir);
}

}  // namespace

Task::Task(network::TaskIdentity identity, const TaskOptions& options,
           const network::Introduction& introduction, report::RunObserver& observer)
    : identity_(network::with_reachable_names(std::move(identity), network::system_names())),
      options_(options),
      observer_(observer) {
  prepare_to_open(tasks(), fmt::format("a run of {} tasks", tasks()));
  control_ = std::make_unique<network::ControlPlane>(control_options(), introduction);
  take_rank();
}

void Task::take_rank() {
  rank_ = static_cast<std::uint32_t>(control_->roster().rank);
  peers_ = std::make_unique<ControlPeers>(*control_, identity_.workers);
}

void Task::rejoin(const network::Introduction& introduction) {
  CONVOY_CHECK(goes_on_);
  {
    const std::lock_guard lock(mutex_);
    engine_ = nullptr;
    interruption_.reset();
    operations_ = {};
  }
  links_.reset();
  linked_ = goes_on_ = false;
  explained_.reset();
  ++restarts_;
  observer_.notice(fmt::format(
      "waiting for the lost task to be started again or to wake up, --join_timeout={:g} "
      "s at most",
      options_.join_timeout));
  control_->rejoin(introduction);
  take_rank();
}

// The control plane is destroyed before the other members, because its threads use the links and
// the texts.
Task::~Task() {
  control_.reset();
}

network::ControlOptions Task::control_options() {
  network::ControlOptions control;
  control.identity = identity_;
  control.join_timeout = options_.join_timeout;
  control.peer_timeout = options_.peer_timeout;
  control.restarts = static_cast<int>(options_.restarts);
  control.security = security();
  control.advertise_address = options_.advertise_address;
  // Once tasks train, an interrupted task ends together with all others, after the same step.
  control.interrupted = [this] { return linked_ ? ExitCode::kOk : observer_.interruption(); };
  control.operation_text = [this](std::int64_t operation) {
    const std::lock_guard lock(mutex_);
    return operations_.at(network_step_, operation);
  };
  control.notice = [this](const std::string& text) {
    const std::lock_guard lock(mutex_);
    notices_.push_back(text);
  };
  control.failed = [this] { interrupt_links(); };
  control.staying = [this](const std::string& text) { observer_.notice(text); };
  return control;
}

void Task::interrupt_links() {
  const std::lock_guard lock(mutex_);
  constexpr const char* kReason = "another task of the run is lost";
  if (engine_ != nullptr) engine_->interrupt(kReason);
  if (interruption_ != nullptr) interruption_->interrupt(kReason);
}

std::vector<std::string> Task::exchange(const std::string& what, std::string blob) {
  return control_->exchange(what, std::move(blob));
}

std::string Task::from_chief(const std::string& what, std::string blob) {
  return control_->broadcast(what, std::move(blob));
}

std::string Task::await_chief(const std::string& what, std::string blob) {
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  control_->begin_exchange(what, identity_.is_chief() ? std::move(blob) : std::string());
  for (;;) {
    if (std::optional<std::vector<std::string>> all = control_->exchanged(what))
      return std::move(all->front());
    wants_to_end();
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

Sizes Task::chiefs_sizes(const Sizes& own, std::uint32_t devices) {
  const ChiefsSizes chiefs = read_chiefs_sizes(from_chief(
      "sizes", to_text(ChiefsSizes{devices, own.batch, own.warmup_steps, own.timed_steps})));
  devices_per_worker_ = chiefs.devices;
  Sizes sizes = own;
  sizes.batch = chiefs.batch;
  sizes.warmup_steps = chiefs.warmup_steps;
  sizes.timed_steps = chiefs.timed_steps;
  return sizes;
}

// Every worker plans with the properties of the chief's devices.
plan::Cluster Task::agreed_cluster(const runtime::OpenDevices& devices) {
  const TaskDevices own = task_devices(devices, devices_per_worker_);
  TaskDevices of_workers =
      read_task_devices(from_chief("devices", to_text(own)), devices_per_worker_);
  of_workers.no_collectives = agreed_refusal(devices, own.no_collectives);
  return cluster_of_tasks(workers(), static_cast<std::uint32_t>(identity_.servers), of_workers);
}

// Returns why the workers' devices cannot run collectives together; empty if they can. Parameter
// servers have no devices in collectives.
std::string Task::agreed_refusal(const runtime::OpenDevices& devices, const std::string& own) {
  WorkersDevices mine;
  mine.refusal = own;
  for (const convoy_device_description& device : devices.descriptions()) {
    mine.names.emplace_back(device.name);
    mine.localities.emplace_back(device.locality);
  }
  const std::vector<std::string> texts = exchange("collectives", to_text(mine));
  const network::Roster roster = control_->roster();
  std::vector<WorkersDevices> of_workers;
  for (std::uint32_t rank = 0; rank < workers(); ++rank) {
    of_workers.push_back(read_workers_devices(texts.at(rank)));
    of_workers.back().task = network::to_string(roster.members[rank].name);
    of_workers.back().machine = roster.members[rank].machine;
  }
  // If all tasks lack collectives for the same reason, the tasks need not be named.
  const auto is_first = [&](const WorkersDevices& it) {
    return it.refusal == of_workers.front().refusal;
  };
  if (std::ranges::all_of(of_workers, is_first) && !of_workers.front().refusal.empty())
    return of_workers.front().refusal;
  return why_no_spanning_collectives(of_workers);
}

TaskLinks::Options Task::link_options(const std::shared_ptr<runtime::OpenDevices>& devices) const {
  TaskLinks::Options options;
  // Workers that do not wait for each other have a lane each, and so do priorities. One more lane
  // is for measuring.
  constexpr std::uint32_t kPriorities = CONVOY_PRIORITIES;
  options.lanes = std::min(std::max(kPriorities, workers()), kMostChannels - 1);
  options.streams = std::clamp(options_.network_channels, 1u, kMostChannels / (options.lanes + 1));
  options.join_timeout = options_.join_timeout;
  options.peer_timeout = options_.peer_timeout;
  options.security = security();
  options.advertised_host = options_.advertise_address;
  network::HostPort listens = network::transport_address(identity_);
  if (listens.host.empty())
    listens.host = network::local_address_towards(network::required_coordinator(identity_));
  options.listen_address = network::to_string(listens);
  options.now = [devices] { return devices->now(); };
  options.waking = devices->waking();
  options.while_waiting = [this] {
    control_->check();
    const ExitCode code = observer_.interruption();
    if (code != ExitCode::kOk) fail(code, "interrupted while the links between tasks are tried");
  };
  return options;
}

network::SecurityOptions Task::security() const {
  return {options_.certificate, options_.private_key, options_.certificate_authority,
          options_.insecure_network};
}

void Task::link(const Setup& setup, const std::shared_ptr<runtime::OpenDevices>& devices,
                const plugin::PluginLog& log) {
  cluster_ = agreed_cluster(*devices);
  {
    const std::lock_guard lock(mutex_);
    interruption_ = std::make_unique<runtime::CollectiveInterruption>();
  }
  links_ = std::make_unique<TaskLinks>(*control_, setup, link_options(devices), log);
  exchange_measurements();
  exchange_cores();
  const std::lock_guard lock(mutex_);
  engine_ = &links_->engine();
  linked_ = true;
}

void Task::exchange_measurements() {
  std::vector<MeasuredLink> own;
  for (std::uint32_t peer = 0; peer < tasks(); ++peer) own.push_back(links_->measured(peer));
  measured_links_.clear();
  for (const std::string& text : exchange("links", to_text(own)))
    measured_links_.push_back(read_measured_links(text, tasks()));
}

// A core is represented by the first of its processing units.
void Task::exchange_cores() {
  std::vector<unsigned> own;
  for (const topology::CoreUnits& units : topology::usable_cores().cores)
    own.push_back(units.front());
  const std::vector<std::string> all = exchange("cores", to_text(own));
  const std::vector<network::Member> members = control_->roster().members;
  std::map<std::string, std::pair<std::vector<std::uint32_t>, std::set<unsigned>>> machines;
  for (std::uint32_t rank = 0; rank < all.size(); ++rank) {
    auto& [ranks, cores] = machines[members.at(rank).machine];
    ranks.push_back(rank);
    for (const unsigned core : read_cores(all[rank])) cores.insert(core);
  }
  machines_.clear();
  for (const auto& [name, it] : machines)
    machines_.push_back({it.first, static_cast<std::uint32_t>(it.second.size())});
}

runtime::ClusterTask Task::cluster_task() {
  return {&cluster_,           rank_,
          &links_->engine(),   peers_.get(),
          interruption_.get(), options_.join_timeout};
}

std::vector<int> Task::replicas() const {
  // An input source needs a replica, although a server never takes a batch.
  if (!computes()) return {0};
  std::vector<int> numbers(devices_per_worker_);
  std::iota(numbers.begin(), numbers.end(), static_cast<int>(rank_ * devices_per_worker_));
  return numbers;
}

void Task::agree_on_plan(const plan::Plan& plan) {
  {
    const std::lock_guard lock(mutex_);
    operations_ = OperationTexts(plan);
    network_step_ = 0;
  }
  std::ostringstream text;
  plan::print_plan(text, plan);
  std::istringstream lines(text.str());
  std::vector<std::string> operations;
  for (std::string line; std::getline(lines, line);) operations.push_back(line);
  network::agree_on_plan(*control_, operations);
}

void Task::finished_step(std::int64_t step) {
  const runtime::NetworkPosition position = links_->engine().position();
  {
    const std::lock_guard lock(mutex_);
    network_step_ = position.step;
  }
  const bool has_messages = position.operation != CONVOY_NONE;
  control_->set_position(step, has_messages ? std::int64_t{position.operation} : -1);
  print_notices();
}

void Task::pauses() {
  control_->leave_operation();
}

CommonClock Task::common_clock(const std::function<double()>& devices_now) {
  return read_common_clock(control_->clock_offset(), devices_now);
}

void Task::print_notices() {
  std::vector<std::string> texts;
  {
    const std::lock_guard lock(mutex_);
    texts.swap(notices_);
  }
  for (const std::string& text : texts) observer_.notice(text);
}

std::string Task::name_of(std::uint32_t rank) const {
  return network::to_string(control_->roster().members.at(rank).name);
}

std::vector<PeerRecord> Task::peers() const {
  const network::Roster roster = control_->roster();
  const std::vector<runtime::NetworkTraffic> traffic = links_->engine().traffic();
  std::vector<PeerRecord> peers;
  for (std::uint32_t peer = 0; peer < traffic.size(); ++peer) {
    if (peer == rank_) continue;
    const MeasuredLink& link = links_->measured(peer);
    peers.push_back({network::to_string(roster.members[peer].name), links_->transport_to(peer),
                     traffic[peer].bytes_sent, traffic[peer].bytes_received,
                     link.round_trip_seconds, link.bytes_per_second});
  }
  return peers;
}

std::vector<std::string> Task::finish(const std::string& own) {
  std::vector<std::string> of_all = control_->exchange("end", own);
  {
    const std::lock_guard lock(mutex_);
    engine_ = nullptr;
  }
  links_.reset();
  control_->leave();
  print_notices();
  return of_all;
}

bool Task::wants_to_end() {
  const ExitCode own = observer_.interruption();
  if (own != ExitCode::kOk) control_->interrupt_all(own, observer_.interrupted_by());
  return own != ExitCode::kOk || control_->interruption().has_value();
}

void Task::wait_for_end() {
  linked_ = true;  // it ends together with the others
  control_->wait_for_end([this] {
    wants_to_end();
    if (observer_.take_save_request())
      observer_.notice("a controller saves no checkpoint: send SIGUSR1 to a worker");
  });
  control_->leave();
  print_notices();
}

Error Task::explain(const Error& error) {
  print_notices();
  if (!explained_) explained_ = first_cause(error);
  return *explained_;
}

void Task::name_loss(const Error& error) {
  const Error cause = explain(error);
  if (cause.code() == ExitCode::kTimeout)
    observer_.notice(
        fmt::format("{}; this task ends when the work that it has begun is done", cause.what()));
}

Error Task::first_cause(const Error& error) {
  // A lost peer is noticed here first. Its reason comes later, from the coordinator.
  constexpr auto kPatience = std::chrono::milliseconds(900);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  try {
    if (error.code() == ExitCode::kTimeout)
      while (std::chrono::steady_clock::now() < end) {
        control_->check();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    else
      control_->check();
  } catch (const network::PeerLost& lost) {
    goes_on_ = lost.restart();
    return lost;
  } catch (const Error& first_cause) {
    return first_cause;
  }
  control_->say_goodbye(error.code(), error.what());
  return error;
}

std::optional<network::TaskIdentity> identify(const JobOptions& options) {
  const std::string& advertised = options.task.advertise_address;
  if (!advertised.empty()) network::check_host(advertised, "--advertise_address");
  network::IdentityOptions identity;
  identity.job_name = options.task.job_name;
  if (options.task.task_index) identity.task_index = static_cast<int>(*options.task.task_index);
  identity.ps_hosts = options.machine.ps_hosts;
  identity.worker_hosts = options.machine.worker_hosts;
  identity.controller_host = options.task.controller_host;
  return network::identify_task(identity, network::process_environment());
}

bool chiefs_answer(Task* task, const std::string& question, bool own) {
  return task == nullptr ? own : task->from_chief(question, own ? "yes" : "no") == "yes";
}

std::string program_hash() {
  return file_hash("/proc/self/exe");
}

network::Introduction introduce(const Setup& setup) {
  network::Introduction introduction;
  introduction.program_hash = program_hash();
  introduction.model = setup.graph->model();
  const std::string& named = setup.options.variable_update;
  const std::string& strategy =
      named.find('/') == std::string::npos ? setup.strategy->manifest().name : named;
  introduction.plugins = {
      {"the model",
       file_hash(setup.catalog.find(plugin::PluginKind::kModel, plugin_name(setup)).path)},
      {"the strategy",
       file_hash(setup.catalog.find(plugin::PluginKind::kStrategy, strategy).path)}};
  for (const auto& [option, value] : setup.options.settings)
    if (!own_options().contains(option)) introduction.flags.push_back({"--" + option, value});
  // Each task may have its images in another folder, but either all tasks have images or none has.
  if (!setup.options.data_dir.empty()) introduction.flags.push_back({"--data_dir", "a folder"});
  const std::uint32_t devices = count_devices(setup);
  introduction.flags.push_back({"devices", fmt::format("{}", devices)});
  introduction.flags.push_back(
      {"images per device", fmt::format("{}", choose_sizes(setup, devices).batch)});
  return introduction;
}

}  // namespace convoy::job

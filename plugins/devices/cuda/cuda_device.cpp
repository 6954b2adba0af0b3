#include "plugins/devices/cuda/cuda_device.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "plugins/devices/cuda/collectives/rank_calls.hpp"
#include "plugins/devices/cuda/gpu/chosen_gpus.hpp"
#include "plugins/devices/cuda/gpu/driver_facts.hpp"
#include "plugins/devices/cuda/gpu/gpu_description.hpp"
#include "plugins/devices/cuda/gpu/measured_rate.hpp"
#include "plugins/devices/cuda/operations/operation_check.hpp"
#include "plugins/devices/cuda/operations/strategy_kernel.hpp"
#include "plugins/devices/cuda/programs/batch_fit.hpp"
#include "plugins/devices/cuda/programs/program.hpp"
#include "plugins/devices/cuda/programs/program_profile.hpp"
#include "plugins/devices/cuda/programs/propose_layouts.hpp"
#include "plugins/devices/cuda/status.hpp"
#include "plugins/devices/shared/operation_rules.hpp"

namespace convoy::cuda {
namespace {

std::string listed_gpus(const DeviceHost& host) {
  const char* indices = host.option("gpu_indices");
  return indices == nullptr ? "" : indices;
}

PresentGpus present_gpus(const DeviceHost& host) {
  const DriverFacts facts = look_at_driver();
  if (const auto reason = unavailable_because(facts)) throw std::runtime_error(*reason);
  PresentGpus present{facts.devices, facts.visible_devices};
  for (int gpu = 0; lists_ids(listed_gpus(host)) && gpu < present.count; ++gpu)
    present.ids.push_back(gpu_id(gpu));
  return present;
}

std::vector<int> gpus_of(const DeviceHost& host, const convoy_device_request& request,
                         const PresentGpus& present) {
  return choose_gpus(listed_gpus(host), request.devices, present);
}

bool is_on(const char* option) {
  return option != nullptr && std::string(option) == "true";
}

double seconds_of(const char* option) {
  double seconds = 120;
  if (option != nullptr) {
    const std::string_view text(option);
    std::from_chars(text.data(), text.data() + text.size(), seconds);
  }
  if (!(seconds >= 1)) throw std::invalid_argument("collective_timeout must be at least 1 second");
  return seconds;
}

}  // namespace

std::uint32_t CudaDevice::count(const DeviceHost& host, const convoy_device_request& request) {
  return static_cast<std::uint32_t>(gpus_of(host, request, present_gpus(host)).size());
}

std::unique_ptr<Device> CudaDevice::open(const DeviceHost& host,
                                         const convoy_device_request& request,
                                         std::uint32_t index) {
  const PresentGpus present = present_gpus(host);
  const std::vector<int> gpus = gpus_of(host, request, present);
  if (index >= gpus.size()) throw std::invalid_argument("there is no CUDA device of this index");
  DeviceSettings settings;
  settings.gpu = gpus[index];
  settings.index = index;
  settings.devices = static_cast<std::uint32_t>(gpus.size());
  settings.tf32 = is_on(host.option("tf32"));
  const char* const graphs = host.option("cuda_graph");
  settings.graphs = graph_mode(graphs == nullptr ? "" : graphs);
  settings.collective_seconds = seconds_of(host.option("collective_timeout"));
  const auto sharing = std::count(gpus.begin(), gpus.end(), settings.gpu);
  settings.sharing = static_cast<std::uint32_t>(
      std::count(gpus.begin() + static_cast<std::ptrdiff_t>(index), gpus.end(), settings.gpu));
  if (const std::string notice = code_notice_of(settings.gpu); !notice.empty())
    host.log(LogLevel::kInfo, "cuda:" + std::to_string(index) + ": " + notice);
  if (const std::string notice = left_out_notice(present); index == 0 && !notice.empty())
    host.log(LogLevel::kWarning, notice);
  if (sharing > 1)
    host.log(LogLevel::kInfo, "cuda:" + std::to_string(index) + " shares GPU " +
                                  std::to_string(settings.gpu) +
                                  " with other devices: measured "
                                  "speeds are lower than separate GPUs would give");
  return std::make_unique<CudaDevice>(settings);
}

CudaDevice::CudaDevice(const DeviceSettings& settings)
    : settings_(settings), streams_(settings.gpu), work_(streams_) {
  require_code_for_gpu(settings.gpu);
  if (settings.graphs == GraphMode::kOn)
    recorded_ = std::make_unique<RecordedRuns>(RecordingParts{
        cuda_graphs(), streams_, work_,
        [this](std::uint32_t lane) { return streams_.stream(lane); }, cuda_run_memory});
  LaneEngine::Hooks hooks;
  hooks.execute = [this](const convoy_submission& it) { return execute(it); };
  hooks.finish = [this](const convoy_submission* it, void* token) { finish(it, token); };
  hooks.check = [this] {
    if (const auto all = collectives()) all->check();
  };
  hooks.runs = recorded_.get();
  engine_ = std::make_unique<LaneEngine>(streams_, shared_ledger(), std::move(hooks));
}

CudaDevice::~CudaDevice() {
  engine_.reset();
  static_cast<void>(cudaSetDevice(settings_.gpu));
  for (std::uint32_t lane = 0; lane < kStreams; ++lane)
    static_cast<void>(cudaStreamSynchronize(streams_.stream(lane)));
}

// Work that the host's own calls give to a lane's stream would become part of a recording of that
// lane, and waiting for the stream would end the recording.
std::unique_lock<std::mutex> CudaDevice::between_recordings() {
  return recorded_ ? recorded_->pause() : std::unique_lock<std::mutex>();
}

void CudaDevice::use_gpu() const {
  require(cudaSetDevice(settings_.gpu), "choosing the GPU");
}

void CudaDevice::describe(convoy_device_description& out) {
  use_gpu();
  describe_gpu(settings_.gpu, out);
  out.lanes = kLanes;
  set_text(out.name, "cuda:" + std::to_string(settings_.index));
}

void CudaDevice::propose_layout(const convoy_compilation& what, convoy_layout* out) {
  propose_layouts(*what.graph, out);
}

void* CudaDevice::compile(const convoy_compilation& what) {
  const auto pause = between_recordings();
  use_gpu();
  const Streams streams{&streams_, streams_.stream(CONVOY_LANE_COMPUTE),
                        streams_.stream(kInputStream)};
  return compile_program(what, {settings_.tf32, held_bytes(), settings_.sharing}, streams)
      .release();
}

std::string CudaDevice::remark(void* program) {
  if (settings_.index != 0) return {};
  const bool profiled = static_cast<const Program*>(program)->profile() != nullptr;
  return graph_remark(settings_.graphs, settings_.devices, profiled);
}

void CudaDevice::release(void* program) {
  static_cast<void>(cudaSetDevice(settings_.gpu));
  if (recorded_) recorded_->forget_all();
  delete static_cast<Program*>(program);
}

void CudaDevice::supports(const convoy_operation& operation) {
  require_types(operation, refusal);
}

bool CudaDevice::reaches(Device& other) {
  const auto* device = dynamic_cast<const CudaDevice*>(&other);
  if (device == nullptr) return false;
  if (device->settings_.gpu == settings_.gpu) return true;
  use_gpu();
  return enable_peer_access(settings_.gpu, device->settings_.gpu);
}

// Every device of a group keeps the shared collectives, and learns of their failures.
void CudaDevice::supports_collectives(const std::vector<Device*>& devices, bool prepare) {
  std::vector<GroupMember> members;
  std::vector<int> gpus;
  for (Device* device : devices) {
    const DeviceSettings& it = dynamic_cast<CudaDevice&>(*device).settings_;
    members.push_back({"cuda:" + std::to_string(it.index), it.gpu, pci_address(it.gpu)});
    gpus.push_back(it.gpu);
  }
  const std::string reason = group_refusal(members, std::getenv("CUDA_LAUNCH_BLOCKING"));
  if (!reason.empty()) throw std::invalid_argument(reason);
  require_collectives();
  if (!prepare) return;
  const auto shared = shared_collectives(settings_.collective_seconds);
  for (const GroupMember& member : members) shared->name_device(member.gpu, member.name);
  shared->prepare(gpus);
  keep_collectives(devices, shared);
}

void CudaDevice::keep_collectives(const std::vector<Device*>& devices,
                                  const std::shared_ptr<Collectives>& shared) {
  use_gpu();
  for (Device* device : devices) {
    auto& member = dynamic_cast<CudaDevice&>(*device);
    const std::lock_guard lock(member.mutex_);
    member.collectives_ = shared;
  }
}

convoy_collective_id CudaDevice::create_collective_id() {
  use_gpu();
  return shared_collectives(settings_.collective_seconds)->make_id();
}

void* CudaDevice::open_collective_group(const CollectiveGroup& what) {
  const auto shared = shared_collectives(settings_.collective_seconds);
  SpanningGroup group{what.id,           what.ranks,   {},
                      what.device_ranks, what.seconds, [&] { return what.is_given_up(); }};
  for (Device* device : what.devices) {
    const DeviceSettings& it = dynamic_cast<CudaDevice&>(*device).settings_;
    shared->name_device(it.gpu, "cuda:" + std::to_string(it.index));
    group.gpus.push_back(it.gpu);
  }
  void* opened = shared->open_group(group);
  keep_collectives(what.devices, shared);
  return opened;
}

void CudaDevice::close_collective_group(void* group) {
  if (const auto all = collectives()) all->close_group(group);
  static_cast<void>(cudaSetDevice(settings_.gpu));
}

void CudaDevice::interrupt_collective_group(void* /*group*/, const std::string& reason) {
  if (const auto all = collectives()) all->interrupt(reason);
}

std::shared_ptr<Collectives> CudaDevice::collectives() {
  const std::lock_guard lock(mutex_);
  return collectives_;
}

// A device may get collectives of a group that it is not in. It learns of their failures, too.
void CudaDevice::join_collectives() {
  const std::lock_guard lock(mutex_);
  if (collectives_ == nullptr) collectives_ = shared_collectives(settings_.collective_seconds);
}

void CudaDevice::submit(const convoy_submission& submission) {
  engine_->submit(submission);
}

bool CudaDevice::wait(const convoy_wait& point, double seconds) {
  return engine_->wait(point, seconds);
}

double CudaDevice::now() {
  return now_seconds();
}

convoy_program_memory CudaDevice::program_memory(void* program) {
  return static_cast<const Program*>(program)->memory();
}

std::vector<convoy_profile_record> CudaDevice::profile(void* program) {
  ProgramProfile* times = static_cast<const Program*>(program)->profile();
  if (times == nullptr) throw std::invalid_argument("the program was compiled without a profile");
  return times->records();
}

double CudaDevice::measure(std::uint32_t what) {
  const auto pause = between_recordings();
  use_gpu();
  convoy_device_description description{};
  describe_gpu(settings_.gpu, description);
  return measured_rate(what, streams_.stream(CONVOY_LANE_COMPUTE),
                       static_cast<Type>(description.half_dtype), settings_.tf32);
}

void* CudaDevice::build_kernel(const convoy_kernel_code& code) {
  use_gpu();
  return new StrategyKernel(code);
}

void CudaDevice::free_kernel(void* kernel) {
  static_cast<void>(cudaSetDevice(settings_.gpu));
  delete static_cast<StrategyKernel*>(kernel);
}

void* CudaDevice::execute(const convoy_submission& submission) {
  PinnedSlots::Slot* slot = slots_.take();
  try {
    if (is_collective(submission.kind))
      run_collective(submission, streams_.stream(submission.lane));
    else
      work_.queue(submission, slot, nullptr);
  } catch (...) {
    slots_.give_back(slot);
    throw;
  }
  return slot;
}

void CudaDevice::run_collective(const convoy_submission& submission, cudaStream_t stream) {
  if (submission.collective_group != nullptr) join_collectives();
  const auto all = collectives();
  if (all == nullptr) throw std::invalid_argument("a collective came without its group");
  try {
    all->start(submission, settings_.gpu, stream);
  } catch (...) {
    static_cast<void>(cudaSetDevice(settings_.gpu));  // later events belong to this GPU
    throw;
  }
  use_gpu();
}

void CudaDevice::finish(const convoy_submission* submission, void* token) {
  auto* slot = static_cast<PinnedSlots::Slot*>(token);
  if (slot == nullptr) return;
  if (submission != nullptr) work_.tell(*submission, *slot);
  slots_.give_back(slot);
}

}  // namespace convoy::cuda

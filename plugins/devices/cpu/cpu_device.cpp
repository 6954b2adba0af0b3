#include "plugins/devices/cpu/cpu_device.hpp"

#include <omp.h>

#include <atomic>
#include <convoy/threads.hpp>
#include <cstring>
#include <stdexcept>

#include "plugins/devices/cpu/measured_rate.hpp"
#include "plugins/devices/cpu/programs/precision.hpp"
#include "plugins/devices/cpu/programs/program.hpp"
#include "plugins/devices/cpu/zeroed_memory.hpp"
#include "plugins/devices/shared/operation_rules.hpp"

namespace convoy::cpu {
namespace {

std::uint32_t device_count(const convoy_device_request& request) {
  return request.devices != 0 ? request.devices : CoreSet::natural_count();
}

// The OpenMP runtime read its settings when it was loaded, before any code of this plug-in.
void warn_about_binding(const DeviceHost& host) {
  if (omp_get_proc_bind() == omp_proc_bind_false) return;
  host.log(LogLevel::kWarning,
           "OMP_PROC_BIND is set: the OpenMP runtime then places the threads of all CPU devices on "
           "the same cores; unset it");
}

// Called once for all devices, because there may be hundreds.
void tell_of_shared_cores(const DeviceHost& host, std::uint32_t devices) {
  const std::string names =
      devices == 1 ? "cpu:0 has" : "cpu:0 to cpu:" + std::to_string(devices - 1) + " have";
  const CoreSet all({.devices = 1, .index = 0, .threads = 0});
  host.log(LogLevel::kInfo,
           names + " more threads than there are cores (" + all.list() +
               "), so measured speeds are lower than separate machines would give");
}

// The OpenMP runtime starts the other threads of the team when they are first needed, and ends the
// process if it cannot.
void form_team(std::uint32_t threads) {
  if (threads < 2) return;
  require_threads(threads - 1, "its team of " + std::to_string(threads) + " (--num_intra_threads)");
#pragma omp parallel num_threads(static_cast <int>(threads))
  std::atomic_signal_fence(std::memory_order_relaxed);
}

// Ends and joins the threads of the calling thread's team. Otherwise the OpenMP runtime detaches
// them when their leader ends. They would then end at some time after the device is closed, for
// example while the process exits, and a leak checker would find half-ended threads.
void end_team() {
  omp_pause_resource(omp_pause_hard, omp_get_initial_device());
}

}  // namespace

std::uint32_t CpuDevice::count(const DeviceHost&, const convoy_device_request& request) {
  return device_count(request);
}

std::unique_ptr<Device> CpuDevice::open(const DeviceHost& host,
                                        const convoy_device_request& request, std::uint32_t index) {
  const std::uint32_t devices = device_count(request);
  if (index >= devices) throw std::invalid_argument("there is no CPU device of this index");
  auto device = std::make_unique<CpuDevice>(CoreSet::Share{devices, index, request.threads});
  if (index == 0) warn_about_binding(host);
  if (index == 0 && device->shares_cores()) tell_of_shared_cores(host, devices);
  return device;
}

CpuDevice::CpuDevice(const CoreSet::Share& share) : cores_(share), index_(share.index) {
  LaneEngine::Hooks hooks;
  hooks.start = [this] {
    cores_.bind_this_thread();
    omp_set_dynamic(0);
    omp_set_num_threads(static_cast<int>(cores_.threads()));
  };
  hooks.execute = [this](const convoy_submission& submission) { execute(submission); };
  hooks.finish = end_team;
  hooks.spin = !cores_.shares_cores();
  engine_ = std::make_unique<LaneEngine>(std::move(hooks));
  engine_->call([this] { form_team(cores_.threads()); });
}

void CpuDevice::describe(convoy_device_description& out) {
  // Teams have a fixed size and every reduction a fixed order.
  out.flags =
      CONVOY_DEVICE_SHARES_HOST_MEMORY | CONVOY_DEVICE_DETERMINISTIC | CONVOY_DEVICE_JOINS_UPDATES;
  if (!multiplies_bf16()) out.flags |= CONVOY_DEVICE_EMULATES_HALF;
  out.half_dtype = CONVOY_BF16;
  out.threads = cores_.threads();
  out.numa_node = cores_.numa_node();
  out.lanes = kLanes;
  out.memory_bytes = cores_.memory_bytes();
  set_text(out.name, "cpu:" + std::to_string(index_));
  set_text(out.model, cores_.processor_model());
  set_text(out.locality, cores_.list());
}

void CpuDevice::propose_layout(const convoy_compilation& what, convoy_layout* out) {
  engine_->call([&] { propose_layouts(what, out); });
}

void* CpuDevice::compile(const convoy_compilation& what) {
  std::unique_ptr<Program> program;
  engine_->call([&] { program = compile_program(what); });
  return program.release();
}

void CpuDevice::release(void* program) {
  delete static_cast<Program*>(program);
}

void* CpuDevice::allocate(std::uint64_t bytes) {
  Memory memory;
  engine_->call([&] { memory = zeroed_memory(bytes); });
  return memory.release();
}

void CpuDevice::deallocate(void* memory) {
  FreeMemory()(memory);
}

void CpuDevice::write(void* to, const void* from_host, std::uint64_t bytes) {
  std::memcpy(to, from_host, bytes);
}

void CpuDevice::read(void* to_host, const void* from, std::uint64_t bytes) {
  std::memcpy(to_host, from, bytes);
}

void CpuDevice::supports(const convoy_operation& operation) {
  require_types(operation, refusal);
}

void CpuDevice::submit(const convoy_submission& submission) {
  engine_->submit(submission);
}

bool CpuDevice::wait(const convoy_wait& point, double seconds) {
  return engine_->wait(point, seconds);
}

double CpuDevice::now() {
  return monotonic_seconds();
}

convoy_program_memory CpuDevice::program_memory(void* program) {
  return static_cast<const Program*>(program)->memory();
}

std::vector<convoy_profile_record> CpuDevice::profile(void* program) {
  const ProgramProfile* times = static_cast<const Program*>(program)->profile();
  if (times == nullptr) throw std::invalid_argument("the program was compiled without a profile");
  std::vector<convoy_profile_record> records;
  engine_->call([&] { records = times->records(); });
  return records;
}

double CpuDevice::measure(std::uint32_t what) {
  double rate = 0;
  engine_->call([&] { rate = measured_rate(what); });
  return rate;
}

void CpuDevice::execute(const convoy_submission& submission) {
  if (submission.kind == CONVOY_OP_FORWARD || submission.kind == CONVOY_OP_BACKWARD) {
    run_program(submission);
  } else {
    elementwise_.run(submission);
  }
}

}  // namespace convoy::cpu

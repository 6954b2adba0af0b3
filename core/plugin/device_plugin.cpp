#include "core/plugin/device_plugin.hpp"

#include <convoy/sized.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/process/left_memory.hpp"

namespace convoy::plugin {
namespace {

// A longer wait is divided into several calls, so that a call that exceeds its time is noticed
// soon.
constexpr double kLongestWait = 0.5;
// The lowest rate at which a device copies or clears memory.
constexpr double kBytesPerSecond = 100e6;

double seconds_for(std::uint64_t bytes) {
  return static_cast<double>(bytes) / kBytesPerSecond;
}

template <typename Function>
void require_slot(const DevicePlugin& plugin, const Function& slot) {
  if (slot != nullptr) return;
  fail(ExitCode::kUnavailable,
       "devices of plug-in {} cannot be profiled: it lacks that function; leave out --profile, or "
       "ask its author for a version that has it",
       plugin.manifest().name);
}

}  // namespace

bool DevicePlugin::has(convoy_device_trait trait) const {
  return (table().traits & trait) != 0;
}

// Forms other than host functions need build_kernel.
KernelForms DevicePlugin::kernel_forms() const {
  KernelForms forms{.devices = manifest().name + " devices"};
  if (table().kernel_forms != 0 && table().build_kernel != nullptr)
    forms.bits = table().kernel_forms;
  return forms;
}

std::uint32_t DevicePlugin::count(const convoy_device_request& request) const {
  std::uint32_t devices = 0;
  call(
      settings(), "counting the devices",
      [&](convoy_context* context) {
        return table().count(context, &host_functions(), &request, &devices);
      },
      ExitCode::kUnavailable, kAtLength);
  return devices;
}

OpenDevice::OpenDevice(const DevicePlugin& plugin, const convoy_device_request& request,
                       std::uint32_t index)
    : plugin_(plugin) {
  call(
      plugin_.settings(), fmt::format("opening device {}", index),
      [&](convoy_context* context) {
        return plugin_.table().open(context, &host_functions(), &request, index, &self_);
      },
      ExitCode::kUnavailable, kAtLength);
}

template <typename Free>
void OpenDevice::give_back(const char* doing, void* object, Free free) {
  if (abandoned_) return leave_reachable(object);
  leave(plugin_.settings(), doing, free);
}

OpenDevice::~OpenDevice() {
  give_back("closing a device", self_, [&] { plugin_.table().close(self_); });
}

convoy_device_description OpenDevice::describe() {
  auto description = make_sized<convoy_device_description>();
  call(plugin_.settings(), "describing the device", [&](convoy_context* context) {
    return plugin_.table().describe(self_, context, &description);
  });
  // A text that fills its field may come without the terminating NUL.
  description.name[sizeof description.name - 1] = '\0';
  description.model[sizeof description.model - 1] = '\0';
  description.locality[sizeof description.locality - 1] = '\0';
  return description;
}

std::vector<convoy_layout> OpenDevice::propose_layout(const convoy_compilation& what) {
  std::vector<convoy_layout> layouts(what.graph->variable_count);
  call(
      plugin_.settings(), "proposing a parameter layout",
      [&](convoy_context* context) {
        return plugin_.table().propose_layout(self_, context, &what, layouts.data());
      },
      ExitCode::kFailed, kAtLength);
  return layouts;
}

void* OpenDevice::compile(const convoy_compilation& what) {
  void* program = nullptr;
  call(
      plugin_.settings(), "compiling the model",
      [&](convoy_context* context) {
        return plugin_.table().compile(self_, context, &what, &program);
      },
      ExitCode::kUnavailable, kAtLength);
  return program;
}

void OpenDevice::release(void* program) {
  give_back("freeing a program", program, [&] { plugin_.table().release(self_, program); });
}

void* OpenDevice::allocate(std::uint64_t bytes) {
  void* memory = nullptr;
  call(
      plugin_.settings(), fmt::format("allocating {} bytes", bytes),
      [&](convoy_context* context) {
        return plugin_.table().allocate(self_, context, bytes, &memory);
      },
      ExitCode::kUnavailable, seconds_for(bytes));
  return memory;
}

void* OpenDevice::allocate_host(std::uint64_t bytes) {
  const convoy_device& table = plugin_.table();
  if (table.allocate_host == nullptr) return allocate(bytes);
  void* memory = nullptr;
  call(
      plugin_.settings(), fmt::format("allocating {} bytes of host memory", bytes),
      [&](convoy_context* context) { return table.allocate_host(self_, context, bytes, &memory); },
      ExitCode::kUnavailable, seconds_for(bytes));
  return memory;
}

std::optional<bool> OpenDevice::reaches(const OpenDevice& other) {
  const convoy_device& table = plugin_.table();
  if (table.reaches == nullptr) return std::nullopt;
  std::uint32_t result = 0;
  call(plugin_.settings(), "asking which devices it reaches", [&](convoy_context* context) {
    return table.reaches(self_, context, other.self_, &result);
  });
  return result != 0;
}

std::optional<std::string> OpenDevice::collective_refusal(const std::vector<OpenDevice*>& devices,
                                                          bool prepare) {
  const convoy_device& table = plugin_.table();
  if (table.supports_collectives == nullptr)
    return fmt::format("devices of plug-in {} have no collectives of their own",
                       plugin_.manifest().name);
  std::vector<void*> members;
  members.reserve(devices.size());
  for (const OpenDevice* device : devices) members.push_back(device->self_);
  convoy_context context(plugin_.settings());
  const std::int32_t status = enter(
      plugin_.settings(), "preparing its collectives",
      [&] {
        return table.supports_collectives(self_, &context, members.data(), members.size(),
                                          prepare ? 1 : 0);
      },
      kAtLength);
  if (status == 0) return std::nullopt;
  if (status == CONVOY_TIMED_OUT) require_success(context, status, "preparing its collectives");
  return context.error.value_or("it gave no reason");
}

std::optional<std::string> OpenDevice::spanning_refusal() {
  const convoy_device& table = plugin_.table();
  const bool spans =
      (describe().flags & CONVOY_DEVICE_COLLECTIVES_SPAN_PROCESSES) != 0 &&
      table.create_collective_id != nullptr && table.open_collective_group != nullptr &&
      table.close_collective_group != nullptr && table.interrupt_collective_group != nullptr;
  if (!spans)
    return fmt::format("collectives of devices of plug-in {} do not reach other processes",
                       plugin_.manifest().name);
  return collective_refusal({this}, false);
}

convoy_collective_id OpenDevice::create_collective_id() {
  convoy_collective_id id{};
  call(
      plugin_.settings(), "making the id of a group of devices",
      [&](convoy_context* context) {
        return plugin_.table().create_collective_id(self_, context, &id);
      },
      ExitCode::kUnavailable, kAtLength);
  return id;
}

void* OpenDevice::open_collective_group(const convoy_collective_id& id, std::uint32_t ranks,
                                        const std::vector<OpenDevice*>& devices,
                                        const std::vector<std::uint32_t>& device_ranks,
                                        double seconds, const std::uint32_t& given_up) {
  std::vector<void*> members;
  members.reserve(devices.size());
  for (const OpenDevice* device : devices) members.push_back(device->self_);
  const convoy_collective_group what{
      sizeof(what),   &id,     ranks,    members.data(), device_ranks.data(),
      members.size(), seconds, &given_up};
  void* group = nullptr;
  call(
      plugin_.settings(), "joining a group of devices",
      [&](convoy_context* context) {
        return plugin_.table().open_collective_group(self_, context, &what, &group);
      },
      ExitCode::kUnavailable, seconds + kAtLength);
  return group;
}

void OpenDevice::close_collective_group(void* group) {
  give_back("leaving a group of devices", group,
            [&] { plugin_.table().close_collective_group(self_, group); });
}

void OpenDevice::interrupt_collective_group(void* group, const std::string& reason) {
  leave(plugin_.settings(), "interrupting a group of devices",
        [&] { plugin_.table().interrupt_collective_group(self_, group, reason.c_str()); });
}

void OpenDevice::deallocate(void* memory) {
  give_back("freeing memory", memory, [&] { plugin_.table().deallocate(self_, memory); });
}

void OpenDevice::write(void* to, const void* from_host, std::uint64_t bytes) {
  call(
      plugin_.settings(), "writing device memory",
      [&](convoy_context* context) {
        return plugin_.table().write(self_, context, to, from_host, bytes);
      },
      ExitCode::kFailed, seconds_for(bytes));
}

void OpenDevice::read(void* to_host, const void* from, std::uint64_t bytes) {
  call(
      plugin_.settings(), "reading device memory",
      [&](convoy_context* context) {
        return plugin_.table().read(self_, context, to_host, from, bytes);
      },
      ExitCode::kFailed, seconds_for(bytes));
}

std::optional<std::string> OpenDevice::refusal(const convoy_operation& operation) {
  convoy_context context(plugin_.settings());
  const std::int32_t status = enter(plugin_.settings(), "saying what it supports", [&] {
    return plugin_.table().supports(self_, &context, &operation);
  });
  if (status == 0) return std::nullopt;
  return context.error.value_or("it gave no reason");
}

void OpenDevice::submit(const convoy_submission& submission) {
  call(plugin_.settings(), "submitting an operation", [&](convoy_context* context) {
    return plugin_.table().submit(self_, context, &submission);
  });
}

bool OpenDevice::wait(const convoy_wait& point, double seconds) {
  std::uint32_t reached = 0;
  for (double left = seconds; reached == 0; left -= kLongestWait) {
    const double once = std::min(left, kLongestWait);
    call(
        plugin_.settings(), "running operations",
        [&](convoy_context* context) {
          return plugin_.table().wait(self_, context, &point, once, &reached);
        },
        ExitCode::kFailed, once);
    if (left <= kLongestWait) break;
  }
  return reached != 0;
}

double OpenDevice::now() {
  return enter(plugin_.settings(), "telling the time", [&] { return plugin_.table().now(self_); });
}

std::vector<convoy_profile_record> OpenDevice::profile(void* program) {
  require_slot(plugin_, plugin_.table().profile);
  std::vector<convoy_profile_record> records;
  std::uint64_t count = 0;
  do {
    records.resize(count);
    call(
        plugin_.settings(), "reading the times of layers",
        [&](convoy_context* context) {
          return plugin_.table().profile(self_, context, program, records.data(), records.size(),
                                         &count);
        },
        ExitCode::kFailed, kAtLength);
  } while (count > records.size());
  records.resize(count);
  return records;
}

std::optional<convoy_program_memory> OpenDevice::program_memory(void* program) {
  const auto& table = plugin_.table();
  if (table.program_memory == nullptr) return std::nullopt;
  convoy_program_memory memory{sizeof(memory), 0, 0};
  call(plugin_.settings(), "asking what memory a program has", [&](convoy_context* context) {
    return table.program_memory(self_, context, program, &memory);
  });
  if (memory.activations == 0 && memory.scratch == 0) return std::nullopt;
  return memory;
}

void* OpenDevice::build_kernel(const convoy_kernel_code& code) {
  void* kernel = nullptr;
  call(
      plugin_.settings(),
      fmt::format("building kernel '{}' of strategy {}", code.kernel, code.strategy),
      [&](convoy_context* context) {
        return plugin_.table().build_kernel(self_, context, &code, &kernel);
      },
      ExitCode::kUnavailable, kAtLength);
  return kernel;
}

void OpenDevice::free_kernel(void* kernel) {
  if (plugin_.table().free_kernel == nullptr) return;
  give_back("freeing a kernel", kernel, [&] { plugin_.table().free_kernel(self_, kernel); });
}

double OpenDevice::measure(convoy_measurement what) {
  require_slot(plugin_, plugin_.table().measure);
  double rate = 0;
  call(
      plugin_.settings(), "measuring its speed",
      [&](convoy_context* context) { return plugin_.table().measure(self_, context, what, &rate); },
      ExitCode::kUnavailable, kAtLength);
  return rate;
}

}  // namespace convoy::plugin

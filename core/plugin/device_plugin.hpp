#pragma once

#include <convoy/abi/device.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plugin/kernel_forms.hpp"
#include "core/plugin/library.hpp"

namespace convoy::plugin {

// A kind of devices, before any of them is open.
class DevicePlugin : public ConfiguredPlugin<convoy_device> {
 public:
  using ConfiguredPlugin::ConfiguredPlugin;

  // Null where it has none.
  const convoy_device_waking* waking() const { return plugin().waking; }

  // Whether its devices have this trait (convoy_device_trait).
  bool has(convoy_device_trait trait) const;

  // Returns the forms of strategies' kernels that its devices run.
  KernelForms kernel_forms() const;

  // Returns the number of devices that the request gives on this machine.
  std::uint32_t count(const convoy_device_request& request) const;
};

// One open device: the slots of convoy_device with failures thrown as Error. The plug-in must
// outlive it. What a function means, and which threads may call it, is in convoy/abi/device.h.
class OpenDevice {
 public:
  OpenDevice(const DevicePlugin& plugin, const convoy_device_request& request, std::uint32_t index);
  // Waits for submitted work, then frees everything, unless it was abandoned.
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  const PluginSettings& settings() const { return plugin_.settings(); }
  convoy_device_description describe();
  // Returns one layout per variable of the graph.
  std::vector<convoy_layout> propose_layout(const convoy_compilation& what);

  void* compile(const convoy_compilation& what);
  void release(void* program);

  void* allocate(std::uint64_t bytes);
  // Memory of the host that devices of this kind address; `allocate` where they have no other.
  void* allocate_host(std::uint64_t bytes);
  void deallocate(void* memory);
  // Call it when an operation hangs: the operation still uses its memory, and closing the device
  // would hang, too. From then on nothing of the device is freed until the process ends.
  void abandon() { abandoned_ = true; }
  bool is_abandoned() const { return abandoned_; }
  void write(void* to, const void* from_host, std::uint64_t bytes);
  void read(void* to_host, const void* from, std::uint64_t bytes);

  // Why the operation cannot run here; empty when it can.
  std::optional<std::string> refusal(const convoy_operation& operation);
  void submit(const convoy_submission& submission);
  // Whether the timeline reached the value within `seconds`.
  bool wait(const convoy_wait& point, double seconds);
  double now();
  // Whether it addresses the memory of another open device of the same plug-in; empty when the
  // plug-in does not say.
  std::optional<bool> reaches(const OpenDevice& other);
  // Returns why collectives over these devices of the same plug-in cannot be submitted to it as one
  // operation; empty if they can. Error kTimeout when another device did not come while they were
  // prepared.
  std::optional<std::string> collective_refusal(const std::vector<OpenDevice*>& devices,
                                                bool prepare);
  // Returns why this device cannot be in a group of devices of several processes; empty if it can.
  std::optional<std::string> spanning_refusal();
  // Returns the id of a new group, for all its processes. Error kUnavailable when it cannot be
  // made.
  convoy_collective_id create_collective_id();
  // Joins a group of `ranks` devices in all, with these devices of the same plug-in. Waits for the
  // other processes for at most `seconds`, or until `given_up` is 1. Error kTimeout when they do
  // not come, kUnavailable when this process cannot join.
  void* open_collective_group(const convoy_collective_id& id, std::uint32_t ranks,
                              const std::vector<OpenDevice*>& devices,
                              const std::vector<std::uint32_t>& device_ranks, double seconds,
                              const std::uint32_t& given_up);
  void close_collective_group(void* group);
  // Interrupts the group. Any thread may call it.
  void interrupt_collective_group(void* group, const std::string& reason);
  // The records of a program compiled with CONVOY_COMPILE_PROFILE.
  std::vector<convoy_profile_record> profile(void* program);
  double measure(convoy_measurement what);
  KernelForms kernel_forms() const { return plugin_.kernel_forms(); }
  const convoy_device_waking* waking() const { return plugin_.waking(); }
  // Builds a kernel from one of these forms, ready to be submitted. Error kUnavailable, with what
  // the compiler says, when it cannot be built.
  void* build_kernel(const convoy_kernel_code& code);
  void free_kernel(void* kernel);
  // Returns nothing if the plug-in does not say.
  std::optional<convoy_program_memory> program_memory(void* program);

 private:
  // Calls `free` for an object of the device, unless the device was abandoned.
  template <typename Free>
  void give_back(const char* doing, void* object, Free free);

  const DevicePlugin& plugin_;
  void* self_ = nullptr;
  std::atomic<bool> abandoned_ = false;
};

}  // namespace convoy::plugin

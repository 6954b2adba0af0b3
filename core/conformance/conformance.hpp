#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/conformance/tested_device.hpp"

namespace convoy::conformance {

// Thrown by a case that the device cannot do, as it says. The text is its reason.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One requirement of convoy/abi on a device. check() returns what is wrong, or an empty text if it
// is right. It throws Unsupported, or an Error if the device fails.
struct ConformanceCase {
  std::string group;  // "layers"
  std::string name;   // "same_stride_two, training"
  std::function<std::string(const plugin::DevicePlugin& plugin, TestedDevice& device)> check;
};

enum class Outcome { kRight, kWrong, kUnsupported };

struct CaseResult {
  Outcome outcome = Outcome::kRight;
  std::string text;  // what is wrong, or the device's reason
};

// Returns cases for all layers forward and backward, all operations, updates, the order of lanes,
// and memory.
std::vector<ConformanceCase> conformance_cases();

// Runs cases one after the other on a device of a plug-in. The device is opened anew after a
// failure. A device that hangs is abandoned, because closing it would hang, too.
class ConformanceRun {
 public:
  explicit ConformanceRun(const plugin::DevicePlugin& plugin, const DevicePlace& place = {})
      : plugin_(plugin), place_(place) {}
  ~ConformanceRun();
  ConformanceRun(const ConformanceRun&) = delete;
  ConformanceRun& operator=(const ConformanceRun&) = delete;

  // Opens the device unless it is open. Error if it cannot be opened.
  const convoy_device_description& description();
  CaseResult run(const ConformanceCase& it);
  // Returns whether the device hangs, so that no further case can run.
  bool hangs() const { return hangs_; }

 private:
  TestedDevice& device();

  const plugin::DevicePlugin& plugin_;
  DevicePlace place_;
  std::unique_ptr<TestedDevice> device_;
  bool hangs_ = false;
};

// These functions add the cases of one source file each.
void add_device_cases(std::vector<ConformanceCase>& cases);
void add_operation_cases(std::vector<ConformanceCase>& cases);
void add_update_cases(std::vector<ConformanceCase>& cases);
void add_order_cases(std::vector<ConformanceCase>& cases);
void add_layer_cases(std::vector<ConformanceCase>& cases);
void add_program_cases(std::vector<ConformanceCase>& cases);
void add_algebra_cases(std::vector<ConformanceCase>& cases);
void add_compression_cases(std::vector<ConformanceCase>& cases);

// Throws Unsupported with the device's reason unless it can run such an operation.
void require_supported(TestedDevice& device, const convoy_submission& submission);
// Returns an error's text without the words with which every message about this plug-in begins.
std::string without_label(const plugin::DevicePlugin& plugin, const std::string& text);

}  // namespace convoy::conformance

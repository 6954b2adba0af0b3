#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/job/setup.hpp"
#include "core/plan/plan.hpp"
#include "core/plugin/kernel_forms.hpp"
#include "core/runtime/open_devices.hpp"

namespace convoy::cli {

// The part of `convoy check` that checks a strategy's own kernels: whether they do what their calls
// declare, whether the requested devices can run them, and, if such devices are present and run
// another form than the host function, whether both compute the same.
class KernelChecks {
 public:
  // The setup must outlive this object. Messages about missing forms go to `out`.
  KernelChecks(const job::Setup& setup, std::ostream& out);

  // Tries every kernel that the plan calls with a few numbers of reads, and with the plan's largest
  // number unless a larger one was tried. For each number it tries a few sizes, the largest odd one
  // among them, and a few variants (effects, types, arguments). Error kFailed if a kernel does
  // something wrong. Such a kernel is not tried again.
  void try_all(const plan::Plan& plan);
  // Returns which kernels were not tried, or not in all these shapes, and why: calls are too large,
  // or all calls together take longer than --plugin_timeout. Empty: all were tried.
  std::string untried() const;
  // Returns which of these kernels never wrote anything different in a later step. Empty: none.
  std::string unrenewed(const std::set<std::string>& kernels) const;
  // Returns whether there is a kernel that the requested devices cannot run.
  bool found_missing_form() const { return !missing_.empty(); }

 private:
  bool is_new_number(const std::string& kernel, std::uint64_t reads) const;
  bool is_new_shape(const plan::Operation& call);
  std::string try_here(const plan::Plan& plan, const plan::Operation& call);
  bool has_form(const plan::Operation& call);
  std::string try_on_devices(const plan::Plan& plan, const plan::Operation& call);

  const job::Setup& setup_;
  std::ostream& out_;
  std::optional<plugin::KernelForms> forms_;       // empty: no kind of devices is requested
  std::shared_ptr<runtime::OpenDevices> devices_;  // null until one is needed
  // The calls with one number of reads that were tried.
  struct Tried {
    std::set<std::uint64_t> sizes;                  // sizes of the first write
    std::uint64_t largest_odd = 0;                  // the largest odd number among `sizes`
    std::set<std::vector<std::uint64_t>> variants;  // the other properties in which calls differ
    std::size_t calls = 0;
    bool is_whole = false;  // all calls of one trial were made in time
  };
  std::map<std::string, std::map<std::uint64_t, Tried>> tried_;  // by kernel and number of reads
  // The largest odd size of the plan's calls, by kernel and number of reads; 0: none.
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> largest_odd_;
  // The most reads of any of the plan's calls, by kernel.
  std::map<std::string, std::uint64_t> most_reads_;
  // For each kernel, the numbers of reads of calls that are too large to try, with the size of the
  // first one in words.
  std::map<std::string, std::map<std::uint64_t, std::string>> too_large_;
  std::map<std::string, double> seconds_per_byte_;  // time of a call on large spans, by kernel
  double tried_for_ = 0;                            // seconds spent in calls of kernels
  double large_for_ = 0;                            // seconds spent in all trials on large spans
  std::set<std::string> wrong_;     // kernels that did something wrong; they are not called again
  std::set<std::string> renewing_;  // kernels that wrote something else in a later step
  std::set<std::string> missing_;   // kernels without a form for the devices
};

}  // namespace convoy::cli

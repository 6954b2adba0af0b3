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
  // The setup must outlive it; a missing form is written to `out`.
  KernelChecks(const job::Setup& setup, std::ostream& out);

  // Tries every kernel that the plan calls with a few numbers of reads, and with the plan's largest
  // number if no larger one was tried; with each number a few sizes, the largest odd one among
  // them, and a few variants (effects, types, arguments). Error kFailed when a kernel does
  // something wrong, which is not tried again.
  void try_all(const plan::Plan& plan);
  // Which kernels were not tried, or not in all these shapes, and why: calls are too large, or all
  // calls together take longer than --plugin_timeout. Empty: none.
  std::string untried() const;
  // Which of these kernels never wrote anything else in a later step. Empty: none.
  std::string unrenewed(const std::set<std::string>& kernels) const;
  // Whether there is a kernel that the requested devices cannot run.
  bool found_missing_form() const { return !missing_.empty(); }

 private:
  bool is_new_number(const std::string& kernel, std::uint64_t reads) const;
  bool is_new_shape(const plan::Operation& call);
  std::string try_here(const plan::Plan& plan, const plan::Operation& call);
  bool has_form(const plan::Operation& call);
  std::string try_on_devices(const plan::Plan& plan, const plan::Operation& call);

  const job::Setup& setup_;
  std::ostream& out_;
  std::optional<plugin::KernelForms> forms_;       // empty: no kind of devices is asked for
  std::shared_ptr<runtime::OpenDevices> devices_;  // once one is needed
  // Calls with one number of reads that were tried.
  struct Tried {
    std::set<std::uint64_t> sizes;                  // of the first write
    std::uint64_t largest_odd = 0;                  // of them
    std::set<std::vector<std::uint64_t>> variants;  // what else may differ between calls
    std::size_t calls = 0;
    bool is_whole = false;  // all calls of one of them were made, in time
  };
  std::map<std::string, std::map<std::uint64_t, Tried>> tried_;  // of each kernel, by reads
  // Of the plan's calls, by kernel and number of reads: the largest odd size; 0: none.
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> largest_odd_;
  std::map<std::string, std::uint64_t> most_reads_;  // of the plan's calls, by kernel
  // Of each kernel: numbers of reads of calls that are too large, and how large the first one is.
  std::map<std::string, std::map<std::uint64_t, std::string>> too_large_;
  std::map<std::string, double> seconds_per_byte_;  // of a call on large spans, by kernel
  double tried_for_ = 0;                            // seconds, in calls of kernels
  double large_for_ = 0;                            // seconds, in all trials of large spans
  std::set<std::string> wrong_;                     // kernels, which are not called again
  std::set<std::string> renewing_;  // kernels that wrote something else in a later step
  std::set<std::string> missing_;   // kernels
};

}  // namespace convoy::cli

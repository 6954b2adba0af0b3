#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::qualify {

// The kind of a measured rate, in the order of reports.
enum class Kind { kDevice, kCore, kLink, kCollective, kStorage, kDecoding, kTraining };

// Returns "device", "link" and so on.
const char* kind_name(Kind kind);
// Returns nothing for an unknown name.
std::optional<Kind> kind_named(const std::string& name);

// The rate that the catalogue, a calibration or the simulator predicts.
struct ExpectedRate {
  double rate = 0;
  double error = 0;    // relative: a rate that is lower by this much may still be right
  std::string source;  // for people
};

// One measured rate; a higher rate is better. Bytes over a link count once.
struct Measurement {
  Kind kind = Kind::kDevice;
  std::string subject;  // "cpu:0", "cpu:0 -> cpu:1", "all devices"
  std::string what;     // "matrix product, alone", "all_reduce of 1 MB"
  std::string unit;     // "FLOP/s", "B/s", "images/s"
  double rate = 0;
  std::uint64_t bytes = 0;  // the size of a collective
  std::optional<ExpectedRate> expected = {};

  // judge() sets the members from here on.
  std::optional<double> peers = {};  // the rate of other parts that should be equally fast
  // The rate divided by the rate that it should reach, which is least_rate() or peers; the smaller
  // quotient.
  double share = 1;
  bool slow = false;
  std::vector<std::string> reasons = {};  // possible causes that were found, for people
};

// A fact about a host that may make the host, or a part of it, slow.
struct Clue {
  std::string subject;  // a device, "core 3"; empty: the whole host
  std::string text;
  std::string advice;  // may be empty
};

struct QualifiedDevice {
  std::string name;                        // "cuda:0"
  std::string model;                       // "Tesla P100-SXM2-16GB"
  std::string locality;                    // PCI address, or a list of processing units
  std::vector<unsigned> cores = {};        // processing units of a device on the host's processors
  std::optional<unsigned> numa_node = {};  // the node that its memory is assumed to be on
};

// All results about one host.
struct HostQualification {
  std::string name;  // with several hosts, the name of the task: "worker 1 (host7, pid 4711)"
  std::string expected_by;
  std::vector<QualifiedDevice> devices;
  std::vector<Measurement> measurements;
  std::vector<Clue> clues;
  std::vector<std::string> notices;  // what could not be measured or predicted, and why
  double score = 1;                  // set by judge(): the geometric mean of all shares
};

}  // namespace convoy::qualify

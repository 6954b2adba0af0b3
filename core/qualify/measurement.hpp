#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy::qualify {

// What a rate is about, in the order of reports.
enum class Kind { kDevice, kCore, kLink, kCollective, kStorage, kDecoding, kTraining };

// "device", "link".
const char* kind_name(Kind kind);
// Nothing for a word that is none.
std::optional<Kind> kind_named(const std::string& name);

// What the catalogue, a calibration or the simulator says that a rate should be.
struct Foreseen {
  double rate = 0;
  double error = 0;    // relative: by how much less may be right, too
  std::string source;  // for people
};

// One rate that was measured; more is better. Bytes of a link count once.
struct Measurement {
  Kind kind = Kind::kDevice;
  std::string subject;  // "cpu:0", "cpu:0 -> cpu:1", "all devices"
  std::string what;     // "matrix product, alone", "all_reduce of 1 MB"
  std::string unit;     // "FLOP/s", "B/s", "images/s"
  double rate = 0;
  std::uint64_t bytes = 0;  // of collectives: how large they are
  std::optional<Foreseen> foreseen = {};

  // By judge().
  std::optional<double> likes = {};  // what others that should be as fast reach
  double share = 1;  // of what it should reach, least_rate() or likes: the smaller one
  bool slow = false;
  std::vector<std::string> reasons = {};  // that can be seen, for people
};

// Something about a host that may make it, or one part of it, slow.
struct Clue {
  std::string subject;  // a device, "core 3"; empty: all of the host
  std::string text;
  std::string advice;  // may be empty
};

struct QualifiedDevice {
  std::string name;                        // "cuda:0"
  std::string model;                       // "Tesla P100-SXM2-16GB"
  std::string locality;                    // PCI address, or a list of processing units
  std::vector<unsigned> cores = {};        // processing units, of devices on the host's processors
  std::optional<unsigned> numa_node = {};  // that its memory is taken to be on
};

// Everything that was found out about one host.
struct HostQualification {
  std::string name;  // of the task on several hosts: "worker 1 (host7, pid 4711)"
  std::string foreseen_by;
  std::vector<QualifiedDevice> devices;
  std::vector<Measurement> measurements;
  std::vector<Clue> clues;
  std::vector<std::string> notices;  // what could not be measured or foreseen, and why
  double score = 1;                  // by judge(): the geometric mean of all shares
};

}  // namespace convoy::qualify

#include "topology/read/nvidia_smi_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

#include "core/base/error.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {
namespace {

constexpr std::size_t kMostDevices = 1100;

// The distance between two devices. If NVLink hides it, it is unknown.
enum class Distance { one_switch, several_switches, one_bridge, one_package, apart, unknown };

struct Cell {
  Distance distance = Distance::unknown;
  std::uint32_t bricks = 0;
};

// Removes the sequences for a terminal: colours, underlines, character sets.
std::string without_escapes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      result += text[i];
      continue;
    }
    ++i;
    if (i < text.size() && text[i] == '[') {  // parameters, then a letter
      do ++i;
      while (i < text.size() && !(text[i] >= '@' && text[i] <= '~'));
    } else {
      while (i < text.size() && text[i] >= ' ' && text[i] <= '/') ++i;
    }
  }
  return result;
}

std::vector<std::string> split(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  std::string word;
  while (stream >> word) words.push_back(word);
  return words;
}

class MatrixText {
 public:
  MatrixText(std::string_view text, const std::string& source) : source_(source) {
    std::istringstream lines(without_escapes(text));
    std::string line;
    while (std::getline(lines, line)) {
      ++line_;
      const std::vector<std::string> words = split(line);
      if (words.empty() || words.front() == "Legend:" || read_model(line)) continue;
      if (devices.empty())
        read_header(words);
      else
        read_row(words);
    }
    if (devices.empty() || rows.size() != devices.size())
      fail(ExitCode::kUsage, "{}: {} rows for {} columns; save nvidia-smi topo -m again", source,
           rows.size(), devices.size());
    check_symmetry();
  }

  std::vector<std::string> devices;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> memories;         // NUMA affinity, else CPU affinity; empty = unknown
  std::map<std::string, std::string> names;  // of NICs, from the legend: "NIC0" is "mlx5_0"
  // of GPUs, if the output of nvidia-smi -L was saved, too
  std::map<std::string, std::string> models;

 private:
  // Reads "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-...)", a line of nvidia-smi -L.
  bool read_model(const std::string& line) {
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("GPU ") || colon == std::string::npos) return false;
    const std::size_t end = line.find(" (UUID", colon);
    if (end == std::string::npos) return false;
    models["GPU" + line.substr(4, colon - 4)] = line.substr(colon + 2, end - colon - 2);
    return true;
  }

  void read_header(const std::vector<std::string>& words) {
    if (words.front() != "GPU0") return;
    for (const std::string& word : words) {
      if (word == "CPU" || word == "NUMA") break;
      devices.push_back(word);
    }
    has_numa_ = std::find(words.begin(), words.end(), "NUMA") != words.end();
    if (devices.size() > kMostDevices)
      fail(ExitCode::kUsage, "{}: {} devices; at most {} are read", source_, devices.size(),
           kMostDevices);
  }

  void read_row(const std::vector<std::string>& words) {
    if (rows.size() == devices.size()) return read_legend(words);
    if (words.front() != devices[rows.size()] || words.size() <= devices.size())
      fail(ExitCode::kUsage,
           "{}:{}: '{}' where the row of {} belongs; save nvidia-smi topo -m again", source_, line_,
           words.front(), devices[rows.size()]);
    rows.emplace_back();
    for (std::size_t i = 0; i < devices.size(); ++i) rows.back().push_back(cell(words[i + 1]));
    const std::size_t cpus = devices.size() + 1;
    const std::size_t affinity = cpus + 1;
    const bool told = has_numa_ && words.size() > affinity && parse_unsigned(words[affinity]);
    const bool has_cpus =
        words.size() > cpus && words[cpus].front() >= '0' && words[cpus].front() <= '9';
    memories.push_back(told ? words[affinity] : has_cpus ? words[cpus] : std::string());
  }

  // Reads "NIC0: mlx5_0" below the rows.
  void read_legend(const std::vector<std::string>& words) {
    if (words.size() != 2 || !words.front().ends_with(':')) return;
    const std::string device = words.front().substr(0, words.front().size() - 1);
    if (std::find(devices.begin(), devices.end(), device) != devices.end())
      names[device] = words.back();
  }

  void check_symmetry() const {
    for (std::size_t a = 0; a < rows.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const Cell& one = rows[a][b];
        const Cell& other = rows[b][a];
        if (one.distance == other.distance && one.bricks == other.bricks) continue;
        fail(ExitCode::kUsage,
             "{}: the row of {} says otherwise about {} than that one about it; is a line missing "
             "or changed? save nvidia-smi topo -m again",
             source_, devices[a], devices[b]);
      }
  }

  Cell cell(const std::string& word) const {
    static const std::map<std::string, Distance> kWords = {
        {"X", Distance::unknown},      {"PIX", Distance::one_switch},
        {"PSB", Distance::one_switch}, {"PXB", Distance::several_switches},
        {"PHB", Distance::one_bridge}, {"NODE", Distance::one_package},
        {"SOC", Distance::apart},      {"SYS", Distance::apart},
        {"N/A", Distance::unknown}};
    if (const auto known = kWords.find(word); known != kWords.end()) return {known->second, 0};
    const auto bricks = word.starts_with("NV") ? parse_unsigned(word.substr(2)) : std::nullopt;
    if (bricks && *bricks > 0 && *bricks <= 1000)
      return {Distance::unknown, static_cast<std::uint32_t>(*bricks)};
    fail(ExitCode::kUsage, "{}:{}: '{}' is not a word of nvidia-smi topo -m; save it again",
         source_, line_, word);
  }

  const std::string& source_;
  std::size_t line_ = 0;
  bool has_numa_ = false;
};

class SmiBuilder {
 public:
  SmiBuilder(Machine& machine, const MatrixText& text) : machine_(machine), text_(text) {}

  void build() {
    host_ = append_node(machine_, NodeKind::host, "host0", {});
    std::vector<std::size_t> all(text_.devices.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    nodes_.resize(all.size());
    place(all, Distance::one_package, host_);
    add_nvlink();
  }

 private:
  bool near(std::size_t a, std::size_t b, Distance most) const {
    const Distance distance = text_.rows[a][b].distance;
    if (distance != Distance::unknown) return distance <= most;
    if (most != Distance::one_package || text_.memories[a] != text_.memories[b]) return false;
    return !text_.memories[a].empty() || !told_apart(a, b);
  }

  // For affinities of N/A, as on a machine with one NUMA node: whether another device is on the
  // package of one of the two and not on that of the other.
  bool told_apart(std::size_t a, std::size_t b) const {
    const auto is = [&](std::size_t device, std::size_t other, bool apart) {
      const Distance distance = text_.rows[device][other].distance;
      return apart ? distance == Distance::apart : distance <= Distance::one_package;
    };
    for (std::size_t other = 0; other < text_.devices.size(); ++other)
      if ((is(a, other, true) && is(b, other, false)) ||
          (is(a, other, false) && is(b, other, true)))
        return true;
    return false;
  }

  // Groups devices that are at most this far apart, directly or over others.
  std::vector<std::vector<std::size_t>> groups(const std::vector<std::size_t>& devices,
                                               Distance most) const {
    std::vector<std::vector<std::size_t>> result;
    std::vector<bool> done(text_.devices.size());
    for (const std::size_t first : devices) {
      if (done[first]) continue;
      result.push_back({first});
      done[first] = true;
      for (std::size_t i = 0; i < result.back().size(); ++i)
        for (const std::size_t other : devices)
          if (!done[other] && near(result.back()[i], other, most)) {
            done[other] = true;
            result.back().push_back(other);
          }
    }
    return result;
  }

  void place(const std::vector<std::size_t>& devices, Distance most, std::size_t up) {
    for (const std::vector<std::size_t>& group : groups(devices, most)) {
      const bool is_switch = most < Distance::one_bridge;
      if (is_switch && group.size() == 1) {
        place_device(group.front(), up);
        continue;
      }
      const std::size_t node = append(most, up);
      if (most == Distance::one_switch)
        for (const std::size_t device : group) place_device(device, node);
      else
        place(group, static_cast<Distance>(static_cast<int>(most) - 1), node);
    }
  }

  std::size_t append(Distance level, std::size_t up) {
    const NodeKind kind = level == Distance::one_package  ? NodeKind::package
                          : level == Distance::one_bridge ? NodeKind::host_bridge
                                                          : NodeKind::pci_bridge;
    const char* prefix = kind == NodeKind::package       ? "package"
                         : kind == NodeKind::host_bridge ? "bridge"
                                                         : "switch";
    const std::size_t node = append_node(
        machine_, kind, fmt::format("{}{}", prefix, nodes_of(machine_, kind).size()), up);
    if (kind != NodeKind::package) link(up, node, kind == NodeKind::host_bridge);
    if (kind == NodeKind::package) {
      const std::size_t number = nodes_of(machine_, NodeKind::numa_node).size();
      link(node, append_node(machine_, NodeKind::numa_node, fmt::format("numa{}", number), node),
           true);
    }
    return node;
  }

  void link(std::size_t up, std::size_t node, bool internal) {
    append_link(machine_, up, node, internal ? LinkKind::internal : LinkKind::pcie,
                {{}, "nvidia-smi topo -m tells no speeds"});
  }

  void place_device(std::size_t device, std::size_t up) {
    const bool is_gpu = text_.devices[device].starts_with("GPU");
    std::string node_name = text_.devices[device];
    if (is_gpu) node_name.replace(0, 3, "gpu");
    if (const auto known = text_.names.find(node_name); known != text_.names.end())
      node_name = known->second;
    nodes_[device] =
        append_node(machine_, is_gpu ? NodeKind::gpu : NodeKind::nic, std::move(node_name), up);
    Node& node = machine_.nodes[nodes_[device]];
    if (const auto model = text_.models.find(text_.devices[device]); model != text_.models.end())
      node.model = model->second;
    if (!is_gpu) node.rdma = rdma_by_name(node.name, "nvidia-smi topo -m name");
    link(up, nodes_[device], false);
  }

  void add_nvlink() {
    for (std::size_t a = 0; a < nodes_.size(); ++a)
      for (std::size_t b = a + 1; b < nodes_.size(); ++b)
        if (const std::uint32_t bricks = text_.rows[a][b].bricks)
          append_link(machine_, nodes_[a], nodes_[b], LinkKind::nvlink,
                      {{}, "nvidia-smi topo -m tells the number of links only"}, bricks);
  }

  Machine& machine_;
  const MatrixText& text_;
  std::size_t host_ = 0;
  std::vector<std::size_t> nodes_;
};

}  // namespace

Machine read_nvidia_smi(std::string_view text, const std::string& source) {
  const MatrixText matrix(text, source);
  Machine machine;
  machine.source = source;
  machine.virtual_machine.source = source + " does not tell it";
  SmiBuilder(machine, matrix).build();
  append_socket_links(machine, source + " does not tell rates between packages");
  machine.notes.emplace_back(
      "from nvidia-smi topo -m: where NVLink joins two GPUs, it does not say "
      "which switches they share");
  return machine;
}

}  // namespace convoy::topology

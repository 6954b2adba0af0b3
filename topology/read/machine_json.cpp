#include "topology/read/machine_json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text/json.hpp"
#include "topology/graph/graph_edit.hpp"

namespace convoy::topology {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "convoy machine 1";
constexpr std::size_t kDeepestSwitch = 200;  // nesting of switches

template <typename T>
Json fact_to_json(const Fact<T>& fact) {
  return {{"value", fact.known() ? Json(*fact.value) : Json()}, {"source", fact.source}};
}

Json node_to_json(const Node& node) {
  Json result = {
      {"kind", name(node.kind)}, {"name", node.name}, {"model", node.model}, {"host", node.host}};
  if (node.parent) result["parent"] = *node.parent;
  if (node.address) result["address"] = format_pci_address(*node.address);
  if (node.id) result["id"] = {node.id->vendor, node.id->device};
  if (!node.uuid.empty()) result["uuid"] = node.uuid;
  if (node.part)
    result["part"] = {{"multiprocessors", node.part->multiprocessors},
                      {"memory_bytes", node.part->memory_bytes}};
  result["memory_bytes"] = fact_to_json(node.memory_bytes);
  result["memory_bytes_per_second"] = fact_to_json(node.memory_bytes_per_second);
  if (node.kind == NodeKind::nic)
    result["network_bytes_per_second"] = fact_to_json(node.network_bytes_per_second);
  if (node.peers_over_root.known()) result["peers_over_root"] = fact_to_json(node.peers_over_root);
  if (node.gpus_per_process.known())
    result["gpus_per_process"] = fact_to_json(node.gpus_per_process);
  if (node.reduces) result["reduces"] = true;
  if (node.rdma.known()) result["rdma"] = fact_to_json(node.rdma);
  if (node.in_order.known()) result["in_order"] = fact_to_json(node.in_order);
  if (node.network_step_seconds.known())
    result["network_step_seconds"] = fact_to_json(node.network_step_seconds);
  result["cores"] = fact_to_json(node.cores);
  if (!node.processing_units.empty()) result["processing_units"] = node.processing_units;
  return result;
}

// One value of the document and its position.
class JsonField {
 public:
  JsonField(const Json& value, std::string path, const std::string& source)
      : value_(value), path_(std::move(path)), source_(source) {}

  [[noreturn]] void reject(const std::string& problem) const {
    fail(ExitCode::kUsage, "{}: {} {}; write the file again with convoy topo --json", source_,
         path_.empty() ? "the document" : path_, problem);
  }

  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
  bool is_null() const { return value_.is_null(); }

  JsonField at(const char* key) const {
    if (!has(key)) reject(fmt::format("lacks the field {}", key));
    return {value_.at(key), path_ + "/" + key, source_};
  }

  std::vector<JsonField> elements() const {
    if (!value_.is_array()) reject("is not a list");
    if (value_.size() > kMostLinks) reject(fmt::format("has {} elements", value_.size()));
    std::vector<JsonField> result;
    for (std::size_t i = 0; i < value_.size(); ++i)
      result.emplace_back(value_[i], fmt::format("{}/{}", path_, i), source_);
    return result;
  }

  std::string text() const {
    if (!value_.is_string()) reject("is not a text");
    return value_.get<std::string>();
  }

  std::uint64_t whole(std::uint64_t most) const {
    const auto number = json_count(value_, most);
    if (!number) reject(fmt::format("is not a whole number up to {}", most));
    return *number;
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(whole(0xffffffffU)); }

  void get(double& number) const {
    if (!value_.is_number()) reject("is not a number");
    number = value_.get<double>();
    if (!std::isfinite(number) || number < 0) reject("is negative or not finite");
  }
  void get(std::uint64_t& number) const { number = whole(~std::uint64_t{0}); }
  void get(std::uint32_t& number) const { number = count(); }
  void get(bool& flag) const {
    if (!value_.is_boolean()) reject("is neither true nor false");
    flag = value_.get<bool>();
  }

  template <typename T>
  Fact<T> fact() const {
    Fact<T> result;
    result.source = at("source").text();
    const JsonField value = at("value");
    if (value.is_null()) return result;
    T known{};
    value.get(known);
    result.value = known;
    return result;
  }

  // Returns the fact under this key; unknown if the file does not have it.
  template <typename T>
  Fact<T> optional_fact(const char* key) const {
    return has(key) ? at(key).fact<T>() : Fact<T>{};
  }

  template <typename Kind>
  Kind kind(std::size_t kinds) const {
    const std::string given = text();
    for (std::size_t i = 0; i < kinds; ++i)
      if (given == name(static_cast<Kind>(i))) return static_cast<Kind>(i);
    reject(fmt::format("is '{}', which is no kind", given));
  }

 private:
  const Json& value_;
  std::string path_;
  const std::string& source_;
};

PciId pci_id_of(const JsonField& field) {
  const std::vector<JsonField> id = field.elements();
  if (id.size() != 2) field.reject("is not vendor and device");
  return {static_cast<std::uint16_t>(id[0].whole(0xffff)),
          static_cast<std::uint16_t>(id[1].whole(0xffff))};
}

Node node_of(const JsonField& field, std::size_t earlier) {
  Node node;
  node.kind = field.at("kind").kind<NodeKind>(9);
  node.name = field.at("name").text();
  node.model = field.at("model").text();
  node.host = field.at("host").count();
  if (field.has("parent")) {
    node.parent = field.at("parent").whole(kMostNodes);
    if (*node.parent >= earlier) field.at("parent").reject("is not a node before this one");
  }
  if (field.has("address")) {
    node.address = parse_pci_address(field.at("address").text());
    if (!node.address) field.at("address").reject("is not a PCI address");
  }
  if (field.has("id")) node.id = pci_id_of(field.at("id"));
  if (field.has("uuid")) node.uuid = field.at("uuid").text();
  if (field.has("part")) {
    const JsonField part = field.at("part");
    node.part = GpuPart{part.at("multiprocessors").count(),
                        part.at("memory_bytes").whole(~std::uint64_t{0})};
  }
  node.memory_bytes = field.at("memory_bytes").fact<std::uint64_t>();
  node.memory_bytes_per_second = field.at("memory_bytes_per_second").fact<double>();
  if (node.kind == NodeKind::nic)
    node.network_bytes_per_second = field.at("network_bytes_per_second").fact<double>();
  if (field.has("reduces")) field.at("reduces").get(node.reduces);
  node.peers_over_root = field.optional_fact<bool>("peers_over_root");
  node.gpus_per_process = field.optional_fact<std::uint32_t>("gpus_per_process");
  node.rdma = field.optional_fact<bool>("rdma");
  node.in_order = field.optional_fact<bool>("in_order");
  node.network_step_seconds = field.optional_fact<double>("network_step_seconds");
  node.cores = field.at("cores").fact<std::uint32_t>();
  if (field.has("processing_units"))
    for (const JsonField& unit : field.at("processing_units").elements())
      node.processing_units.push_back(unit.count());
  return node;
}

std::size_t node_number(const JsonField& field, const Machine& machine) {
  const std::uint64_t number = field.whole(kMostNodes);
  if (number >= machine.nodes.size())
    field.reject(fmt::format("is {}, but there are {} nodes", number, machine.nodes.size()));
  return number;
}

void read_nodes(const JsonField& field, Machine& machine) {
  const std::vector<JsonField> nodes = field.elements();
  if (nodes.empty()) field.reject("is empty: a machine has at least a host");
  if (nodes.size() > kMostNodes) field.reject("has more nodes than any machine");
  std::vector<std::size_t> depths;
  for (const JsonField& node : nodes) {
    machine.nodes.push_back(node_of(node, machine.nodes.size()));
    const auto parent = machine.nodes.back().parent;
    depths.push_back(parent ? depths[*parent] + 1 : 0);
    if (depths.back() > kDeepestSwitch)
      node.reject(fmt::format("is below {} others", kDeepestSwitch));
  }
}

void read_lists(const JsonField& root, Machine& machine) {
  read_nodes(root.at("nodes"), machine);
  for (const JsonField& link : root.at("links").elements())
    machine.links.push_back({node_number(link.at("a"), machine), node_number(link.at("b"), machine),
                             link.at("kind").kind<LinkKind>(6), link.at("count").count(),
                             link.at("a_to_b").fact<double>(), link.at("b_to_a").fact<double>()});
  for (const JsonField& access : root.at("peer_access").elements())
    machine.peer_access.push_back({node_number(access.at("from"), machine),
                                   node_number(access.at("to"), machine),
                                   access.at("possible").fact<bool>()});
  for (const JsonField& note : root.at("notes").elements()) machine.notes.push_back(note.text());
}

}  // namespace

Json machine_to_json(const Machine& machine) {
  Json result = {{"format", kFormat}, {"name", machine.name}, {"source", machine.source}};
  result["virtual_machine"] = fact_to_json(machine.virtual_machine);
  result["notes"] = machine.notes;
  for (const char* list : {"nodes", "links", "peer_access"}) result[list] = Json::array();
  for (const Node& node : machine.nodes) result["nodes"].push_back(node_to_json(node));
  for (const Link& link : machine.links)
    result["links"].push_back({{"a", link.a},
                               {"b", link.b},
                               {"kind", name(link.kind)},
                               {"count", link.count},
                               {"a_to_b", fact_to_json(link.a_to_b)},
                               {"b_to_a", fact_to_json(link.b_to_a)}});
  for (const PeerAccess& access : machine.peer_access)
    result["peer_access"].push_back(
        {{"from", access.from}, {"to", access.to}, {"possible", fact_to_json(access.possible)}});
  return result;
}

Machine read_machine_json(std::string_view text, const std::string& source) {
  Json document;
  try {
    document = parse_ordered_json(text);
  } catch (const Json::exception& error) {
    fail(ExitCode::kUsage, "{}: not valid JSON ({}); the file may be truncated: write it again",
         source, json_problem(error));
  }
  const JsonField root(document, {}, source);
  if (root.has("host_constants"))
    fail(ExitCode::kUsage, "{}: the description of a platform; --platform={} takes it", source,
         source);
  const JsonField format = root.at("format");
  if (format.text() != kFormat)
    format.reject(fmt::format("is '{}', but '{}' is known", format.text(), kFormat));
  Machine machine;
  machine.name = root.at("name").text();
  machine.source = root.at("source").text();
  machine.virtual_machine = root.at("virtual_machine").fact<bool>();
  read_lists(root, machine);
  return machine;
}

}  // namespace convoy::topology

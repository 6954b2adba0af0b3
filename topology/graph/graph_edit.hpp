#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "topology/graph/machine.hpp"

namespace convoy::topology {

// No machine has more. A larger file is refused, because it would take minutes.
inline constexpr std::size_t kMostNodes = 20000;
inline constexpr std::size_t kMostLinks = 200000;

// Both return the number of the new node or link. Parents must exist already. They throw Error
// (kUsage) beyond the limit.
std::size_t append_node(Machine& machine, NodeKind kind, std::string name,
                        std::optional<std::size_t> parent);
std::size_t append_link(Machine& machine, std::size_t a, std::size_t b, LinkKind kind,
                        const Fact<double>& rate, std::uint32_t count = 1);

// Appends the package's next host bridge, "bridge0" and so on, and the link between them, of which
// `rate` is what the source tells. Returns the bridge's number. Error (kUsage) beyond the limit.
std::size_t append_host_bridge(Machine& machine, std::size_t package, const Fact<double>& rate);

// Returns for each node the link to its parent, or nothing if it has none.
std::vector<std::optional<std::size_t>> parent_links(const Machine& machine);

// Connects every pair of packages. The rates are unknown, because the source does not tell them.
void append_socket_links(Machine& machine, const std::string& source);

std::vector<std::size_t> nodes_of(const Machine& machine, NodeKind kind);
std::map<PciAddress, std::size_t> nodes_by_address(const Machine& machine);

// Parses "0000:5e:00.0" or "5e:00.0", also with eight digits of domain; returns nothing for other
// texts.
std::optional<PciAddress> parse_pci_address(std::string_view text);
std::string format_pci_address(const PciAddress& address);

// Parse a whole text as a number. They return nothing for other texts, infinities and NaN.
std::optional<std::uint64_t> parse_unsigned(std::string_view text, int base = 10);
std::optional<double> parse_finite(std::string_view text);

// Returns the raw bytes per second and direction of a PCI Express link from "8.0 GT/s PCIe" and its
// lanes; nothing for "Unknown speed", zero or empty. The line code is subtracted (8b/10b below 8
// GT/s), or from 64 GT/s on the error correction.
std::optional<double> pcie_bytes_per_second(std::string_view speed, std::string_view lanes);

// Returns the bytes per second of a network link from megabits per second; nothing for 0 and absurd
// numbers.
std::optional<double> megabits_per_second(std::optional<std::uint64_t> megabits);

// Derives from a network card's name whether it does RDMA: true for names of RDMA devices (mlx5_0,
// ib0, rocep12s0, efa_0), else unknown, because an Ethernet name may stand for either.
Fact<bool> rdma_by_name(std::string_view card, const std::string& source);

const char* name(NodeKind kind);
const char* name(LinkKind kind);

}  // namespace convoy::topology

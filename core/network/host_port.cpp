#include "core/network/host_port.hpp"

#include <arpa/inet.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text/number.hpp"

namespace convoy::network {
namespace {

constexpr std::string_view kAddressForm = "host:port, an IPv6 address as [::1]:50000";

[[noreturn]] void refuse_address(std::string_view text, std::string_view source,
                                 std::string_view reason, std::string_view form = kAddressForm) {
  constexpr std::size_t kMostShown = 300;  // a name with its port is shorter
  fail(ExitCode::kUsage, "{}: '{}' {}; write {}", source, text.substr(0, kMostShown), reason, form);
}

int parse_port(std::string_view digits, std::string_view text, std::string_view source) {
  const std::optional<int> port = parse_number<int>(digits);
  if (!port || *port < 1 || *port > 65535)
    refuse_address(text, source, "has no port from 1 to 65535");
  return *port;
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

// Names are as long as that at most (RFC 1035). A dash at the beginning is a flag's: a value was
// left out.
bool is_name(std::string_view host) {
  constexpr std::size_t kMostCharacters = 253;
  return host.size() <= kMostCharacters && !host.starts_with('-') && !host.starts_with('.') &&
         host.find("..") == std::string_view::npos;
}

// Why no host has this name, or nothing. An IPv4 address is a name, too.
std::string_view problem_of_name(std::string_view host) {
  if (host.empty()) return "has no host";
  if (!std::ranges::all_of(host, is_host_character))
    return "has a host with a character that no name has";
  if (!is_name(host))
    return "has a host that is too long for a name, or has a dash or a dot too many";
  return {};
}

// Accepts an address with or without an interface behind a %. Only this machine can judge the
// interface.
bool is_ipv6_address(std::string_view host) {
  const std::size_t zone = host.find('%');
  in6_addr address{};
  return ::inet_pton(AF_INET6, std::string(host.substr(0, zone)).c_str(), &address) == 1 &&
         zone != host.size() - 1;
}

bool lacks_port(std::string_view text) {
  return text.find(':') == std::string_view::npos || is_ipv6_address(text);
}

std::string checked_host(std::string_view text, std::string_view source) {
  check_host(text, source);
  return std::string(text);
}

}  // namespace

std::string to_string(const HostPort& address) {
  const bool brackets = address.host.find(':') != std::string::npos;
  return brackets ? fmt::format("[{}]:{}", address.host, address.port)
                  : fmt::format("{}:{}", address.host, address.port);
}

HostPort parse_host_port(std::string_view text, std::string_view source) {
  if (text.starts_with('[')) {
    const std::size_t close = text.find("]:");
    if (close == std::string_view::npos || close < 3)
      refuse_address(text, source, "is no IPv6 address in brackets with a port");
    const std::string_view host = text.substr(1, close - 1);
    if (!is_ipv6_address(host))
      refuse_address(text, source, "has no IPv6 address between its brackets");
    return {std::string(host), parse_port(text.substr(close + 2), text, source)};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) refuse_address(text, source, "has no port");
  const std::string_view host = text.substr(0, colon);
  if (const std::string_view problem = problem_of_name(host); !problem.empty())
    refuse_address(text, source, problem);
  return {std::string(host), parse_port(text.substr(colon + 1), text, source)};
}

void check_host(std::string_view text, std::string_view source) {
  if (is_ipv6_address(text)) return;
  if (const std::string_view problem = problem_of_name(text); !problem.empty())
    refuse_address(text, source, problem,
                   "a name or an address such as node1, 10.0.0.3 or fd00::3, without a port");
}

std::vector<HostPort> parse_host_list(std::string_view text, std::string_view source, Ports ports) {
  std::vector<HostPort> hosts;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    HostPort host = ports == Ports::kOptional && lacks_port(part)
                        ? HostPort{checked_host(part, source)}
                        : parse_host_port(part, source);
    if (std::ranges::find(hosts, host) != hosts.end())
      fail(ExitCode::kUsage, "{}: {} is there twice; every task needs an address of its own",
           source, part);
    hosts.push_back(std::move(host));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) fail(ExitCode::kUsage, "{}: the list ends with a comma; remove it", source);
  }
  return hosts;
}

}  // namespace convoy::network

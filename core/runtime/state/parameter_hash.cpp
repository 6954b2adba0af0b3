#include "core/runtime/state/parameter_hash.hpp"

#include <span>
#include <vector>

#include "core/base/byte_hash.hpp"

namespace convoy::runtime {

std::string parameter_hash(const ModelValues& values) {
  ByteHash hash;
  for (const std::vector<float>& variable : values.variables)
    hash.add(std::as_bytes(std::span(variable)));
  hash.add(std::as_bytes(std::span(values.state)));
  return hash.digits();
}

std::string parameter_hash(const Session& session) {
  ByteHash hash;
  for (std::size_t i = 0; i < session.graph().variables().size(); ++i)
    session.visit_variable(i, [&](std::span<const float> rows) { hash.add(std::as_bytes(rows)); });
  const std::vector<float> statistics = session.read_statistics();
  hash.add(std::as_bytes(std::span(statistics)));
  return hash.digits();
}

}  // namespace convoy::runtime

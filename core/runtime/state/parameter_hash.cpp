#include "core/runtime/state/parameter_hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <memory>
#include <span>
#include <vector>

#include "core/base/error.hpp"

namespace convoy::runtime {
namespace {

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

class Hash {
 public:
  Hash() : state_(XXH3_createState()) {
    CONVOY_CHECK(state_ != nullptr && XXH3_128bits_reset(state_.get()) == XXH_OK);
  }
  void add(std::span<const float> values) {
    XXH3_128bits_update(state_.get(), values.data(), values.size_bytes());
  }
  std::string digits() const {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
    std::string text;
    for (const unsigned char byte : canonical.digest) text += fmt::format("{:02x}", byte);
    return text;
  }

 private:
  std::unique_ptr<XXH3_state_t, FreeState> state_;
};

}  // namespace

std::string parameter_hash(const ModelValues& values) {
  Hash hash;
  for (const std::vector<float>& variable : values.variables) hash.add(variable);
  hash.add(values.state);
  return hash.digits();
}

std::string parameter_hash(const Session& session) {
  Hash hash;
  for (std::size_t i = 0; i < session.graph().variables().size(); ++i)
    session.visit_variable(i, [&](std::span<const float> rows) { hash.add(rows); });
  hash.add(session.read_statistics());
  return hash.digits();
}

}  // namespace convoy::runtime

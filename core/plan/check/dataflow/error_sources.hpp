#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/plan/check/check.hpp"
#include "core/plan/check/symbolic/values.hpp"

namespace convoy::plan::check {

// Whether a cast or a compressor keeps only a part of what it reads: a selection of elements, their
// signs, or a projection. Omitted gradients may appear again in later steps; omitted parameters do
// not.
bool keeps_a_part(const Plan& plan, const Atom& cast);

// A sum of gradients and errors.
struct SourceParts {
  std::map<GradientKey, Weight> gradients = {};
  std::map<AtomId, Weight> errors = {};
  bool known = true;  // the sum contains nothing else

  void add(const GradientKey& gradient, const Weight& weight);
  void add(AtomId error, const Weight& weight);
};

// The final weights of gradients and errors in an update, or in what a replica reads, as elements
// of the field.
class FinalWeights {
 public:
  virtual ~FinalWeights() = default;
  virtual std::uint64_t of_gradient(const GradientKey& gradient) const = 0;
  virtual std::uint64_t of_error(AtomId error) const = 0;
  // Final weight of the result of the operation that made this error; nothing if unknown.
  virtual std::optional<Weight> of_result(AtomId /*error*/) const { return std::nullopt; }
  // Adds the contents that memory held when the period began. Returns false if they are not known.
  virtual bool add_held(const Term& /*held*/, SourceParts& /*parts*/) const { return false; }
};

// Determines how often the input of a cast or a compressor counts in the end if the result lets all
// of it through. It shows whether an error is brought back as often as it should be.
class ErrorSources {
 public:
  explicit ErrorSources(const ValueTable& values) : values_(values) {}

  // Final weight per unit of the input of the operation that made this error; nothing if unknown.
  std::optional<Weight> weight(AtomId error, const FinalWeights& finals);

  // The reason why the error's final weight is wrong.
  struct Fault {
    FindingKind kind = FindingKind::kDoubled;
    std::string what;  // continues a sentence about the omitted part: "is kept, but ..."
  };
  std::optional<Fault> fault(AtomId error, const FinalWeights& finals);

 private:
  SourceParts parts_of(ValueId source, const FinalWeights& finals) const;
  std::optional<Weight> of_rests(const SourceParts& parts, const FinalWeights& finals);

  const ValueTable& values_;
  std::map<AtomId, std::optional<Weight>> known_;
};

}  // namespace convoy::plan::check

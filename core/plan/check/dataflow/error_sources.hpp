#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/plan/check/check.hpp"
#include "core/plan/check/symbolic/values.hpp"

namespace convoy::plan::check {

// Whether a cast, or a compressor, keeps only a part of what it reads: a selection of elements,
// their signs, or a projection. Gradients that are left out may come again; parameters do not.
bool keeps_a_part(const Plan& plan, const Atom& cast);

// A sum of gradients and errors.
struct SourceParts {
  std::map<GradientKey, Weight> gradients = {};
  std::map<AtomId, Weight> errors = {};
  bool known = true;  // there is nothing else in it

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
  // Of what was made by the operation that made this error; none where this is not known.
  virtual std::optional<Weight> of_result(AtomId /*error*/) const { return std::nullopt; }
  // Adds what memory held when the period began. False where that is not known.
  virtual bool add_held(const Term& /*held*/, SourceParts& /*parts*/) const { return false; }
};

// How often what a cast or a compressor reads counts in the end, if the result lets all of it
// through. It shows whether an error is brought back as often as it should.
class ErrorSources {
 public:
  explicit ErrorSources(const ValueTable& values) : values_(values) {}

  // For a unit of what was read to make this error; none where this is not known.
  std::optional<Weight> weight(AtomId error, const FinalWeights& finals);

  // What is wrong with how often the error counts.
  struct Fault {
    FindingKind kind = FindingKind::kDoubled;
    std::string what;  // "is kept, but ...", of what is left out
  };
  std::optional<Fault> fault(AtomId error, const FinalWeights& finals);

 private:
  SourceParts parts_of(ValueId source, const FinalWeights& finals) const;
  std::optional<Weight> of_rests(const SourceParts& parts, const FinalWeights& finals);

  const ValueTable& values_;
  std::map<AtomId, std::optional<Weight>> known_;
};

}  // namespace convoy::plan::check

// The submissions that a device runs, in the sizes that the device was built with. Part of
// device.hpp.
#ifndef CONVOY_KNOWN_SUBMISSIONS_HPP
#define CONVOY_KNOWN_SUBMISSIONS_HPP

#include <convoy/abi/submission.h>
#include <convoy/sized.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace convoy {

// Checks flags and reduction; the device checks the kind itself. Throws UnusableStruct as
// KnownSubmissions does.
template <typename Operation>
void require_known_operation(const Operation& operation) {
  constexpr std::uint32_t kFlags = 2 * CONVOY_OP_TRANSPOSES_B - 1;
  require_known((operation.flags & ~kFlags) == 0, "flags of an operation", operation.flags,
                Side::kPlugin);
  require_known(operation.reduction <= CONVOY_REDUCE_MAX, "reduction of an operation",
                operation.reduction, Side::kPlugin);
}

// Submissions with at least the fields that this plug-in knows. The structs of a host of the same
// or a newer version are long enough and used in place. The structs of an older host are too short:
// each address gets a longer copy. The copy is overwritten when the host submits that address
// again; by then the operation is done. For one thread at a time.
class KnownSubmissions {
 public:
  // The submission to run instead of `given`, valid until the operation is done. Throws
  // UnusableStruct when the host uses something that the plug-in does not know.
  const convoy_submission& known(const convoy_submission& given) {
    bool complete = convoy::readable_in_place(given, "convoy_submission", Side::kPlugin);
    if (complete && given.compute != nullptr)
      complete = convoy::readable_in_place(*given.compute, "convoy_compute", Side::kPlugin);
    for (std::uint64_t i = 0; complete && i < given.update_count; ++i)
      complete = readable_in_place(*given.updates[i]);
    const convoy_submission& known = complete ? given : copies_[&given].take(given);
    require_known_operation(known);
    for (std::uint64_t i = 0; i < known.update_count; ++i)
      if (const convoy_optimizer* const optimizer = known.updates[i]->optimizer)
        require_known(optimizer->kind <= CONVOY_OPTIMIZER_ADAM, "kind of the optimizer",
                      optimizer->kind, Side::kPlugin);
    return known;
  }

 private:
  static bool readable_in_place(const convoy_update& update) {
    return convoy::readable_in_place(update, "convoy_update", Side::kPlugin) &&
           (update.optimizer == nullptr ||
            convoy::readable_in_place(*update.optimizer, "convoy_optimizer", Side::kPlugin));
  }

  class Copy {
   public:
    const convoy_submission& take(const convoy_submission& given) {
      submission_ = read_sized(given, "convoy_submission", Side::kPlugin);
      if (submission_.compute != nullptr) {
        compute_ = read_sized(*submission_.compute, "convoy_compute", Side::kPlugin);
        submission_.compute = &compute_;
      }
      take_updates();
      return submission_;
    }

   private:
    void take_updates() {
      const auto count = static_cast<std::size_t>(submission_.update_count);
      optimizers_.resize(count);
      updates_.resize(count);
      pointers_.resize(count);
      for (std::size_t i = 0; i < count; ++i) {
        updates_[i] = read_sized(*submission_.updates[i], "convoy_update", Side::kPlugin);
        pointers_[i] = &updates_[i];
        if (updates_[i].optimizer == nullptr) continue;
        optimizers_[i] = read_sized(*updates_[i].optimizer, "convoy_optimizer", Side::kPlugin);
        updates_[i].optimizer = &optimizers_[i];
      }
      if (count > 0) submission_.updates = pointers_.data();
    }

    convoy_submission submission_{};
    convoy_compute compute_{};
    std::vector<convoy_optimizer> optimizers_;
    std::vector<convoy_update> updates_;
    std::vector<const convoy_update*> pointers_;
  };

  std::map<const convoy_submission*, Copy> copies_;
};

}  // namespace convoy

#endif

#include "plugins/devices/cuda/collectives/collectives.hpp"

#include <cstdlib>

namespace convoy::cuda {

// A launch that waits for its kernel's end keeps out the kernels of the other ranks, without which
// it does not end.
std::string group_refusal(const std::vector<GroupMember>& members, const char* launch_blocking) {
  if (members.size() > 1 && launch_blocking != nullptr && std::atoi(launch_blocking) != 0)
    return std::string("CUDA_LAUNCH_BLOCKING=") + launch_blocking +
           " lets a launch wait for its end, and NCCL has to launch on all GPUs before one of them "
           "ends: unset it";
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = i + 1; j < members.size(); ++j) {
      const GroupMember& a = members[i];
      const GroupMember& b = members[j];
      if (a.gpu == b.gpu)
        return a.name + " and " + b.name + " share GPU " + std::to_string(a.gpu) +
               ", and NCCL takes each GPU once";
      if (a.pci_address == b.pci_address)
        return a.name + " and " + b.name + " are slices (MIG) of one GPU, " + a.pci_address +
               ", and NCCL takes each GPU once";
    }
  return {};
}

}  // namespace convoy::cuda

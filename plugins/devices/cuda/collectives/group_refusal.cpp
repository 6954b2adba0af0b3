#include "plugins/devices/cuda/collectives/collectives.hpp"

namespace convoy::cuda {

std::string group_refusal(const std::vector<GroupMember>& members) {
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

#include "tests/doctor/sample_machines.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/scratch_folder.hpp"

namespace convoy::testing {

MachineFiles::MachineFiles() {
  static int made = 0;
  root_ = scratch_folder("machine" + std::to_string(made++));
}

MachineFiles& MachineFiles::file(const std::string& path, const std::string& text) {
  std::filesystem::create_directories((root_ / path).parent_path());
  std::ofstream(root_ / path, std::ios::binary) << text;
  return *this;
}

MachineFiles& MachineFiles::link(const std::string& path, const std::string& target) {
  std::filesystem::create_directories((root_ / path).parent_path());
  std::filesystem::create_symlink(target, root_ / path);
  return *this;
}

MachineFiles bare_machine() {
  MachineFiles files;
  files.file("etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\n")
      .file("proc/sys/kernel/osrelease", "6.1.0-13-amd64\n")
      .file("proc/1/cgroup", "0::/init.scope\n")
      .file("proc/cpuinfo",
            "processor\t: 0\nmodel name\t: AMD EPYC 9354\n"
            "flags\t\t: fpu fma avx avx2 avx512f avx512bw avx512_bf16 amx_bf16 amx_tile\n")
      .file("proc/self/status", "Name:\tconvoy\nCpus_allowed_list:\t0-7\n")
      .file("proc/self/cgroup", "0::/user.slice/session.scope\n")
      .file("proc/meminfo", "MemTotal:       33554432 kB\nMemAvailable:   31457280 kB\n")
      .file("proc/mounts", "sysfs /sys sysfs rw 0 0\ntmpfs /dev/shm tmpfs rw,nosuid 0 0\n")
      .file("proc/cmdline", "root=/dev/sda1 ro quiet\n")
      .file("proc/self/limits",
            "Limit                     Soft Limit           Hard Limit           Units     \n"
            "Max stack size            8388608              unlimited            bytes     \n"
            "Max open files            1048576              1048576              files     \n"
            "Max locked memory         unlimited            unlimited            bytes     \n")
      .file("sys/devices/system/cpu/online", "0-3,4-7\n")
      .file("sys/devices/system/node/online", "0-1\n")
      .file("proc/sys/kernel/numa_balancing", "0\n")
      .file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
      .file("sys/fs/cgroup/cgroup.controllers", "cpu memory\n")
      .file("sys/fs/cgroup/user.slice/memory.max", "max\n")
      .file("sys/fs/cgroup/user.slice/cpu.max", "max 100000\n")
      .file("sys/class/dmi/id/sys_vendor", "Supermicro\n")
      .file("sys/bus/pci/devices/0000:00:1f.0/class", "0x060100\n");
  for (const char* cpu : {"cpu0", "cpu7"})
    files.file(std::string("sys/devices/system/cpu/") + cpu + "/cpufreq/scaling_governor",
               "performance\n");
  return files;
}

MachineFiles limited_container(int version) {
  MachineFiles files = bare_machine();
  files.file(".dockerenv", "")
      .file("proc/mounts", "shm /dev/shm tmpfs rw,nosuid,size=65536k 0 0\n")
      .file("proc/self/limits",
            "Max locked memory         65536                65536                bytes     \n"
            "Max open files            1048576              1048576              files     \n");
  if (version == 2) {
    files.file("proc/self/cgroup", "0::/\n")
        .file("sys/fs/cgroup/memory.max", "2147483648\n")
        .file("sys/fs/cgroup/cpu.max", "250000 100000\n");
    return files;
  }
  std::filesystem::remove_all(files.root() / "sys/fs/cgroup");
  files.file("proc/self/cgroup", "4:memory:/docker/af01\n1:cpu,cpuacct:/docker/af01\n0::/\n")
      .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
      .file("sys/fs/cgroup/memory/docker/af01/memory.limit_in_bytes", "2147483648\n")
      .file("sys/fs/cgroup/cpu/docker/af01/cpu.cfs_quota_us", "250000\n")
      .file("sys/fs/cgroup/cpu/docker/af01/cpu.cfs_period_us", "100000\n");
  return files;
}

MachineFiles gpu_server() {
  MachineFiles files = bare_machine();
  for (const std::string address : {"0000:17:00.0", "0000:65:00.0"}) {
    const std::string folder = "sys/bus/pci/devices/" + address;
    files.file(folder + "/class", "0x030200\n")
        .file(folder + "/vendor", "0x10de\n")
        .file(folder + "/device", "0x20b5\n")
        .file(folder + "/current_link_width", address == "0000:65:00.0" ? "8\n" : "16\n")
        .file(folder + "/max_link_width", "16\n")
        .file(folder + "/max_link_speed", "16.0 GT/s PCIe\n")
        .link(folder + "/driver", "../../../bus/pci/drivers/nvidia");
  }
  // A bridge whose access control redirects: header 0x000d at byte 256, control 0x1d at byte 262.
  std::string config(264, '\0');
  config[256] = 0x0d;
  config[258] = 0x01;
  config[262] = 0x1d;
  files.file("sys/bus/pci/devices/0000:16:00.0/class", "0x060400\n")
      .file("sys/bus/pci/devices/0000:16:00.0/config", config)
      .file("sys/kernel/iommu_groups/0/type", "DMA\n")
      .file("proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC\n")
      .file("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n")
      .file("sys/class/infiniband/mlx5_0/ports/1/rate", "100 Gb/sec (4X EDR)\n")
      .file("sys/class/infiniband/mlx5_1/ports/1/state", "1: DOWN\n");
  return files;
}

doctor::Finding find(const doctor::Findings& findings, const std::string& subject) {
  for (const doctor::Finding& it : findings)
    if (it.subject == subject) return it;
  ADD_FAILURE() << "nothing about " << subject;
  return {};
}

}  // namespace convoy::testing

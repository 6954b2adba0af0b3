#include "tests/fuzz/binary_seeds.hpp"

#include <elf.h>

#include <algorithm>

#include <iterator>
#include <string_view>

#include "core/checkpoint/safetensors_header.hpp"
#include "core/checkpoint/safetensors_writer.hpp"
#include "core/network/grpc/convert.hpp"
#include "plugins/transports/grpc/frame.hpp"

namespace convoy {
namespace {

template <typename Value>
std::string bytes_of(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

Elf64_Shdr section(std::uint32_t name, std::uint64_t offset, std::uint64_t bytes) {
  Elf64_Shdr header{};
  header.sh_name = name;
  header.sh_type = name == 0 ? SHT_NULL : SHT_PROGBITS;
  header.sh_offset = offset;
  header.sh_size = bytes;
  return header;
}

std::string frame(std::uint8_t connection, const grpc_transport::FrameHeader& header,
                  const std::string& piece) {
  const std::string whole = bytes_of(header) + piece;
  return std::string(1, static_cast<char>(connection)) +
         bytes_of(static_cast<std::uint16_t>(whole.size())) + whole;
}

std::string data_frame(std::uint32_t channel, std::uint64_t bytes, std::uint64_t offset,
                       std::uint32_t length) {
  grpc_transport::FrameHeader header;
  header.channel = channel;
  header.tag.operation = 3;
  header.bytes = bytes;
  header.offset = offset;
  header.length = length;
  return frame(static_cast<std::uint8_t>(channel % 2), header, std::string(length, 'x'));
}

}  // namespace

std::string plugin_manifest() {
  std::string text;
  for (const char* const entry :
       {"abi=1.0", "kind=strategy", "name=seed", "version=1.0", "description=A seed.",
        "claim=synchronous", "option=size:int:3::How large.", "option=mode:enum:a:a|b:Which.",
        "variant=size=4", "needs=copy,apply,forward,backward"})
    text += std::string(entry) + '\0';
  return text + '\0';
}

std::string plugin_file() {
  using namespace std::string_view_literals;
  constexpr std::string_view kNames = "\0.convoy.manifest\0.shstrtab\0"sv;
  const std::string manifest = plugin_manifest();
  Elf64_Ehdr header{};
  constexpr unsigned char kIdentification[] = {ELFMAG0,    ELFMAG1,     ELFMAG2,   ELFMAG3,
                                               ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
  std::copy(std::begin(kIdentification), std::end(kIdentification), header.e_ident);
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 3;
  header.e_shstrndx = 2;
  header.e_shoff = sizeof header + kNames.size() + manifest.size();
  return bytes_of(header) + std::string(kNames) + manifest + bytes_of(section(0, 0, 0)) +
         bytes_of(section(1, sizeof header + kNames.size(), manifest.size())) +
         bytes_of(section(18, sizeof header, kNames.size()));
}

std::string safetensors_body() {
  const std::vector<checkpoint::Tensor> tensors = {
      {{"kernel", checkpoint::TensorDtype::kF32, {2, 3}}, {}},
      {{"steps", checkpoint::TensorDtype::kI64, {1}}, {}}};
  checkpoint::SafetensorsHeader header;
  header.metadata = {{"format", "convoy checkpoint"}, {"step", "7"}};
  std::uint64_t end = 0;
  for (const checkpoint::Tensor& tensor : tensors) {
    header.tensors.push_back({tensor.info, end, end + *tensor.info.bytes()});
    end = header.tensors.back().end;
  }
  return checkpoint::format_safetensors_header(header) + std::string(end, '\1');
}

std::string checkpoint_input() {
  using namespace std::string_literals;
  return R"({"format": "convoy checkpoints", "newest_first": ["model-7.safetensors"], )"
         R"("leaving": []})"
         "\0"
         "format=convoy checkpoint\nformat_version=1\nstep=7\nsamples=70\nseed=1\nmodel=lenet\n"
         "strategy=replicated\noptimizer=sgd\nplan_hash=12ab\nstorage_hash=34cd\ndevices=1\n"
         "batch_per_device=8\nphase=0\nloss_scale=1\nloss_scale_clean_steps=0\nflags={}\n"
         "convoy_version=0.1.0\n"s;
}

std::string join_message() {
  network::Join join;
  join.version = "0.1.0";
  join.machine = "here";
  join.address = "127.0.0.1";
  join.workers = 2;
  join.model = "lenet";
  join.plugins = {{"lenet", "12ab"}};
  join.flags = {{"--batch_size", "8"}};
  network::v1::TaskMessage wire;
  network::write(network::TaskMessage(join), wire);
  return wire.SerializeAsString();
}

std::string roster_message() {
  network::Roster roster;
  roster.key = std::string(32, 'k');
  roster.members.resize(2);
  network::v1::CoordinatorMessage wire;
  network::write(network::CoordinatorMessage(roster), wire);
  return wire.SerializeAsString();
}

std::string frames_input() {
  grpc_transport::FrameHeader credit;
  credit.kind = grpc_transport::FrameKind::kCredit;
  credit.channel = 2;
  credit.sequence = 1;
  grpc_transport::FrameHeader close;
  close.kind = grpc_transport::FrameKind::kClose;
  return data_frame(0, 100, 0, 40) + data_frame(1, 0, 0, 0) + data_frame(0, 100, 40, 60) +
         frame(0, credit, "") + data_frame(2, 20, 0, 20) + frame(0, close, "") +
         frame(1, close, "");
}

}  // namespace convoy

// Writes the inputs that the fuzzers start from, SEEDS/<fuzzer>/<name>, and the words in them, from
// which they make others: SEEDS/<fuzzer>.dict.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/base/error.hpp"
#include "core/data/augment/image.hpp"
#include "core/data/jpeg/jpeg_encoder.hpp"
#include "core/data/tfrecord/example.hpp"
#include "core/data/tfrecord/tfrecord_writer.hpp"
#include "tests/fuzz/binary_seeds.hpp"
#include "tests/fuzz/text_seeds.hpp"
#include "tests/topology/machine_texts.hpp"
#include "topology/read/machine_json.hpp"
#include "topology/read/nccl_reader.hpp"
#include "topology/read/read_machine.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
  stream.close();
  if (!stream) fail(ExitCode::kUnavailable, "cannot write {}", path.string());
}

std::string read(const fs::path& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

std::string picture(bool progressive, bool chroma_subsampling = true, int components = data::kRgb) {
  data::ByteImage image;
  image.resize(24, 17);
  for (std::size_t i = 0; i < image.values.size(); ++i)
    image.values[i] = static_cast<std::uint8_t>(i * 37 % 251);
  data::JpegEncoding encoding;
  encoding.progressive = progressive;
  encoding.chroma_subsampling = chroma_subsampling;
  return data::encode_jpeg(image.values.data(), image.width, image.height, components, encoding);
}

void write_machines(const fs::path& folder) {
  const std::string pair = topology::power8_xml("3.0");
  const topology::Machine machine = topology::parse_machine(pair, "seed");
  write(folder / "hwloc_3", pair);
  write(folder / "hwloc_2", topology::plain_xml("2.0"));
  write(folder / "nccl", topology::write_nccl_dump(machine, topology::Catalogue()));
  write(folder / "json", topology::machine_to_json(machine).dump());
  write(folder / "nvidia_smi",
        "GPU0 GPU1 CPU Affinity NUMA Affinity\nGPU0 X NV2 0-9 0\n"
        "GPU1 NV2 X 0-9 0\n");
}

// All files of a folder of the sources that end like this.
void copy_sources(const char* from, const char* suffix, const fs::path& to) {
  for (const auto& entry : fs::directory_iterator(fs::path(CONVOY_SOURCE_DIR) / from))
    if (entry.path().extension() == suffix) write(to / entry.path().filename(), read(entry.path()));
}

void write_texts(const fs::path& folder) {
  write(folder / "flag_file" / "flags",
        "# a comment\n--count=3\n--share 0.5\n--noloud\n--name=text with blanks\n\nword\n");
  write(folder / "hosts" / "lists",
        "A=a:50000,[::1]:50001\nB=rack[1-2]n[08-10,12],login\nRANK=1\nWORLD_SIZE=2\n"
        "MASTER_ADDR=host\nMASTER_PORT=50000\n");
  write(folder / "hosts" / "slurm",
        "SLURM_PROCID=1\nSLURM_NTASKS=4\nSLURM_JOB_ID=7\nSLURM_JOB_NODELIST=n[1-2]\n");
  write(folder / "hosts" / "open_mpi",
        "OMPI_COMM_WORLD_RANK=0\nOMPI_COMM_WORLD_SIZE=2\nOMPI_COMM_WORLD_LOCAL_SIZE=2\n");
  copy_sources("share/platforms", ".json", folder / "platform");
  copy_sources("share/profiles", ".json", folder / "software");
  copy_sources("tests/fuzz/records", ".json", folder / "record");
  copy_sources("tests/data/cifar10", ".pickle", folder / "pickle");
}

void write_option_texts(const fs::path& folder) {
  int number = 0;
  for (const char* const text :
       {"0.1;10;0.01;20;0.001", "10,20,50", "0.5,1,2", "dgx1-p100:2+hgx-h100:3", "10de:15f9",
        "xring#2:2k:nccl/xring", "1,GPU-a1b2", "MIG-d5", "true", "-1e-3", "all"})
    write(folder / fmt::format("{}", number++), text);
}

void write_other_texts(const fs::path& folder) {
  write(folder / "algorithms" / "two", "3\tone\n12\ttwo words\n");
  write(folder / "calibration" / "small", calibration_text());
  write(folder / "catalogue" / "devices", '\0' + catalogue_text("devices.json"));
  write(folder / "catalogue" / "hosts", '\1' + catalogue_text("hosts.json"));
  write(folder / "catalogue" / "collectives", '\2' + catalogue_text("collectives.json"));
  write(folder / "choice" / "remembered", '\0' + choice_text());
  write(folder / "choice" / "rules",
        '\1' + read(fs::path(CONVOY_SOURCE_DIR) / "share" / "select" / "rules.json"));
  write(folder / "cifar10" / "one_image", std::string("\0\3", 2) + std::string(3072, 'p'));
  for (const int version : {1, 2})
    write(folder / "system" / fmt::format("version_{}", version), system_texts(version));
  for (const std::string& text : texts_of_tasks())
    write(folder / "task_texts" / fmt::format("subject_{}", static_cast<int>(text.front())), text);
  write(folder / "weights_map" / "alexnet",
        read(fs::path(CONVOY_SOURCE_DIR) / "share" / "weights" / "sequential_alexnet.json"));
  write_option_texts(folder / "option_texts");
}

void write_binaries(const fs::path& folder) {
  write(folder / "checkpoint" / "whole", checkpoint_input());
  write(folder / "frames" / "exchange", frames_input());
  write(folder / "manifest" / "plugin", "0" + plugin_file());
  write(folder / "manifest" / "text", "1" + plugin_manifest());
  write(folder / "messages" / "join", join_message());
  write(folder / "messages" / "roster", roster_message());
  write(folder / "safetensors" / "body", "1" + safetensors_body());
}

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void add_words(const std::string& text, std::set<std::string>& words) {
  constexpr std::ptrdiff_t kShortest = 3;  // shorter ones come by chance
  constexpr std::ptrdiff_t kLongest = 40;  // longer ones are content
  for (auto begin = text.begin(); begin != text.end();) {
    begin = std::find_if(begin, text.end(), is_of_word);
    const auto end = std::find_if_not(begin, text.end(), is_of_word);
    if (end - begin >= kShortest && end - begin <= kLongest) words.emplace(begin, end);
    begin = end;
  }
}

// Numbers that no seed has and few mutations make: beyond 32 and 64 bits, and at the ends of
// doubles.
constexpr std::array kNumbers = {"-1", "4294967296", "18446744073709551616", "1e308", "1e-308"};

void write_dictionaries(const fs::path& folder) {
  std::map<fs::path, std::set<std::string>> words;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) add_words(read(entry.path()), words[entry.path().parent_path()]);
  for (auto& [inputs, theirs] : words) {
    theirs.insert(kNumbers.begin(), kNumbers.end());
    write(inputs.string() + ".dict", fmt::format("\"{}\"\n", fmt::join(theirs, "\"\n\"")));
  }
}

void write_inputs(const fs::path& folder) {
  write_machines(folder / "machine");
  write_texts(folder);
  write_other_texts(folder);
  write_binaries(folder);
  for (const bool progressive : {false, true}) {
    const std::string name = progressive ? "progressive" : "baseline";
    const data::LabelledImage image{picture(progressive), 7, {{0.1f, 0.2f, 0.8f, 0.9f}}};
    write(folder / "jpeg" / name, image.encoded);
    write(folder / "example" / name, data::serialise_example(image));
  }
  const data::LabelledImage background{picture(false), 0, {}};
  write(folder / "example" / "background", data::serialise_example(background));
  write(folder / "jpeg" / "full_chroma", picture(false, false));
  write(folder / "jpeg" / "grey", picture(false, false, 1));
  const fs::path records = folder / "records";
  data::TfRecordWriter writer(records);
  for (const char* const payload : {"first", "", "the third record"}) writer.write(payload);
  writer.close();
  for (const char mode : {'0', '1'})
    write(folder / "tfrecord" / std::string(1, mode), mode + read(records));
  fs::remove(records);
}

void write_all(const fs::path& folder) {
  fs::remove_all(folder);  // fuzzers add what they find; every run is to start alike
  write_inputs(folder);
  write_dictionaries(folder);
}

}  // namespace
}  // namespace convoy

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    convoy::write_all(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}

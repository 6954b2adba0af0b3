#include "core/plugin/elf_manifest.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <vector>

namespace convoy::plugin {
namespace {

constexpr std::string_view kSectionName = ".convoy.manifest";
// Section names of a large library take some tens of KiB.
constexpr std::uint64_t kMaximumNameTableBytes = 1024 * 1024;

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
#else
#error "name the ELF machine number of this processor"
#endif

void require_inside(const ByteSource& file, std::uint64_t offset, std::uint64_t bytes,
                    std::string_view what) {
  if (offset > file.size || bytes > file.size - offset) {
    throw ManifestError(
        fmt::format("truncated or damaged: {} at byte {} of {} bytes reaches beyond the end of the "
                    "file ({} bytes)",
                    what, offset, bytes, file.size));
  }
}

Elf64_Ehdr read_header(const ByteSource& file) {
  unsigned char identification[EI_NIDENT] = {};
  if (file.size < SELFMAG) throw ManifestError("not an ELF file: shorter than its signature");
  file.read(0, identification, SELFMAG);
  if (std::memcmp(identification, ELFMAG, SELFMAG) != 0) {
    throw ManifestError("not an ELF file: its first bytes are not the ELF signature");
  }
  require_inside(file, 0, EI_NIDENT, "the ELF identification");
  file.read(0, identification, EI_NIDENT);
  if (identification[EI_CLASS] != ELFCLASS64) {
    throw ManifestError("not a 64-bit ELF file: build the plug-in for this machine");
  }
  if (identification[EI_DATA] != ELFDATA2LSB) throw ManifestError("not a little-endian ELF file");
  require_inside(file, 0, sizeof(Elf64_Ehdr), "the ELF header");
  Elf64_Ehdr header;
  file.read(0, &header, sizeof header);
  if (header.e_type != ET_DYN) {
    throw ManifestError(
        fmt::format("not a shared library (ELF type {}): link it with -shared", header.e_type));
  }
  if (header.e_machine != kMachine) {
    throw ManifestError(fmt::format("built for another processor (ELF machine {}, this one is {})",
                                    header.e_machine, kMachine));
  }
  return header;
}

std::vector<Elf64_Shdr> read_section_headers(const ByteSource& file, const Elf64_Ehdr& header) {
  if (header.e_shoff == 0 || header.e_shnum == 0) {
    throw ManifestError("no section headers: a tool removed them; use strip, not sstrip");
  }
  if (header.e_shentsize != sizeof(Elf64_Shdr)) {
    throw ManifestError(fmt::format("damaged: section headers of {} bytes instead of {}",
                                    header.e_shentsize, sizeof(Elf64_Shdr)));
  }
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  const std::uint64_t bytes = sections.size() * sizeof(Elf64_Shdr);
  require_inside(file, header.e_shoff, bytes, "the section header table");
  file.read(header.e_shoff, sections.data(), bytes);
  return sections;
}

std::string read_name_table(const ByteSource& file, const Elf64_Ehdr& header,
                            const std::vector<Elf64_Shdr>& sections) {
  if (header.e_shstrndx >= sections.size()) {
    throw ManifestError(fmt::format("damaged: section names are in section {} of {}",
                                    header.e_shstrndx, sections.size()));
  }
  const Elf64_Shdr& table = sections[header.e_shstrndx];
  if (table.sh_size > kMaximumNameTableBytes) {
    throw ManifestError(
        fmt::format("damaged: a table of section names of {} bytes", table.sh_size));
  }
  require_inside(file, table.sh_offset, table.sh_size, "the table of section names");
  std::string names(table.sh_size, '\0');
  file.read(table.sh_offset, names.data(), names.size());
  return names;
}

bool is_manifest(const Elf64_Shdr& section, const std::string& names) {
  // The comparison includes the NUL, so that longer names that start alike do not match.
  constexpr std::size_t kBytes = kSectionName.size() + 1;
  return section.sh_name < names.size() &&
         std::string_view(names).substr(section.sh_name, kBytes) ==
             std::string_view(kSectionName.data(), kBytes);
}

// Closes the file when the scope ends.
class File {
 public:
  explicit File(const std::filesystem::path& path)
      // O_NONBLOCK: a named pipe must not block the scan.
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) {
      throw ManifestError("cannot be opened: " + std::generic_category().message(errno));
    }
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::uint64_t size() const {
    struct stat status;
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      throw ManifestError("not a regular file");
    }
    return static_cast<std::uint64_t>(status.st_size);
  }

  void read(std::uint64_t offset, void* to, std::size_t bytes) const {
    const ssize_t got = ::pread(descriptor_, to, bytes, static_cast<off_t>(offset));
    if (got < 0 || static_cast<std::size_t>(got) != bytes) {
      throw ManifestError("cannot be read: it changed, or the disk has an error");
    }
  }

 private:
  int descriptor_;
};

}  // namespace

std::string read_manifest_section(const ByteSource& file) {
  const Elf64_Ehdr header = read_header(file);
  const std::vector<Elf64_Shdr> sections = read_section_headers(file, header);
  const std::string names = read_name_table(file, header, sections);
  for (const Elf64_Shdr& section : sections) {
    if (!is_manifest(section, names)) continue;
    if (section.sh_size > kMaximumManifestBytes) {
      throw ManifestError(fmt::format("its manifest has {} bytes; at most {} are allowed",
                                      section.sh_size, kMaximumManifestBytes));
    }
    if (section.sh_type == SHT_NOBITS) throw ManifestError("damaged: its manifest has no contents");
    require_inside(file, section.sh_offset, section.sh_size, "the manifest");
    std::string text(section.sh_size, '\0');
    file.read(section.sh_offset, text.data(), text.size());
    return text;
  }
  throw ManifestError("no manifest: not a convoy plug-in, or built without CONVOY_MANIFEST");
}

std::string read_manifest_section(const std::filesystem::path& path) {
  const File file(path);
  return read_manifest_section(
      {.size = file.size(), .read = [&file](std::uint64_t offset, void* to, std::size_t bytes) {
         file.read(offset, to, bytes);
       }});
}

}  // namespace convoy::plugin

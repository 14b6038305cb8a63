//===- Serialize.cpp - Plans in files -------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Plan/Serialize.h"

#include "Archive.h"

#include "anneal/Plan/Validate.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <xxhash.h>

namespace anneal::plan {

static_assert(std::endian::native == std::endian::little, "files are little endian");

namespace {

constexpr char kMagic[8] = {'A', 'N', 'N', 'L', 'P', 'L', 'A', 'N'};
constexpr uint64_t kConstantAlignment = 64;
/// Start of the constants in the file: a page.
constexpr uint64_t kSectionAlignment = 4096;

constexpr uint64_t alignUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// First bytes of a file. `checksum` is of all that follows it, to the end of the plan.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t reserved;
  uint64_t checksum[2];
  uint64_t planBytes;
  uint64_t constantsOffset;
  uint64_t constantsBytes;
  uint64_t constantsChecksum[2];
};
constexpr size_t kCheckedFrom = offsetof(Header, planBytes);
static_assert(sizeof(Header) == 72 && kCheckedFrom == 32, "no padding");

std::string message(const std::string &path, const std::string &text) {
  return "'" + path + "': " + text;
}

/// A file that appears under its name when it is complete, and goes away otherwise.
class NewFile {
public:
  explicit NewFile(const std::string &path) : path(path), temporary(path + ".XXXXXX") {
    descriptor = mkstemp(temporary.data());
  }
  ~NewFile() {
    if (descriptor < 0)
      return;
    close(descriptor);
    unlink(temporary.c_str());
  }
  NewFile(const NewFile &) = delete;
  NewFile &operator=(const NewFile &) = delete;

  bool isOpen() const { return descriptor >= 0; }

  bool write(const void *data, uint64_t size) {
    const char *at = static_cast<const char *>(data);
    while (size > 0) {
      ssize_t written = ::write(descriptor, at, std::min<uint64_t>(size, uint64_t(1) << 30));
      if (written < 0 && errno == EINTR)
        continue;
      if (written <= 0)
        return false;
      at += written;
      size -= static_cast<uint64_t>(written);
      position += static_cast<uint64_t>(written);
    }
    return true;
  }

  bool padTo(uint64_t end) {
    static constexpr char zeros[kSectionAlignment] = {};
    return write(zeros, end - position);
  }

  bool finish() {
    bool done = fchmod(descriptor, 0644) == 0 && fsync(descriptor) == 0 &&
                rename(temporary.c_str(), path.c_str()) == 0;
    if (!done)
      return false;
    close(std::exchange(descriptor, -1));
    return true;
  }

private:
  std::string path, temporary;
  int descriptor = -1;
  uint64_t position = 0;
};

/// Places of the constants in the file, equal addresses once; `order`: those to write.
struct ConstantPlaces {
  std::vector<StoredConstant> stored;
  std::vector<size_t> order;
  uint64_t bytes = 0;
  XXH128_hash_t checksum{};
};

ConstantPlaces placeConstants(const Module &module) {
  ConstantPlaces places;
  std::map<std::pair<const void *, size_t>, uint64_t> known;
  XXH3_state_t *state = XXH3_createState();
  XXH3_128bits_reset(state);
  for (size_t i = 0; i < module.constants.size(); ++i) {
    const Constant &constant = module.constants[i];
    StoredConstant stored{constant, kNoBytes};
    if (constant.initResult < 0) {
      auto [it, isNew] = known.try_emplace({constant.data, constant.sizeInBytes()}, places.bytes);
      stored.offset = it->second;
      if (isNew) {
        places.order.push_back(i);
        XXH3_128bits_update(state, constant.data, constant.sizeInBytes());
        places.bytes = alignUp(places.bytes + constant.sizeInBytes(), kConstantAlignment);
      }
    }
    places.stored.push_back(std::move(stored));
  }
  places.checksum = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return places;
}

/// The bytes of constants without their gaps, as they were when saved.
XXH128_hash_t checksumOf(const std::vector<StoredConstant> &stored, const char *constants) {
  std::map<uint64_t, size_t> sizes;
  for (const StoredConstant &entry : stored)
    if (entry.offset != kNoBytes) {
      size_t &size = sizes[entry.offset];
      size = std::max(size, entry.constant.sizeInBytes());
    }
  XXH3_state_t *state = XXH3_createState();
  XXH3_128bits_reset(state);
  for (auto [offset, size] : sizes)
    XXH3_128bits_update(state, constants + offset, size);
  XXH128_hash_t checksum = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return checksum;
}

/// The bytes of a file, page-aligned; empty if that failed, errno saying why.
struct FileBytes {
  std::shared_ptr<const void> owner;
  const char *data = nullptr;
  uint64_t size = 0;
};

FileBytes mapFile(const std::string &path) {
  int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return {};
  struct stat info;
  FileBytes file;
  if (fstat(descriptor, &info) == 0 && info.st_size > 0) {
    auto size = static_cast<size_t>(info.st_size);
    void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data != MAP_FAILED) {
      file.owner = std::shared_ptr<const void>(
          data, [size](const void *mapped) { munmap(const_cast<void *>(mapped), size); });
      file.data = static_cast<const char *>(data);
      file.size = size;
    }
  }
  int error = errno;
  close(descriptor);
  errno = error;
  return file;
}

FileBytes copyBytes(std::string_view bytes) {
  FileBytes file;
  void *data = std::aligned_alloc(kSectionAlignment, alignUp(bytes.size() + 1, kSectionAlignment));
  if (!data)
    return file;
  std::memcpy(data, bytes.data(), bytes.size());
  file.owner = std::shared_ptr<const void>(
      data, [](const void *copied) { std::free(const_cast<void *>(copied)); });
  file.data = static_cast<const char *>(data);
  file.size = bytes.size();
  return file;
}

/// Checks what is around the plan; a message, or nothing.
std::optional<std::string> checkFile(const FileBytes &file, const Header &header) {
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0)
    return "not a saved plan";
  if (header.version != kPlanVersion)
    return "a plan of version " + std::to_string(header.version) + ", this program reads version " +
           std::to_string(kPlanVersion);
  uint64_t most = file.size - sizeof(Header);
  if (header.planBytes > most || header.constantsOffset > file.size ||
      header.constantsBytes > file.size - header.constantsOffset)
    return "the plan is truncated";
  XXH128_hash_t hash =
      XXH3_128bits(file.data + kCheckedFrom, sizeof(Header) - kCheckedFrom + header.planBytes);
  if (hash.low64 != header.checksum[0] || hash.high64 != header.checksum[1])
    return "the plan is damaged (checksum)";
  return std::nullopt;
}

} // namespace

std::optional<std::string> saveModule(const Module &module, const std::string &path,
                                      const SaveOptions &options) {
  ConstantPlaces places = placeConstants(module);
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kPlanVersion;
  Writer writer;
  writer(places.stored, module);
  writer(options.unitIr.empty() ? module.unitIr : std::string(options.unitIr));
  header.planBytes = writer.bytes.size();
  header.constantsOffset = alignUp(sizeof(Header) + header.planBytes, kSectionAlignment);
  header.constantsBytes = places.bytes;
  header.constantsChecksum[0] = places.checksum.low64;
  header.constantsChecksum[1] = places.checksum.high64;
  std::string checked(reinterpret_cast<const char *>(&header) + kCheckedFrom,
                      sizeof(Header) - kCheckedFrom);
  checked += writer.bytes;
  XXH128_hash_t hash = XXH3_128bits(checked.data(), checked.size());
  header.checksum[0] = hash.low64;
  header.checksum[1] = hash.high64;

  NewFile file(path);
  bool good = file.isOpen() && file.write(&header, kCheckedFrom) &&
              file.write(checked.data(), checked.size()) && file.padTo(header.constantsOffset);
  for (size_t i = 0; i < places.order.size() && good; ++i) {
    size_t index = places.order[i];
    good = file.padTo(header.constantsOffset + places.stored[index].offset) &&
           file.write(module.constants[index].data, module.constants[index].sizeInBytes());
  }
  good = good && file.padTo(header.constantsOffset + header.constantsBytes) && file.finish();
  if (!good)
    return message(path, std::string("cannot be written: ") + std::strerror(errno));
  return std::nullopt;
}

bool isSavedModule(const std::string &path) {
  // What is read from a pipe is gone for those who come after.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return false;
  char start[sizeof(kMagic)] = {};
  std::ifstream file(path, std::ios::binary);
  return file.read(start, sizeof(start)) && std::memcmp(start, kMagic, sizeof(kMagic)) == 0;
}

bool isSavedModuleBytes(std::string_view bytes) {
  return bytes.substr(0, sizeof(kMagic)) == std::string_view(kMagic, sizeof(kMagic));
}

static std::variant<Module, std::string> readModule(const FileBytes &file, const std::string &path,
                                                    const LoadOptions &options) {
  if (file.size < sizeof(Header))
    return message(path, "not a saved plan");
  Header header;
  std::memcpy(&header, file.data, sizeof(Header));
  if (std::optional<std::string> problem = checkFile(file, header))
    return message(path, *problem);

  Module module;
  std::vector<StoredConstant> stored;
  Reader reader(std::string_view(file.data + sizeof(Header), header.planBytes));
  reader(stored, module, module.unitIr);
  if (reader.failed() || !reader.isAtEnd())
    return message(path, "the plan is damaged (structure)");
  const char *constants = file.data + header.constantsOffset;
  for (StoredConstant &entry : stored)
    module.constants.push_back(entry.constant);
  // Sizes are checked before they are used to find bytes.
  if (std::optional<std::string> problem = validate(module))
    return message(path, "the plan is not well formed: " + *problem);
  for (size_t i = 0; i < stored.size(); ++i) {
    if (stored[i].constant.initResult >= 0)
      continue;
    Constant &constant = module.constants[i];
    if (stored[i].offset > header.constantsBytes || stored[i].offset % kConstantAlignment != 0 ||
        constant.sizeInBytes() > header.constantsBytes - stored[i].offset)
      return message(path, "constant #" + std::to_string(i) + " lies outside the file");
    constant.data = constants + stored[i].offset;
    constant.owner = file.owner;
  }
  if (options.verifyConstants) {
    XXH128_hash_t hash = checksumOf(stored, constants);
    if (hash.low64 != header.constantsChecksum[0] || hash.high64 != header.constantsChecksum[1])
      return message(path, "the constants are damaged (checksum)");
  }
  return module;
}

std::variant<Module, std::string> loadModule(const std::string &path, const LoadOptions &options) {
  errno = 0;
  FileBytes file = mapFile(path);
  if (!file.data)
    return message(path, errno ? std::string("cannot be read: ") + std::strerror(errno)
                               : std::string("the file is empty"));
  return readModule(file, path, options);
}

std::variant<Module, std::string> loadModuleBytes(std::string_view bytes, const std::string &name,
                                                  const LoadOptions &options) {
  FileBytes file = copyBytes(bytes);
  if (!file.data)
    return message(name, "out of memory: " + std::to_string(bytes.size()) + " bytes");
  return readModule(file, name, options);
}

} // namespace anneal::plan

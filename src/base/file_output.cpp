#include "base/file_output.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <system_error>
#include <vector>

#include "base/errors.hpp"

namespace turgor {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little,
              "the binary formats are written as they lie in memory");

namespace {

/// Large writes pass it by; a larger one would be filled in vain for each small piece that is read
/// back.
constexpr std::size_t buffer_bytes = std::size_t{1} << 14;

std::string reason(int error) {
    return std::generic_category().message(error);
}

void create_folder(const fs::path& folder) {
    if (folder.empty()) return;
    std::error_code error;
    fs::create_directories(folder, error);
    // create_directories reports no error for every kind of non-folder in the way, so look.
    std::error_code ignored;
    if (fs::is_directory(folder, ignored)) return;
    fail(ErrorCode::io, "cannot create the folder '{}': {}; choose another place", folder.string(),
         error ? error.message() : "a file with this name is in the way");
}

void refuse_folder(const fs::path& file) {
    std::error_code ignored;
    if (!file.has_filename() || fs::is_directory(file, ignored))
        fail(ErrorCode::io, "cannot write the file '{}': it is a folder; choose another name",
             file.string());
}

[[noreturn]] void fail_opening(const fs::path& file, int error) {
    fail(ErrorCode::io, "cannot write '{}': {}; choose another place", file.string(),
         reason(error));
}

std::FILE* open(const fs::path& path, const char* mode) {
    std::FILE* file = std::fopen(path.c_str(), mode);
    if (file) std::setvbuf(file, nullptr, _IOFBF, buffer_bytes);
    return file;
}

/// Exclusive creation makes the name ours even where several programs write the same output.
std::FILE* open_temporary(const fs::path& beside, fs::path& path) {
    for (int attempt = 0; attempt < 10000; ++attempt) {
        path = beside;
        path.replace_filename(fmt::format(".{}.{}.tmp", beside.filename().string(), attempt));
        if (std::FILE* file = open(path, "w+bx")) return file;
        if (errno != EEXIST) fail_opening(beside, errno);
    }
    fail(ErrorCode::io, "cannot write '{}': remove the old temporary files '{}' first",
         beside.string(), path.string());
}

bool is_special(const fs::path& file) {
    std::error_code ignored;
    return fs::exists(file, ignored) && !fs::is_regular_file(file, ignored);
}

fs::path without_link(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_symlink(file, ignored)) return file;
    const fs::path real = fs::weakly_canonical(file, ignored);
    return real.empty() ? file : real;
}

}  // namespace

FileOutput::FileOutput(fs::path file, Destination destination)
    : name_(std::move(file)), path_(name_) {
    refuse_folder(name_);
    create_folder(name_.parent_path());
    file_.reset(destination == Destination::direct ? open(name_, "wb")
                                                   : open_temporary(name_, path_));
    if (!file_) fail_opening(name_, errno);
}

void FileOutput::abandon(std::uint64_t size) noexcept {
    file_.reset();
    std::error_code ignored;
    fs::resize_file(path_, size, ignored);
    size_ = size;
}

void FileOutput::remove_temporary() const noexcept {
    std::error_code ignored;
    fs::remove(path_, ignored);
}

void FileOutput::fail_writing() const {
    const int error = errno;
    fail(ErrorCode::io, "cannot write '{}': {}; make room or choose another place", name_.string(),
         reason(error));
}

void FileOutput::write(std::string_view bytes) {
    check(std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size());
    size_ += bytes.size();
}

void FileOutput::write_at(std::uint64_t offset, std::string_view bytes) {
    seek(offset);
    check(std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size());
    seek(size_);
}

void FileOutput::seek(std::uint64_t offset) {
    check(std::fseek(file_.get(), static_cast<long>(offset), SEEK_SET) == 0);
}

void FileOutput::flush() {
    check(std::fflush(file_.get()) == 0);
}

void FileOutput::close() {
    if (file_) check(std::fclose(file_.release()) == 0);
}

AtomicFile::AtomicFile(const fs::path& file)
    : FileOutput(without_link(file),
                 is_special(file) ? Destination::direct : Destination::temporary_beside),
      named_(path_ == name_) {}

AtomicFile::~AtomicFile() {
    if (!named_) remove_temporary();
}

void AtomicFile::commit() {
    close();
    take_name();
}

void AtomicFile::publish() {
    flush();
    take_name();
}

void AtomicFile::take_name() {
    if (named_) return;
    std::error_code error;
    fs::rename(path_, name_, error);
    if (error)
        fail(ErrorCode::io, "cannot write '{}': {}; choose another place", name_.string(),
             error.message());
    path_ = name_;
    named_ = true;
}

SpoolFile::SpoolFile(const fs::path& file) : FileOutput(file, Destination::temporary_beside) {
    // An open file lives on without its name, so that even a killed process leaves nothing behind.
    remove_temporary();
}

void SpoolFile::copy_to(FileOutput& out, std::uint64_t offset, std::uint64_t size) {
    seek(offset);
    std::vector<char> buffer(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
    while (size > 0) {
        const std::size_t part = std::min<std::uint64_t>(size, buffer.size());
        if (std::fread(buffer.data(), 1, part, file_.get()) != part)
            fail(ErrorCode::io,
                 "cannot read back the temporary file beside '{}': {}; try another place",
                 name_.string(), reason(errno));
        out.write({buffer.data(), part});
        size -= part;
    }
    seek(size_);
}

void check_can_write_file(const fs::path& file) {
    const AtomicFile probe(file);
}

void check_can_write_folder(const fs::path& folder) {
    create_folder(folder);
    const SpoolFile probe(folder / "frame");
}

}  // namespace turgor

#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace turgor {

/// A file open for writing. Every function checks what the disk says and throws Error(io) with the
/// file's name and the reason; only the destructor is silent.
class FileOutput {
public:
    /// Empties `file` or creates it, together with its parent folders.
    explicit FileOutput(std::filesystem::path file)
        : FileOutput(std::move(file), Destination::direct) {}
    virtual ~FileOutput() = default;
    FileOutput(const FileOutput&) = delete;
    FileOutput& operator=(const FileOutput&) = delete;

    void write(std::string_view bytes);
    /// The values as they lie in memory, little-endian.
    template <class T>
    void write_array(std::span<const T> values) {
        write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
    }
    /// Overwrites bytes that were written before; the next write() appends again.
    void write_at(std::uint64_t offset, std::string_view bytes);
    void flush();
    void close();
    /// Gives up after a failed write: closes the file and cuts it off behind its first `size`
    /// bytes.
    void abandon(std::uint64_t size) noexcept;
    /// Bytes written with write().
    std::uint64_t size() const { return size_; }

protected:
    enum class Destination { direct, temporary_beside };
    /// `temporary_beside`: a new file with a name of its own in the folder of `file`, readable as
    /// well.
    FileOutput(std::filesystem::path file, Destination destination);

    [[noreturn]] void fail_writing() const;
    void check(bool done) const {
        if (!done) fail_writing();
    }

    void seek(std::uint64_t offset);
    void remove_temporary() const noexcept;

    struct Closer {
        void operator()(std::FILE* f) const { std::fclose(f); }
    };
    std::filesystem::path name_;  ///< what messages call it
    std::filesystem::path path_;  ///< where the bytes go
    std::unique_ptr<std::FILE, Closer> file_;
    std::uint64_t size_ = 0;
};

/// All or nothing: the bytes go to a temporary file beside `file`, which takes that name in
/// commit(). Without commit() the temporary file is removed and `file` is as it was. A symbolic
/// link is followed; a device or a pipe is written directly.
///
///     AtomicFile out(file);
///     out.write(text);
///     out.commit();
class AtomicFile : public FileOutput {
public:
    explicit AtomicFile(const std::filesystem::path& file);
    ~AtomicFile() override;
    /// Closes and takes the name.
    void commit();
    /// Takes the name and stays open, for files that are valid after each write.
    void publish();

private:
    void take_name();

    bool named_;
};

/// Bytes that are needed once more: kept in a file beside `file` that nobody sees, and that is gone
/// with this object or with the process.
class SpoolFile : public FileOutput {
public:
    explicit SpoolFile(const std::filesystem::path& file);
    /// Appends `size` bytes from `offset` on to `out`.
    void copy_to(FileOutput& out, std::uint64_t offset, std::uint64_t size);
};

/// Error(io) where a file called `file` could not be made: its place is a folder, or not writable.
/// Creates the parent folders; changes nothing else.
void check_can_write_file(const std::filesystem::path& file);
/// The same for files in `folder`, which is created.
void check_can_write_folder(const std::filesystem::path& folder);

}  // namespace turgor

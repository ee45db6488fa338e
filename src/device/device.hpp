#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/kernel_time.hpp"
#include "device/opencl.hpp"
#include "turgor/device.hpp"
#include "turgor/world.hpp"

namespace turgor::device {

/// How the kernels are cut up on a device.
struct GroupSizes {
    unsigned blocks = 1;  ///< work-items that share a block of particles: a power of two, ≤ 256
    unsigned bodies = 1;  ///< work-items that share a body: a power of two
};

/// What OpenCL says about a call that failed, as one of our errors.
[[noreturn]] void rethrow(const cl::Error& error, const std::string& device);

/// The text that all kernels are compiled of.
std::string kernel_sources();

/// A device with our kernels, compiled once in a process for all worlds that use it.
class Device {
public:
    /// The device whose name contains `wanted`, or the best one. An Error says what is missing.
    static std::shared_ptr<Device> open(const std::string& wanted);

    Device(cl::Device device, const GroupSizes& sizes);
    const std::string& name() const { return name_; }
    const GroupSizes& groups() const { return groups_; }
    const cl::Context& context() const { return context_; }
    const cl::Program& program() const { return program_; }
    std::size_t largest_buffer() const { return largest_buffer_; }

private:
    cl::Device device_;
    std::string name_;
    GroupSizes groups_;
    std::size_t largest_buffer_ = 0;
    cl::Context context_;
    cl::Program program_;
};

template <class T>
class Array;

/// A kernel, and what it has done so far.
struct Kernel {
    Kernel(const Device& device, const char* its_name)
        : name(its_name), kernel(device.program(), its_name) {}
    const char* name;
    cl::Kernel kernel;
    KernelTime done{};
};

/// The order in which a world's work is done on its device. Everything is timed: that costs little.
class Queue {
public:
    explicit Queue(std::shared_ptr<Device> device);
    Device& device() { return *device_; }
    cl::CommandQueue& commands() { return commands_; }

    /// Calls a kernel with so many groups of `items` work-items, as a part of a stage.
    template <class... Args>
    void run(Kernel& kernel, Stage stage, std::size_t groups, unsigned items, const Args&... args) {
        if (groups == 0) return;
        cl_uint k = 0;
        (kernel.kernel.setArg(k++, argument(args)), ...);
        launch(kernel, stage, groups, items, (bytes_of(args) + ...));
    }
    void wait();
    double waited() const { return waited_; }  ///< so far [ms]
    /// Kernels called since the last look.
    std::size_t launches() const { return running_.size(); }
    /// After waiting: what kernels did since the last look, added up in them and by stage [ms].
    void note_times(std::array<double, stage_names.size()>& by_stage);

private:
    template <class T>
    static const cl::Buffer& argument(const Array<T>& array) {
        return array.buffer();
    }
    static std::uint32_t argument(std::uint32_t value) { return value; }
    template <class T>
    static std::size_t bytes_of(const Array<T>& array) {
        return array.bytes();
    }
    static std::size_t bytes_of(std::uint32_t) { return 0; }

    void launch(Kernel& kernel, Stage stage, std::size_t groups, unsigned items, std::size_t bytes);
    struct Running {
        Kernel* kernel;
        Stage stage;
        cl::Event event;
    };
    std::shared_ptr<Device> device_;
    cl::CommandQueue commands_;
    std::vector<Running> running_;
    double waited_ = 0;
};

/// An array in the device's memory. It keeps what it holds when it grows.
template <class T>
class Array {
public:
    const cl::Buffer& buffer() const { return buffer_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return used_ * sizeof(T); }

    void resize(Queue& queue, std::size_t size) {
        used_ = size;
        if (size <= size_) return;
        size = std::max(size, size_ + size_ / 2);
        cl::Buffer larger(queue.device().context(), CL_MEM_READ_WRITE, size * sizeof(T));
        if (size_ > 0) {
            queue.commands().enqueueCopyBuffer(buffer_, larger, 0, 0, size_ * sizeof(T));
            queue.wait();
        }
        buffer_ = larger;
        size_ = size;
    }
    /// Becomes as large as another and holds the same.
    void copy(Queue& queue, const Array& other) {
        if (other.used_ == 0) return;
        resize(queue, other.used_);
        queue.commands().enqueueCopyBuffer(other.buffer_, buffer_, 0, 0, other.bytes());
    }
    /// The values must stay where they are until the queue has been waited for.
    void write(Queue& queue, std::size_t first, std::span<const T> values) {
        if (values.empty()) return;
        queue.commands().enqueueWriteBuffer(buffer_, CL_FALSE, first * sizeof(T),
                                            values.size_bytes(), values.data());
    }
    void read(Queue& queue, std::size_t first, std::span<T> values) const {
        if (values.empty()) return;
        queue.commands().enqueueReadBuffer(buffer_, CL_FALSE, first * sizeof(T),
                                           values.size_bytes(), values.data());
    }

private:
    cl::Buffer buffer_;
    std::size_t size_ = 0, used_ = 0;
};

}  // namespace turgor::device

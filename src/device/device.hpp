#pragma once

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "turgor/device.hpp"

namespace turgor::device {

/// How the kernels are cut up on a device.
struct GroupSizes {
    unsigned blocks = 1;  ///< work-items that share a block of particles: a power of two, ≤ 256
    unsigned bodies = 1;  ///< work-items that share a body: a power of two
};

/// What one kernel has done since timing began.
struct KernelTime {
    std::size_t launches = 0;
    double milliseconds = 0;
};

/// What OpenCL says about a call that failed, as one of our errors.
[[noreturn]] void rethrow(const cl::Error& error, const std::string& device);

/// A device with our kernels, compiled once in a process for all worlds that use it.
class Device {
public:
    /// The device whose name contains `wanted`, or the best one. Group sizes are chosen unless they
    /// are given. An Error says what is missing.
    static std::shared_ptr<Device> open(const std::string& wanted,
                                        const GroupSizes* sizes = nullptr);

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

/// The order in which a world's work is done on its device.
class Queue {
public:
    Queue(std::shared_ptr<Device> device, bool timed);
    Device& device() { return *device_; }
    cl::CommandQueue& commands() { return commands_; }

    /// Calls a kernel with so many groups of `items` work-items.
    template <class... Args>
    void run(cl::Kernel& kernel, std::size_t groups, unsigned items, const Args&... args) {
        if (groups == 0) return;
        cl_uint k = 0;
        (kernel.setArg(k++, args), ...);
        launch(kernel, groups, items);
    }
    void wait() { commands_.finish(); }

    std::size_t launches() const { return launches_; }
    /// Of a queue that is timed, by the names of the kernels; waits for all that was enqueued.
    const std::map<std::string, KernelTime>& times();
    void forget_times();

private:
    void launch(cl::Kernel& kernel, std::size_t groups, unsigned items);
    std::shared_ptr<Device> device_;
    cl::CommandQueue commands_;
    bool timed_;
    std::size_t launches_ = 0;
    std::vector<std::pair<std::string, cl::Event>> running_;
    std::map<std::string, KernelTime> times_;
};

/// An array in the device's memory. It keeps what it holds when it grows.
template <class T>
class Array {
public:
    const cl::Buffer& buffer() const { return buffer_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }

    void resize(Queue& queue, std::size_t size) {
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
    /// The values must stay where they are until the queue has been waited for.
    void write(Queue& queue, std::size_t first, std::span<const T> values) {
        if (values.empty()) return;
        queue.commands().enqueueWriteBuffer(buffer_, CL_FALSE, first * sizeof(T),
                                            values.size_bytes(), values.data());
    }
    void read(Queue& queue, std::size_t first, std::span<T> values) {
        if (values.empty()) return;
        queue.commands().enqueueReadBuffer(buffer_, CL_FALSE, first * sizeof(T),
                                           values.size_bytes(), values.data());
    }

private:
    cl::Buffer buffer_;
    std::size_t size_ = 0;
};

}  // namespace turgor::device

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "speed/speed.hpp"
#include "step/device_world.hpp"
#include "turgor/device.hpp"
#include "world/inspection.hpp"

namespace turgor::speed {
namespace {

double device_milliseconds(const World& world) {
    double all = 0;
    for (const auto& [name, kernel] : Inspection::device(world)->kernels())
        all += kernel.milliseconds;
    return all;
}

/// A world on the device that counts what a step costs besides its kernels.
struct OnDevice {
    Running running;
    double device_ms = 0, host_ms = 0;
    std::size_t steps = 0;

    void step() {
        const DeviceWorld& device = *Inspection::device(running.world);
        const double before = device_milliseconds(running.world), waited = device.waited();
        const auto start = std::chrono::steady_clock::now();
        running.step();
        const std::chrono::duration<double, std::milli> passed =
            std::chrono::steady_clock::now() - start;
        host_ms += passed.count() - (device.waited() - waited);
        device_ms += device_milliseconds(running.world) - before;
        ++steps;
    }
};

struct Pair {
    std::vector<Contestant> contestants;
    std::shared_ptr<OnDevice> device;
    double kernel_ms() const { return device->device_ms / static_cast<double>(device->steps); }
    double host_ms() const { return device->host_ms / static_cast<double>(device->steps); }
    std::size_t launches() const { return Inspection::device(device->running.world)->launches(); }
};

Pair cpu_and_device(const Settings& settings, const std::string& what,
                    const std::function<Running(const WorldSettings&)>& make) {
    Pair pair;
    const int threads = settings.most_threads();
    const Running cpu = make(settings_for(Backend::cpu, threads));
    pair.device =
        std::make_shared<OnDevice>(OnDevice{make(settings_for(Backend::opencl, threads))});
    pair.device->step();  // compiles
    pair.device->device_ms = pair.device->host_ms = 0;
    pair.device->steps = 0;
    const std::size_t particles = cpu.world.particles();
    pair.contestants = {
        {{"gpu", "cpu", what, threads, particles}, cpu.step},
        {{"gpu", "opencl", what, threads, particles}, [device = pair.device] { device->step(); }}};
    // Both hold their owners.
    pair.contestants[0].step = [cpu] { cpu.step(); };
    compete(pair.contestants, settings.quick ? 0.05 : 2);
    pair.contestants[1].row.more = {{"kernel_ms", pair.kernel_ms()},
                                    {"host_ms", pair.host_ms()},
                                    {"launches", static_cast<double>(pair.launches())}};
    return pair;
}

std::vector<std::string> line_of(const std::string& name, const Pair& pair, std::string printed) {
    const Row &cpu = pair.contestants[0].row, &device = pair.contestants[1].row;
    return {name,
            fmt::format("{}", device.particles),
            fmt::format("{:.2f}", device.ms_median / cpu.ms_median),
            fmt::format("{:.2f}", cpu.ms_median),
            fmt::format("{:.2f}", device.ms_median),
            fmt::format("{:.2f}", pair.kernel_ms()),
            fmt::format("{:.2f}", pair.host_ms()),
            fmt::format("{:.0f}", device.ns_per_particle()),
            fmt::format("{}", pair.launches()),
            std::move(printed)};
}

void kernels(const Settings& settings, Report& report) {
    settings.progress("gpu: kernels");
    World world = free_world({shapes::cube(1, settings.quick ? 20 : 72), 1, plain_material(3)},
                             settings_for(Backend::opencl, settings.most_threads()));
    world.step();
    DeviceWorld& device = *Inspection::device(world);
    const auto before = device.kernels();
    const int steps = settings.quick ? 5 : 100;
    for (int k = 0; k < steps; ++k) world.step();
    const auto after = device.kernels();
    const double bandwidth = device.copy_bandwidth();
    const auto particles = static_cast<double>(world.particles());
    Table table{fmt::format("Kernels for a cube of {} at omega 3 on {}", particles, device.name()),
                {"kernel", "calls", "us", "ns/particle", "bytes", "GB/s", "of copying"},
                {},
                {fmt::format("per step; bytes: per particle, every array that a kernel looks at "
                             "counted once; copying moves {:.1f} GB/s here",
                             bandwidth)}};
    for (std::size_t k = 0; k < after.size(); ++k) {
        const auto& [name, kernel] = after[k];
        const std::size_t calls = kernel.launches - before[k].second.launches;
        if (calls == 0) continue;
        const double ms = (kernel.milliseconds - before[k].second.milliseconds) / steps;
        const double bytes = static_cast<double>(kernel.bytes * calls) / steps;
        Row row{"gpu", name, "kernels", 1, world.particles(), ms, ms};
        row.more = {{"bytes_per_particle", bytes / particles},
                    {"gb_per_s", bytes / ms * 1e-6},
                    {"copy_gb_per_s", bandwidth}};
        table.lines.push_back(
            {name, fmt::format("{}", calls / static_cast<std::size_t>(steps)),
             fmt::format("{:.0f}", 1e3 * ms), fmt::format("{:.1f}", row.ns_per_particle()),
             fmt::format("{:.0f}", bytes / particles), fmt::format("{:.1f}", bytes / ms * 1e-6),
             fmt::format("{:.0f} %", 1e-4 * bytes / ms / bandwidth)});
        report.rows.push_back(std::move(row));
    }
    report.tables.push_back(std::move(table));
}

/// Heaps, after they have fallen for a while on the cpu back end: both go on from there.
Pair fallen_heap(const Settings& settings, const Heap& heap) {
    const int threads = settings.most_threads();
    World start = heap.make(falling_settings(Backend::cpu, threads));
    while (start.time() < (settings.quick ? 0.1 : 2.5)) start.step();
    const auto snapshot = start.snapshot();
    return cpu_and_device(settings, heap.name, [&](const WorldSettings& with) -> Running {
        auto world = std::make_shared<World>(with);
        world->restore(snapshot);
        return {world, *world, [&w = *world] { w.step(); }};
    });
}

Table heaps_on_device(const Settings& settings, const std::string& device, Report& report) {
    Table table{
        fmt::format("The opencl back end on {}, bodies that meet", device),
        {"scene", "particles", "opencl:cpu", "cpu", "opencl", "kernels", "host", "ns/particle",
         "calls", "2011 GPU"},
        {},
        {"ms per step from 2.5 s after the start on; calls: of the last step; 2011: without "
         "contacts"}};
    for (const Heap& heap : heaps()) {
        settings.progress("gpu: " + heap.name);
        const Pair pair = fallen_heap(settings, heap);
        table.lines.push_back(line_of(heap.name, pair, fmt::format("{:.2f}", heap.paper)));
        for (const Contestant& c : pair.contestants) report.rows.push_back(c.row);
    }
    return table;
}

}  // namespace

void gpu(const Settings& settings, Report& report) {
    std::string why;
    const std::vector<DeviceInfo> devices = list_devices(&why);
    if (devices.empty() || !devices.front().problem.empty()) {
        report.tables.push_back(
            {"The opencl back end", {}, {}, {why.empty() ? devices.front().problem : why}});
        return;
    }
    Table table{
        fmt::format("The opencl back end on {}, without contacts", devices.front().name),
        {"scene", "particles", "opencl:cpu", "cpu", "opencl", "kernels", "host", "ns/particle",
         "calls", "2011 GPU"},
        {},
        {fmt::format(
            "ms per step; cpu: {} threads; kernels: of that, the device itself; host: what it did "
            "meanwhile and in between, without waiting; "
            "2011: printed in the paper, a GTX 470",
            settings.most_threads())}};
    const auto add = [&](const std::string& name, const Pair& pair, std::string printed) {
        table.lines.push_back(line_of(name, pair, std::move(printed)));
        for (const Contestant& c : pair.contestants) report.rows.push_back(c.row);
    };
    for (const PaperScene& paper : paper_scenes()) {
        settings.progress(fmt::format("gpu: {}", paper.name));
        if (const auto make = without_contacts(paper))
            add(paper.name, cpu_and_device(settings, paper.name, make), paper.gpu);
        else
            table.notes.push_back(
                fmt::format("{} needs Debian's package libcgal-demo", paper.name));
    }
    for (const double n : settings.quick ? std::vector{3e3} : std::vector{1e4, 3e4, 1e5, 1e6}) {
        settings.progress(fmt::format("gpu: {:.0f} particles", n));
        const auto make = [&](const FreeBodies& bodies) {
            return [&bodies](const WorldSettings& s) -> Running {
                auto world = std::make_shared<World>(free_world(bodies, s));
                return {world, *world, [&w = *world] { w.step(); }};
            };
        };
        const FreeBodies one{shapes::cube(1, cube_edge(n)), 1, plain_material(3)},
            many{shapes::cube(1, 14), static_cast<int>(n / 1016 + 0.5), plain_material(3)};
        add("one body", cpu_and_device(settings, fmt::format("one body of {:.0f}", n), make(one)),
            n == 3e4 ? "3.9" : "");
        add("many bodies",
            cpu_and_device(settings, fmt::format("many bodies of {:.0f}", n), make(many)), "");
    }
    report.tables.push_back(std::move(table));
    report.tables.push_back(heaps_on_device(settings, devices.front().name, report));
    kernels(settings, report);
}

}  // namespace turgor::speed

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <hwy/targets.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <memory>
#include <thread>

#include "base/file_output.hpp"
#include "commands.hpp"
#include "number_in.hpp"
#include "speed/speed.hpp"
#include "stats.hpp"

namespace turgor {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::vector<std::string> suites;
    std::optional<std::string> json, svg;
    int threads = 0;
    bool quick = false;
};

std::string processor() {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
    return "unknown";
}

Json machine() {
    const auto targets = hwy::SupportedAndGeneratedTargets();
    return {{"processor", processor()},
            {"cores", std::thread::hardware_concurrency()},
            {"instruction_set", targets.empty() ? "none" : hwy::TargetName(targets.front())},
            {"compiler", __VERSION__},
            {"version", TURGOR_VERSION},
            {"date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))}};
}

Json to_json(const speed::Row& row) {
    Json json{{"suite", row.suite},         {"name", row.name},
              {"case", row.what},           {"threads", row.threads},
              {"particles", row.particles}, {"ms_median", row.ms_median},
              {"ms_min", row.ms_min},       {"ns_per_particle", row.ns_per_particle()}};
    for (const auto& [name, value] : row.more) json[name] = value;
    return json;
}

void print(const speed::Table& table) {
    std::vector<std::size_t> widths;
    for (const std::string& word : table.head) widths.push_back(word.size());
    for (const auto& line : table.lines)
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], line[i].size());
    const auto print_line = [&](const std::vector<std::string>& line) {
        for (std::size_t i = 0; i < line.size(); ++i)
            fmt::print("  {}", i == 0 ? fmt::format("{:<{}}", line[i], widths[i])
                                      : fmt::format("{:>{}}", line[i], widths[i]));
        fmt::print("\n");
    };
    fmt::print("\n{}\n", table.title);
    if (!table.lines.empty()) print_line(table.head);
    for (const auto& line : table.lines) print_line(line);
    for (const std::string& note : table.notes) fmt::print("  {}\n", note);
    std::fflush(stdout);
}

int bench(const Options& options) {
    for (const auto& file : {options.json, options.svg})
        if (file) check_can_write_file(*file);
    speed::Settings settings;
    settings.quick = options.quick;
    settings.threads = options.threads;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    settings.progress = [terminal](const std::string& what) {
        fmt::print(stderr, "{}{} …{}", terminal ? "\r\033[K" : "", what, terminal ? "" : "\n");
        std::fflush(stderr);
    };
    const Json about = machine();
    fmt::print("{}, {} cores, {}, {}\n", about["processor"].get<std::string>(),
               about["cores"].get<unsigned>(), about["instruction_set"].get<std::string>(),
               about["date"].get<std::string>());
    speed::Report report;
    for (const speed::Suite& suite : speed::suites) {
        if (!options.suites.empty() &&
            std::ranges::find(options.suites, suite.name) == options.suites.end())
            continue;
        const std::size_t known = report.tables.size();
        suite.run(settings, report);
        if (terminal) fmt::print(stderr, "\r\033[K");
        for (std::size_t i = known; i < report.tables.size(); ++i) print(report.tables[i]);
    }
    if (options.json) {
        Json rows = Json::array();
        for (const speed::Row& row : report.rows) rows.push_back(to_json(row));
        write_json(*options.json, {{"machine", about}, {"rows", rows}});
    }
    if (options.svg) {
        const std::string picture = speed::plot_svg(report);
        if (picture.empty()) {
            fmt::print(stderr, "note: no picture without the suites scaling or stages\n");
        } else {
            AtomicFile out(*options.svg);
            out.write(picture);
            out.commit();
        }
    }
    return exit_done;
}

}  // namespace

void add_bench_command(CLI::App& app, Run& run) {
    CLI::App* command =
        app.add_subcommand("bench", "Measure speed; run it alone, it takes some minutes");
    const auto options = std::make_shared<Options>();
    std::vector<std::string> names;
    std::string about = "Only these (repeatable):";
    for (const speed::Suite& suite : speed::suites) {
        names.emplace_back(suite.name);
        about += fmt::format("\n  {}: {}", suite.name, suite.about);
    }
    command->add_option("--suite", options->suites, about)
        ->check(CLI::IsMember(names))
        ->allow_extra_args(false)
        ->option_text("NAME");
    command->add_option("--json", options->json, "Write all figures as JSON")->option_text("FILE");
    command->add_option("--svg", options->svg, "Draw scaling and stages")->option_text("FILE");
    command->add_option("--threads", options->threads, "The most threads; default: all")
        ->check(number_in(1, 256))
        ->option_text("N");
    command->add_flag("--quick", options->quick, "Small and short, to see that it works");
    command->callback([options, &run] { run = [options] { return bench(*options); }; });
}

}  // namespace turgor

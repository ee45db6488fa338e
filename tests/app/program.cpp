#include "app/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

namespace turgor {
namespace {

[[noreturn]] void become_program(const std::vector<std::string>& words,
                                 const std::filesystem::path& folder) {
    std::vector<std::string> all{TURGOR_PROGRAM};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> arguments;
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int out = open((folder / "stdout.txt").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    const int err = open((folder / "stderr.txt").c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (chdir(folder.c_str()) == 0) execv(TURGOR_PROGRAM, arguments.data());
    _exit(127);
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

Outcome run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                    double interrupt_after) {
    const pid_t child = fork();
    if (child == 0) become_program(words, folder);
    if (interrupt_after >= 0) {
        std::this_thread::sleep_for(std::chrono::duration<double>(interrupt_after));
        kill(child, SIGINT);
    }
    int status = 0;
    waitpid(child, &status, 0);
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read_file(folder / "stdout.txt");
    outcome.err = read_file(folder / "stderr.txt");
    return outcome;
}

}  // namespace turgor

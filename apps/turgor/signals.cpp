#include "signals.hpp"

#include <csignal>

namespace turgor {
namespace {

volatile std::sig_atomic_t noted = 0;
constexpr int watched[] = {SIGINT, SIGTERM, SIGHUP};

void note(int signal) {
    noted = signal;
}

void set_handler(void (*handler)(int), int flags) {
    for (const int signal : watched) {
        struct sigaction now {};
        sigaction(signal, nullptr, &now);
        if (now.sa_handler == SIG_IGN) continue;  // e.g. under nohup
        struct sigaction action {};
        action.sa_handler = handler;
        action.sa_flags = flags;
        sigaction(signal, &action, nullptr);
    }
}

}  // namespace

SignalWatch::SignalWatch() {
    noted = 0;
    set_handler(note, static_cast<int>(SA_RESETHAND));
}
SignalWatch::~SignalWatch() {
    set_handler(SIG_DFL, 0);
}
int SignalWatch::received() {
    return noted;
}

}  // namespace turgor

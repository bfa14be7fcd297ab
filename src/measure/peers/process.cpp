// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>

#include "measure/basis/clock.hpp"
#include "measure/peers/library.hpp"
#include "measure/roofs/peaks.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

constexpr int patience_to_open = 20000, patience_to_run = 600000;  // milliseconds

template <std::size_t size>
void keep(char (&to)[size], const std::string& from) {
    std::snprintf(to, size, "%s", from.c_str());
}

bool send_all(int channel, const void* data, std::size_t size) {
    const char* at = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t sent = send(channel, at, size, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        at += sent;
        size -= static_cast<std::size_t>(sent);
    }
    return true;
}

/// False when the other end is gone or silent for `patience` milliseconds; -1 waits for ever.
bool receive_all(int channel, void* data, std::size_t size, int patience) {
    char* at = static_cast<char*>(data);
    while (size > 0) {
        pollfd waiting{channel, POLLIN, 0};
        const int ready = poll(&waiting, 1, patience);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t got = recv(channel, at, size, 0);
        if (got <= 0) return false;
        at += got;
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

/// The peer at work: its library and the operands of the task judged last.
class Bench {
public:
    explicit Bench(const PeerKind& kind, int threads)
        : library_(open_peer(kind, threads)), backend_(find_backend(kind.device)) {}

    PeerDescription description(const PeerKind& kind) const {
        PeerDescription told;
        keep(told.name, kind.name);
        keep(told.device, kind.device);
        keep(told.version, library_.version);
        keep(told.core_type, library_.core_type);
        keep(told.file, library_.file);
        keep(told.found_by, library_.found_by);
        keep(told.trouble, library_.trouble);
        told.multiplies_f32 = static_cast<bool>(library_.f32);
        told.multiplies_f64 = static_cast<bool>(library_.f64);
        return told;
    }

    Judgement judge(const Task& task) {
        operands_.reset();
        task_ = task;
        products_.clear();
        operands_ = std::make_unique<Operands>(task);
        if (const Status status = operands_->place_on(*backend_); !status) return {.trouble = status.text};
        for (std::int64_t i = 0; i < task.products; ++i)
            products_.push_back({operands_->a(i), operands_->b(i), operands_->c(i)});
        if (const Status status = operands_->poison_result(); !status) return {.trouble = status.text};
        const double start = now();
        if (!run_once()) return {.trouble = "its call fails"};
        const double taken = now() - start;
        if (const Status status = operands_->fetch_result(); !status) return {.trouble = status.text};
        Judgement judgement = judge_results(*operands_, task.products, promise(task.accuracy, task.type, task.k), 1);
        judgement.seconds = taken;
        return judgement;
    }

    double seconds(int passes) {
        double sum = 0, start = now();
        for (int pass = 0; pass < passes; ++pass) {
            if (task_.is_cold) {
                empty_caches();
                start = now();
            }
            if (!call()) return std::numeric_limits<double>::quiet_NaN();
            if (task_.is_cold) {
                wait();
                sum += now() - start;
            }
        }
        if (task_.is_cold) return sum;
        wait();
        return now() - start;
    }

private:
    /// A batch by the library's own call for one, else product after product.
    bool call() {
        const auto& multiply = task_.type == Type::f64 ? library_.f64 : library_.f32;
        const auto& multiply_batch = task_.type == Type::f64 ? library_.f64_batch : library_.f32_batch;
        const Product& first = products_.front();
        if (multiply_batch && task_.products > 1) return multiply_batch(first.a, first.b, first.c, task_.products);
        return multiply && std::all_of(products_.begin(), products_.end(),
                                       [&](const Product& x) { return multiply(x.a, x.b, x.c); });
    }
    bool wait() { return !backend_->wait || backend_->wait(nullptr).is_ok(); }
    bool run_once() { return call() && wait(); }

    struct Product {
        Matrix a, b, c;
    };

    PeerLibrary library_;
    const Backend* backend_;
    Task task_{};
    std::unique_ptr<Operands> operands_;
    std::vector<Product> products_;
};

}  // namespace

struct PeerProcess::Request {
    enum class What : int { judge, run } what;
    Task task;
    int passes;
};

struct PeerProcess::Reply {
    bool ok = false;
    double relative_error = 0, error_over_bound = 0, seconds = 0;
    char trouble[256] = "";
};

std::unique_ptr<PeerProcess> PeerProcess::start(const PeerKind& kind, int threads) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return nullptr;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        serve(kind, threads, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return nullptr;
    }
    auto process = std::unique_ptr<PeerProcess>(new PeerProcess(child, ends[0]));
    keep(process->description_.name, kind.name);
    keep(process->description_.device, kind.device);
    return process;
}

void PeerProcess::serve(const PeerKind& kind, int threads, int channel) {
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    signal(SIGINT, SIG_IGN);  // Ctrl-C is for the parent, which ends us
    Bench bench(kind, threads);
    const PeerDescription told = bench.description(kind);
    if (!send_all(channel, &told, sizeof told) || *told.trouble) _exit(0);
    Request request;
    while (receive_all(channel, &request, sizeof request, -1)) {
        Reply reply;
        try {
            if (request.what == Request::What::judge) {
                const Judgement judgement = bench.judge(request.task);
                reply.ok = judgement.ok;
                reply.relative_error = judgement.relative_error;
                reply.error_over_bound = judgement.error_over_bound;
                reply.seconds = judgement.seconds;
                keep(reply.trouble, judgement.trouble);
            } else {
                reply.seconds = bench.seconds(request.passes);
                reply.ok = true;
            }
        } catch (const std::bad_alloc&) {
            keep(reply.trouble, "no memory for the operands");
        }
        if (!send_all(channel, &reply, sizeof reply)) break;
    }
    _exit(0);
}

PeerProcess::~PeerProcess() {
    close(channel_);
    kill(child_, SIGKILL);  // also ends a stopped process
    waitpid(child_, nullptr, 0);
}

const PeerDescription& PeerProcess::description() {
    if (is_described_) return description_;
    is_described_ = true;
    PeerDescription told;
    if (receive_all(channel_, &told, sizeof told, patience_to_open)) description_ = told;
    else keep(description_.trouble, "it crashes, or does not answer, while it is opened");
    sleep();
    return description_;
}

bool PeerProcess::is_usable(Type type) {
    const PeerDescription& told = description();
    return !*told.trouble && (type == Type::f64 ? told.multiplies_f64 : type == Type::f32 && told.multiplies_f32);
}

bool PeerProcess::ask(const Request& request, Reply& reply, int patience) {
    const bool was_awake = is_awake_;
    wake();
    const bool answered =
        send_all(channel_, &request, sizeof request) && receive_all(channel_, &reply, sizeof reply, patience);
    if (!was_awake) sleep();
    return answered;
}

Judgement PeerProcess::judge(const Task& task) {
    Reply reply;
    if (!ask({Request::What::judge, task, 0}, reply, patience_to_run))
        return {.trouble = "its process ended while it multiplied"};
    return {reply.ok, reply.relative_error, reply.error_over_bound, reply.seconds, reply.trouble};
}

double PeerProcess::seconds(int passes) {
    Reply reply;
    const bool answered = ask({Request::What::run, {}, passes}, reply, patience_to_run);
    return answered && reply.ok ? reply.seconds : std::numeric_limits<double>::quiet_NaN();
}

void PeerProcess::wake() {
    if (!is_awake_) kill(child_, SIGCONT);
    is_awake_ = true;
}

void PeerProcess::sleep() {
    if (is_awake_) kill(child_, SIGSTOP);
    is_awake_ = false;
}

std::vector<std::shared_ptr<PeerProcess>> start_peers(const std::vector<std::string>& names, const std::string& device,
                                                      int threads, bool keep_troubled) {
    std::vector<std::shared_ptr<PeerProcess>> started;
    for (const PeerKind& kind : peer_kinds()) {
        const bool is_named = names.empty() || std::find(names.begin(), names.end(), kind.name) != names.end();
        if (!is_named || (!device.empty() && device != kind.device)) continue;
        if (std::shared_ptr<PeerProcess> process = PeerProcess::start(kind, threads))
            started.push_back(std::move(process));
    }
    std::erase_if(started,
                  [keep_troubled](const auto& peer) { return !keep_troubled && *peer->description().trouble != '\0'; });
    return started;
}

PeerEntrant::PeerEntrant(std::shared_ptr<PeerProcess> process, const Task& task) : process_(std::move(process)) {
    const PeerDescription& told = process_->description();
    provider = told.name;
    device = told.device;
    kernel = told.name;
    for (const char* word : {told.version, told.core_type})
        if (*word) kernel.append(" ").append(word);
    products = task.products;
    if (products > 1) kernel += batch_mark;
    char text[40];
    spell(resolve(task.accuracy, task.type), text, sizeof text);
    accuracy = text;
    if (device == "cpu") needs = fma_loop(name_of(task.type)).needs;
}

}  // namespace tw::measure

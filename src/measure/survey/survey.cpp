// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/survey.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/element.hpp"
#include "measure/basis/statistics.hpp"
#include "measure/survey/device_name.hpp"
#include "measure/survey/host_peers.hpp"
#include "measure/survey/samples.hpp"
#include "measure/survey/stretch.hpp"
#include "scheme/scheme.hpp"

namespace tw::measure {
namespace {

constexpr std::size_t device_memory = std::size_t{24} << 30, host_memory = std::size_t{5} << 28,
                      workspace_bytes = std::size_t{64} << 20;
constexpr double most_for_candidates = 0.6;  // seconds
constexpr double turns_for_a_candidate = 0.15;

/// All that is needed for the whole survey.
struct Session {
    const Survey& asked;
    Queue queue;
    std::unique_ptr<OperandMemory> operands{};
    Memory workspace{};
    std::unique_ptr<CublasHere> cublas{};
    std::unique_ptr<HostPeers> host{};
};

/// The peer's ways to multiply, timed one after the other, and the fastest of them.
struct Peer {
    std::vector<std::unique_ptr<Side>> sides{};
    std::optional<Stretch> best{};

    /// Skips ways that refuse the product. Fails when all do, or the device does.
    Status choose(const std::vector<Set>& sets, const Queue& queue, double seconds) {
        Status last{Code::unsupported, Argument::none, "the peer has no way to do it"};
        double spent = 0;
        for (const auto& side : sides) {
            if (best && spent > most_for_candidates && side != sides.back()) continue;
            Stretch one(*side, sets, queue);
            if (const Status bad = one.warm_up(seconds); !bad) {
                last = bad;
                continue;
            }
            if (one.is_worth_recording() && queue.can_record())
                if (const Status bad = one.record(); !bad) last = bad;
            spent += 4 * one.each();
            if (one.each() < seconds)
                if (const Status bad = one.run(seconds); !bad) {
                    last = bad;
                    continue;
                }
            if (!best || one.each() < best->each()) best.emplace(one);
        }
        return best ? Status{} : last;
    }
};

double our_bound(const Case& what) { return promise(what.kind->accuracy, what.kind->type, what.k); }

/// The peer promises no accuracy: it may sum parts of k in the result's type.
double peers_bound(const Case& what) {
    constexpr double parts = 32;
    return 2 * our_bound(what) + parts * range_of(what.kind->type).unit / std::sqrt(static_cast<double>(what.k));
}

/// Has the judge check the first set's product; false: the reason is in `outcome`.
bool passes(const Session& session, const Set& set, const Samples& samples, Stretch& stretch, double bound,
            Outcome& outcome) {
    Samples::Found found;
    Status status = session.operands->poison(outcome.what, set);
    if (status) status = stretch.run_first(outcome.what);
    if (status) status = samples.judge(bound, session.asked.threads, found);
    outcome.trouble = status ? found.trouble : status.text;
    if (bound == our_bound(outcome.what))
        outcome.error_over_bound = std::max(outcome.error_over_bound, found.error_over_bound);
    outcome.is_wrong = status && !found.trouble.empty() && bound == our_bound(outcome.what);
    return outcome.trouble.empty();
}

Status measure_case(const Session& session, Outcome& outcome) {
    const Case& what = outcome.what;
    const Queue& queue = session.queue;
    std::vector<Set> sets;
    if (const Status bad = session.operands->lay_out(what, sets); !bad) return bad;
    OurSide side(what, session.asked.is_reproducible, session.asked.threads, queue);
    if (const Status bad = side.prepare(sets.front()); !bad) return bad;
    outcome.kernel = side.name;

    Samples samples;
    if (const Status bad = session.operands->poison(what, sets.front()); !bad) return bad;
    if (const Status bad = samples.fetch(*session.operands, what, sets.front()); !bad) return bad;
    Stretch ours(side, sets, queue);
    if (!passes(session, sets.front(), samples, ours, our_bound(what), outcome)) return {};
    if (const Status bad = ours.warm_up(turns_for_a_candidate * session.asked.turn); !bad) return bad;

    Peer peer;
    if (session.cublas || session.host) {
        peer.sides = session.host ? session.host->sides(what, sets, session.asked.threads)
                                  : cublas_sides(*session.cublas, what, sets.front());
        if (const Status bad = peer.choose(sets, queue, turns_for_a_candidate * session.asked.turn); !bad) return bad;
        outcome.peer = peer.best->side().name;
    }
    Stretch* const theirs = peer.best ? &*peer.best : nullptr;
    if (queue.can_record())
        if (const Status bad = record_both(ours, theirs); !bad) outcome.note = std::string("no graph: ") + bad.text;
    outcome.is_recorded = ours.is_recorded();
    if (outcome.is_recorded && !passes(session, sets.front(), samples, ours, our_bound(what), outcome)) {
        outcome.trouble = "replayed from a graph: " + outcome.trouble;
        return {};
    }
    if (theirs && !passes(session, sets.front(), samples, *theirs, peers_bound(what), outcome)) {
        outcome.trouble = "the peer's result: " + outcome.trouble;
        return {};
    }
    Turns turns;
    if (const Status bad = take_turns(ours, theirs, session.asked.turn, turns); !bad) return bad;
    outcome.seconds = std::move(turns.ours), outcome.peer_seconds = std::move(turns.theirs);
    return {};
}

Opened open(Session& session) {
    const Backend& backend = *session.asked.backend;
    if (const Status bad = session.queue.open(); !bad) return {.trouble = bad.text};
    Opened opened{.device = device_name(backend)};
    if (session.asked.peer == SurveyPeer::libraries) {
        session.host = std::make_unique<HostPeers>(session.asked.threads);
        if (session.host->is_empty()) return {.trouble = "no peer is found: see tw bench --peers"};
        opened.peer = session.host->names(), opened.file = session.host->files();
    } else if (session.asked.peer == SurveyPeer::cublas) {
        session.workspace = Memory(backend, workspace_bytes);
        if (!session.workspace.data()) return {.trouble = "the device has no memory for the peer"};
        session.cublas =
            CublasHere::open(session.queue.stream(), session.workspace.data(), workspace_bytes, opened.trouble);
        if (!session.cublas) return {.trouble = "cublas: " + opened.trouble};
        opened.peer = "cublas " + session.cublas->version();
        opened.file = session.cublas->file();
    }
    session.operands = std::make_unique<OperandMemory>(session.queue, backend.alloc ? device_memory : host_memory);
    if (!session.operands->status()) opened.trouble = session.operands->status().text;
    return opened;
}

}  // namespace

double Outcome::ratio() const { return median(peer_seconds) / median(seconds); }
double Outcome::gflops() const { return what.operations() / median(seconds) * 1e-9; }

Opened survey(const Survey& asked, const Watch& watch, const std::function<void(const Opened&)>& opened,
              const std::function<void(const Outcome&)>& done) {
    Session session{.asked = asked, .queue = Queue(*asked.backend, asked.threads)};
    const Opened what = open(session);
    if (!what.trouble.empty()) return what;
    opened(what);
    for (std::size_t i = 0; i < asked.cases.size() && !watch.is_interrupted(); ++i) {
        Outcome outcome{.what = asked.cases[i]};
        watch.say(outcome.what.kind->name + (" " + outcome.what.text()),
                  static_cast<double>(i) / static_cast<double>(asked.cases.size()));
        if (const Status bad = measure_case(session, outcome); !bad) outcome.trouble = bad.text;
        done(outcome);
    }
    return what;
}

}  // namespace tw::measure

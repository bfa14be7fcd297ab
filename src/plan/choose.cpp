// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// choose: the cheapest row whose certificate keeps the promise.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "backend/direct.hpp"
#include "base/cores.hpp"
#include "base/environment.hpp"
#include "base/remembered.hpp"
#include "base/threads.hpp"
#include "plan/choose.hpp"
#include "plan/eligibility.hpp"
#include "plan/names.hpp"
#include "plan/operands.hpp"
#include "plan/pace_store.hpp"
#include "plan/registry.hpp"
#include "plan/rows_by_pace.hpp"
#include "plan/slabs.hpp"
#include "plan/store.hpp"
#include "tilewright/plan.hpp"

namespace tw {
namespace {

const Backend* backend_for(const Problem& problem, std::string_view device) noexcept {
    if (!device.empty()) return find_backend(backend_part(device));
    for (const BackendSource& source : backends())
        if (source.place == problem.place) return &source();
    return nullptr;
}

constexpr Status no_backend{Code::no_device, Argument::options, "no backend of this build has that name"};
constexpr Status no_devices{Code::no_device, Argument::options, "the backend finds no device on this machine"};
constexpr Status no_such_device{Code::no_device, Argument::options,
                                "the number after the colon is no device of this machine"};
constexpr Status all_devices{Code::unsupported, Argument::options,
                             "a plan, a batch and a packed operand are one device's; `:*` is for single products"};
constexpr Status no_such_kernel{Code::unsupported, Argument::options,
                                "no kernel of that name can do this product on this machine"};
constexpr Status not_slabs{Code::bad_argument, Argument::options,
                           "slabs must be 0 or a power of two up to 1024: k is halved again and again"};
constexpr Status not_accuracy{Code::bad_argument, Argument::options,
                              "the accuracy is no name of the dial and no positive number"};
constexpr Status no_row_for_slabs{
    Code::unsupported, Argument::options,
    "slabs are multiplied by kernels whose bits follow from k alone, as with `reproducible`; none of those that may be "
    "taken can do this product at that accuracy"};
constexpr Status promise_too_high{Code::unsupported, Argument::options, "no kernel here keeps that accuracy"};

/// What a kernel must meet to be chosen.
struct Criteria {
    Problem problem;
    std::string_view name;  ///< empty: any kernel
    bool promised;          ///< the certificate must stay under the promise
    int threads;
    int order = 0;  ///< 0: any order of summation
};

struct Choice {
    const Kernel* kernel = nullptr;
    double nanoseconds = std::numeric_limits<double>::infinity();
    bool one_broke_the_promise = false;
};

/// Widening whole operands, and rounding a whole C, reads and writes them once more: on a device by passes of their
/// own, on a host through memory if they are more than caches keep.
double converting(const Kernel& kernel, const Problem& p, int threads) noexcept {
    constexpr double kept = 1 << 19;  // elements of f32
    if (kernel.widens || (kernel.in == p.in && kernel.out == p.out)) return 0;
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double elements = m * k + n * k + (kernel.out == p.out ? 0 : m * n);
    if (p.place != Place::host) return 9000 + 0.004 * elements;
    return (elements > kept ? 0.4 : 0.1) * elements / threads;
}

double cost_of(const Kernel& kernel, const Problem& p, int threads) noexcept {
    return kernel.nanoseconds(p, threads) + converting(kernel, p, threads);
}

/// Starts at the top of the ladder, where the fast kernels are: a kernel that is slower is asked nothing else.
Choice cheapest(const Backend& backend, const Criteria& criteria, bool any_order) noexcept {
    Choice best;
    const Features present = backend.features();
    for (auto at = backend.ladder.rbegin(); at != backend.ladder.rend(); ++at) {
        const Kernel* const kernel = *at;
        if (!criteria.name.empty() && !answers_to(*kernel, criteria.name)) continue;
        if (!any_order && (criteria.order ? kernel->order != criteria.order : kernel->order == 0)) continue;
        if (!fits(present, *kernel, criteria.problem)) continue;
        const double cost = cost_of(*kernel, criteria.problem, criteria.threads);
        if (best.kernel && !(cost < best.nanoseconds)) continue;
        if (criteria.promised && !keeps_promise(*kernel, criteria.problem)) {
            best.one_broke_the_promise = true;
            continue;
        }
        best.kernel = kernel, best.nanoseconds = cost;
    }
    return best;
}

/// The order of summation must not depend on m or n, so it is the one of a large square product of the same k. On a
/// host 32 rows, for which a matrix unit must cut and pack all of B, count as much: what takes both the least time, in
/// the mean, by one thread.
Choice cheapest_reproducible(const Backend& backend, Criteria criteria) noexcept {
    constexpr std::int64_t few = 32, large = 4096;
    const auto of_rows = [&](std::int64_t rows, int order) {
        Problem model = criteria.problem;
        model.m = rows, model.n = large;
        model.a = model.b = model.c = Form::row_major;
        return cheapest(backend, {model, criteria.name, criteria.promised, 1, order}, false);
    };
    const Choice square = of_rows(large, 0);
    if (!square.kernel) return square;
    criteria.order = square.kernel->order;
    if (backend.place == Place::host) {
        const Choice rows = of_rows(few, 0);
        const int order = rows.kernel ? rows.kernel->order : criteria.order;
        if (order != criteria.order && of_rows(large, order).nanoseconds * rows.nanoseconds <
                                           square.nanoseconds * of_rows(few, criteria.order).nanoseconds)
            criteria.order = order;
    }
    return cheapest(backend, criteria, false);
}

/// The order must not depend on the number of threads either, so it is the one by whose best kernels one thread and all
/// of the machine's take the least time, in the mean. A product that takes one thread less than this is not worth
/// further searches.
Choice cheapest_for_threads(const Backend& backend, Criteria criteria) noexcept {
    constexpr double worth_sharing = 20'000;
    const Problem& p = criteria.problem;
    const auto by = [&](int threads, int order) {
        return cheapest(backend, {p, criteria.name, criteria.promised, threads, order}, order == 0);
    };
    Choice best = by(1, 0);
    if (!best.kernel || best.nanoseconds < worth_sharing) return best;
    if (const int all = p.place == Place::host ? processors_of_machine() : 1; all > 1) {
        const Choice shared = by(all, 0);
        // An order is as quick as its best kernels; those without one stand for themselves.
        const auto takes = [&](const Kernel& kernel, int threads) {
            return kernel.order ? by(threads, kernel.order).nanoseconds : cost_of(kernel, p, threads);
        };
        if (shared.kernel->order != best.kernel->order &&
            takes(*shared.kernel, 1) * shared.nanoseconds < best.nanoseconds * takes(*best.kernel, all))
            best = shared;
    }
    if (best.kernel->order == 0) return best;
    criteria.order = best.kernel->order;
    return cheapest(backend, criteria, false);
}

Choice choose(const Backend& backend, const Criteria& criteria, bool reproducible) noexcept {
    return reproducible ? cheapest_reproducible(backend, criteria) : cheapest_for_threads(backend, criteria);
}

Problem with_terms(Problem problem) noexcept {
    for (std::int64_t* extent : {&problem.m, &problem.n, &problem.k}) *extent = std::max<std::int64_t>(1, *extent);
    return problem;
}

/// A row of that order that sums several slabs in one call, where all slabs are cheaper so than one by one. Calls one
/// after another take no less than the row's one call for all of k: threads wait for each other behind each of them.
const Kernel* cheaper_at_once(const Backend& backend, const Criteria& slab, std::int64_t k, int slabs,
                              const Choice& one) noexcept {
    Problem whole = slab.problem;
    whole.k = k;
    const Kernel* best = one.kernel;
    double least = std::max(one.nanoseconds * slabs, best->nanoseconds(whole, slab.threads));
    for (const Kernel* kernel : backend.ladder) {
        const Tile tile = kernel->tiles.empty() ? Tile{} : kernel->tiles.front();
        const bool in_one_call = nodes_at_once(*kernel, whole, tile, slab.threads, slabs) > 1;
        const int at_once = in_one_call ? slabs : slabs_at_once(*kernel, k, slabs);
        if (at_once == 1 || kernel->order != one.kernel->order || !fits(backend.features(), *kernel, slab.problem) ||
            (slab.promised && !keeps_promise(*kernel, slab.problem)))
            continue;
        Problem node = slab.problem;
        node.k = longest_slab(k, slabs / at_once);
        const double cost = std::max(kernel->nanoseconds(node, slab.threads) * (slabs / at_once),
                                     kernel->nanoseconds(whole, slab.threads));
        if (cost < least) best = kernel, least = cost;
    }
    return best;
}

/// The row of the slabs that are one of k shorter: chosen by their own k, as a part of k that has no other would be.
Status choose_for_shorter(const Criteria& criteria, Plan& plan) noexcept {
    const int slabs = plan.options.slabs;
    const std::int64_t k = plan.problem.k;
    plan.of_shorter = nullptr;
    if (!has_slabs(plan.options) || k < slabs || k % slabs == 0) return {};
    const Criteria shorter{with_terms(problem_of_slab(plan.problem, slabs, shortest_slab(k, slabs))), criteria.name,
                           criteria.promised, criteria.threads};
    const Choice choice = cheapest_reproducible(*plan.backend, shorter);
    if (!choice.kernel) return no_row_for_slabs;
    if (choice.kernel->order != plan.kernel->order || !can_run(*plan.backend, *plan.kernel, shorter.problem))
        plan.of_shorter = choice.kernel;
    return {};
}

constinit Remembered<const char*> forced;

std::string_view forced_by_environment() noexcept {
    return forced.get([] {
        const char* name = environment("TW_KERNEL");
        return name ? name : "";
    });
}

/// A choice of this thread's. A small product is often followed by another of its shape, and choosing would take longer
/// than the product. All that a choice depends on is in the key or fixed for the process.
struct LastChoice {
    Problem problem;
    int asked_threads;
    bool reproducible;
    Features features;       ///< of the device that was current; a host's are fixed
    const Backend* backend;  ///< null: none yet
    const Kernel* kernel;
    std::string_view device, name;  ///< of backend and kernel, as string views so that their lengths are known
    Tile tile;
    int threads;
    const char* reason;
    Direct direct;

    bool answers(const Options& options, int allowed) const noexcept {
        return backend && asked_threads == allowed && reproducible == is_reproducible(options);
    }
    bool is_of_this_device() const noexcept { return problem.place == Place::host || features == backend->features(); }
};
/// On the CPU one for single-threaded and one for multi-threaded calls.
constinit thread_local LastChoice last_choices[2]{};
/// On a device the shapes of a network's layers come round again and again.
constinit thread_local LastChoice last_choices_on_devices[16]{};

LastChoice& last_choice(const Problem& p, int threads) noexcept {
    if (p.place == Place::host) return last_choices[threads == 1];
    std::uint64_t mixed = static_cast<std::uint64_t>(p.in);
    for (const std::int64_t extent : {p.m, p.n, p.k})
        mixed = (mixed ^ static_cast<std::uint64_t>(extent)) * 0x9e3779b97f4a7c15;
    return last_choices_on_devices[mixed >> 60];
}

bool may_be_remembered(const Options& options, Place place) noexcept {
    return options.kernel.empty() && options.slabs < 2 &&
           (options.device.empty() || (place == Place::host && options.device == "cpu"));
}

Status check_problem(const Problem& p) noexcept {
    constexpr auto bad = [](const char* text) { return Status{Code::bad_argument, Argument::none, text}; };
    if (p.m < 0 || p.n < 0 || p.k < 0) return bad("a dimension is negative");
    if (!copy_fits(p.m, p.k) || !copy_fits(p.k, p.n) || !copy_fits(p.m, p.n))
        return bad("the shape does not fit into an address");
    if (p.in > last_type || p.out > last_type) return bad("a type is none of f64, f32, f16, bf16, c64 and c128");
    if (!types_go_together(p.in, p.out)) return bad("C's type must be A's, or f32 for narrower operands");
    return {};
}

/// As parse_accuracy() reads them: of what isn't finite nothing would be promised.
bool is_accuracy(Accuracy accuracy) noexcept {
    return accuracy.rule != Accuracy::Rule::number || (accuracy.value > 0 && std::isfinite(accuracy.value));
}

bool has_rows(const Backend& backend, Type type) noexcept {
    return std::any_of(backend.ladder.begin(), backend.ladder.end(), [type](const Kernel* k) { return k->in == type; });
}

int threads_of(const Options& options) noexcept {
    return options.threads > 0 ? std::min(options.threads, most_threads) : default_threads();
}

}  // namespace

void follow_record(const Tuned& record, const Problem& problem, Plan& plan) noexcept {
    for (const Kernel* kernel : plan.backend->ladder) {
        if (!is_called(*kernel, record.kernel)) continue;
        const bool is_tile = std::find(kernel->tiles.begin(), kernel->tiles.end(), record.tile) != kernel->tiles.end();
        const bool keeps_bits =
            kernel->order == plan.kernel->order && (kernel->order != 0 || !plan.options.reproducible);
        if (!is_tile || !keeps_bits || !can_run(*plan.backend, *kernel, problem) || !keeps_promise(*kernel, problem))
            return;
        plan.kernel = kernel;
        plan.options.kernel = kernel->name;
        plan.tile = record.tile;
        plan.threads = std::min(plan.threads, record.threads);
        plan.reason = "tuned on this machine";
        return;
    }
}

const Direct* remembered_direct(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    if (!may_be_remembered(options, Place::host)) return nullptr;
    const int threads = threads_of(options);
    const LastChoice& last = last_choices[threads == 1];
    const bool is_it = last.answers(options, threads) && last.problem.accuracy == options.accuracy &&
                       are_as_planned(last.direct, last.problem, a, b, c);
    return is_it ? &last.direct : nullptr;
}

bool names_kernel(const Options& options) noexcept {
    return !options.kernel.empty() || !forced_by_environment().empty();
}

Status try_plan(const Problem& problem, const Options& options, Plan& plan) noexcept {
    // First, since nothing that it looks at is in the key of what is remembered.
    if (const Status bad = check_types(problem.in, options); !bad) return bad;
    const int threads = threads_of(options);
    const bool remembers = may_be_remembered(options, problem.place);
    LastChoice& last = last_choice(problem, threads);
    if (remembers && last.answers(options, threads) && last.problem == problem && last.is_of_this_device()) {
        plan.problem = problem;
        plan.options = options;
        plan.options.reproducible = last.reproducible;
        plan.options.device = last.device;
        plan.options.kernel = last.name;
        plan.backend = last.backend, plan.kernel = last.kernel, plan.tile = last.tile;
        plan.threads = last.threads, plan.device = -1, plan.reason = last.reason, plan.of_shorter = nullptr;
        set_direct(plan, last.direct);
        return {};
    }
    if (const Status bad = check_problem(problem); !bad) return bad;
    if (!may_be_slabs(options.slabs)) return not_slabs;
    if (!is_accuracy(problem.accuracy)) return not_accuracy;
    const Backend* backend = backend_for(problem, options.device);
    if (!backend) return no_backend;
    if (backend->devices() == 0) return no_devices;

    if (options.device.ends_with(":*")) return all_devices;
    if (is_complex(problem.in) && !has_rows(*backend, problem.in)) return no_complex;
    const int device = device_part(options.device);
    if (device < -1 || device >= backend->devices()) return no_such_device;

    const std::string_view name = !options.kernel.empty() ? options.kernel : forced_by_environment();

    // A kernel asked for by name may break the default promise, but not one that the caller made.
    const bool promised = name.empty() || problem.accuracy.rule != Accuracy::Rule::automatic;

    use_stored_pace();
    // Kernels are asked about k of at least 1: a product with k = 0 runs no kernel.
    const Problem of_kernel = problem_of_kernel(problem, options);
    const Criteria criteria{with_terms(of_kernel), name, promised, threads};
    Choice choice = choose(*backend, criteria, is_reproducible(options));
    if (!choice.kernel && options.slabs > 0) return no_row_for_slabs;
    if (!choice.kernel) return name.empty() || choice.one_broke_the_promise ? promise_too_high : no_such_kernel;

    if (has_slabs(options) && name.empty())
        choice.kernel = cheaper_at_once(*backend, criteria, problem.k, options.slabs, choice);
    else if (const Pace* const pace = name.empty() ? pace_of_rows(*backend) : nullptr)
        choice.kernel = quickest_by_pace(*backend, criteria.problem, threads, choice.kernel, *pace);

    plan.problem = problem;
    plan.options = options;
    plan.options.reproducible = is_reproducible(options);
    plan.options.device = backend->name;  // static text: the plan may outlive the caller's string
    plan.options.kernel = choice.kernel->name;
    plan.backend = backend;
    plan.kernel = choice.kernel;
    plan.tile = choice.kernel->tiles.empty() ? Tile{} : choice.kernel->tiles.front();
    plan.threads = threads;
    plan.device = device;
    plan.reason = name.empty() ? "the cheapest that keeps the promise" : "asked for by name";
    if (const Store* store = name.empty() ? tuning_store() : nullptr)
        if (const Tuned* record = find_tuned(*store, of_kernel, threads)) follow_record(*record, of_kernel, plan);
    if (const Status none = choose_for_shorter(criteria, plan); !none) return none;
    const bool as_they_are = plan.kernel->in == problem.in && plan.kernel->out == problem.out;
    const bool has_terms = problem.m > 0 && problem.n > 0 && problem.k > 0 && !has_slabs(options);
    set_direct(plan,
               plan.kernel->direct && as_they_are && has_terms ? plan.kernel->direct(problem, plan.threads) : Direct{});
    if (remembers)
        last = {problem,
                threads,
                plan.options.reproducible,
                backend->features(),
                backend,
                plan.kernel,
                plan.options.device,
                plan.options.kernel,
                plan.tile,
                plan.threads,
                plan.reason,
                direct_of(plan)};
    return {};
}

Plan plan(const Problem& problem, const Options& options) {
    Plan made;
    const Matrix a{nullptr, problem.in, problem.m, problem.k, problem.k},
        b{nullptr, problem.in, problem.k, problem.n, problem.n},
        c{nullptr, problem.out, problem.m, problem.n, problem.n};
    check(try_plan(problem, options, made), a, b, c, options);
    return made;
}

Problem problem_of(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    return problem_at(place_of(c.data), a, b, c, options);
}

}  // namespace tw

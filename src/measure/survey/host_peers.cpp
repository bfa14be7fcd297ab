// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/host_peers.hpp"

#include <map>

#include "base/narrow_runs.hpp"
#include "measure/basis/idle.hpp"
#include "measure/basis/places.hpp"

namespace tw::measure {
namespace {

using Multiply = PeerLibrary::General;

class LibrarySide : public Side {
public:
    LibrarySide(const Case& what, const std::string& its_name, PeerLibrary& library, int threads)
        : what_(what), library_(library), multiply_(library.general(what.kind->type)), has_workers_(threads != 1) {
        name = its_name;
    }
    void make_ready() override {
        if (!has_workers_) return;
        ours_ = processors_here();
        stay_on(library_.processors);
    }
    Status begin(const Set& set) override {
        for (std::int64_t i = 0; i < what_.products; ++i)
            if (!multiply_(set.a_of(i), set.b_of(i), set.c_of(i), what_.beta))
                return {Code::unsupported, Argument::none, "its call refuses the product"};
        return {};
    }
    void settle() override {
        if (!has_workers_) return;
        wait_until_idle();
        library_.processors = processors_here();  // an OpenMP may have bound this thread at its first product
        stay_on(ours_);
    }

private:
    const Case& what_;
    PeerLibrary& library_;
    const Multiply& multiply_;
    bool has_workers_;
    Processors ours_;
};

/// Our own f32 product where no library has the type. The result goes to the caller's C at once, so that the judge has
/// something to judge; of a batch this is done product by product.
class WidenedSide : public Side {
public:
    WidenedSide(const Case& what, const std::vector<Set>& sets, int threads)
        : options_{.beta = what.beta, .device = "cpu", .threads = threads} {
        name = "tilewright in f32";
        for (const Set& set : sets)
            for (std::int64_t i = 0; i < what.products; ++i)
                copies_[&set].push_back({widened(set.a_of(i)), widened(set.b_of(i)), widened(set.c_of(i))});
    }
    Status begin(const Set& set) override {
        for (const Copy& one : copies_.at(&set))
            if (const Status bad = try_multiply(one.a.at, one.b.at, one.c.at, options_); !bad) return bad;
        return {};
    }
    /// Not timed: the product once more, with the C that is there now, to where the judge looks for it.
    void show(const Set& set) override {
        const std::vector<Copy>& copies = copies_.at(&set);
        const auto each = [&](const auto& body) {
            for (std::size_t i = 0; i < copies.size(); ++i)
                body(set.c_of(static_cast<std::int64_t>(i)), copies[i].c.at);
        };
        each([](const Matrix& c, const Matrix& wide) { widen_matrix(wide, c); });
        if (!begin(set)) return;
        each([](const Matrix& c, const Matrix& wide) { round_matrix(c, wide); });
    }

private:
    struct Wide {
        std::vector<float> elements;
        Matrix at{};
    };
    struct Copy {
        Wide a, b, c;
    };
    static Wide widened(const Matrix& from) {
        Wide wide;
        const bool by_columns = from.row_step == 1 && from.col_step != 1;
        wide.elements.resize(static_cast<std::size_t>(from.rows * from.cols));
        const std::int64_t pitch = by_columns ? from.rows : from.cols;
        wide.at = {wide.elements.data(),  Type::f32, from.rows, from.cols, by_columns ? 1 : pitch,
                   by_columns ? pitch : 1};
        widen_matrix(wide.at, from);
        return wide;
    }

    Options options_{};
    std::map<const Set*, std::vector<Copy>> copies_;
};

}  // namespace

HostPeers::HostPeers(int threads) {
    const Processors ours = processors_here();
    for (const PeerKind& kind : peer_kinds()) {
        if (kind.device != std::string_view("cpu")) continue;
        PeerLibrary library = open_peer(kind, threads);
        if (library.trouble.empty() && library.multiplies_any_way())
            libraries_.push_back({kind.name, std::move(library)});
        stay_on(ours);
    }
    if (threads == 1) take_places(1);  // all sides on the same processor
}

std::string HostPeers::names() const {
    std::string all;
    for (const Named& one : libraries_)
        all += (all.empty() ? "" : ", ") + one.name + " " + one.library.version +
               (one.library.core_type.empty() ? "" : " (" + one.library.core_type + ")");
    return all;
}

std::string HostPeers::files() const {
    std::string all;
    for (const Named& one : libraries_) all += (all.empty() ? "" : ", ") + one.library.file;
    return all;
}

std::vector<std::unique_ptr<Side>> HostPeers::sides(const Case& what, const std::vector<Set>& sets, int threads) {
    std::vector<std::unique_ptr<Side>> all;
    if (is_narrow(what.kind->type)) {
        all.push_back(std::make_unique<WidenedSide>(what, sets, threads));
        return all;
    }
    for (Named& one : libraries_)
        if (one.library.general(what.kind->type))
            all.push_back(std::make_unique<LibrarySide>(what, one.name, one.library, threads));
    return all;
}

}  // namespace tw::measure

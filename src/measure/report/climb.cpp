// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The ladder: a bar for each row, and a card for each rung with its idea, animation, main loop and figures.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "measure/report/report.hpp"
#include "measure/report/rung_sources.hpp"
#include "measure/rows/gains.hpp"
#include "plan/names.hpp"

namespace tw::measure {
namespace {

/// The tiles of a rung on a matrix of 12 x 12: a block of BM x BN x BK, and the part of it, TM x TN x TK, at work.
struct Picture {
    std::string_view of;
    int BM, BN, BK, TM, TN, TK;
    bool has_next;
    const char* note;
};
constexpr Picture pictures[] = {
    {"r1_naive", 1, 1, 12, 1, 1, 1, false, "Each result is finished before the next begins; nothing read is kept."},
    {"r2_coalesced", 1, 12, 12, 1, 12, 1, false, "Neighbours in memory are read together."},
    {"r3_tiled", 4, 4, 4, 4, 4, 4, false, "The tiles are copied once and used by every result of the tile."},
    {"r4_register_tile", 4, 4, 12, 4, 4, 1, false, "The sums stay in registers while k runs."},
    {"r5_register_block", 6, 6, 4, 3, 3, 1, false, "Register tiles walk inside blocks that stay near."},
    {"r6_vectorized", 6, 8, 12, 3, 8, 1, false,
     "Neighbours are loaded together, as vectors; an element of A meets all of a row's piece."},
    {"r7_hierarchical", 6, 12, 4, 3, 4, 1, false, "Tiles within tiles: one for each level of memory."},
    {"r8_matrix_unit", 8, 8, 4, 4, 4, 4, false, "One instruction multiplies whole small matrices."},
    {"r9_async_pipeline", 6, 6, 4, 6, 6, 4, true, "While a tile is multiplied, the next one (pale) is on its way."},
    {"r9_plain_loads", 6, 6, 4, 6, 6, 4, false, "All threads bring a tile, then all multiply."},
    {"r10_split", 6, 6, 4, 3, 3, 4, false,
     "Each element is a sum of narrow parts, and their products are added smallest first."},
    {"few_rows", 2, 12, 4, 2, 4, 2, false, "B is read once, for all of the few rows of A."},
};

/// The picture of the kernel's file if it has its own, else the rung's.
std::string walk_of(const std::string& rung, std::string_view file) {
    const auto is_of = [](std::string_view name) { return [=](const Picture& w) { return w.of == name; }; };
    const Picture* of = std::find_if(std::begin(pictures), std::end(pictures), is_of(file));
    if (of == std::end(pictures)) of = std::find_if(std::begin(pictures), std::end(pictures), is_of(rung));
    if (of == std::end(pictures)) return "";
    const Picture& w = *of;
    const std::string data = fmt::format(
        "{{\"BM\":{},\"BN\":{},\"BK\":{},\"TM\":{},\"TN\":{},\"TK\":{},\"next\":{},\"note\":\"{}\",\"label\":\"How "
        "{} walks over A, B and C\"}}",
        w.BM, w.BN, w.BK, w.TM, w.TN, w.TK, w.has_next ? "true" : "false", w.note, rung);
    return fmt::format(
        "<div class=\"walk\" data-walk=\"{}\"><div class=\"picture\"></div><div class=\"controls\">"
        "<button type=\"button\">Back</button><button type=\"button\">Play</button><button "
        "type=\"button\">Next</button>"
        "<input type=\"range\" min=\"1\" value=\"1\" aria-label=\"Step\"></div>"
        "<output aria-live=\"polite\"></output></div>",
        escaped(data));
}

const RooflinePoint* point_of(const ReportData& data, const std::string& kernel) {
    for (const RooflinePoint& point : data.points)
        if (point.kernel == kernel) return &point;
    return nullptr;
}

std::string bars(const std::vector<const Row*>& rows) {
    double most = 0;
    for (const Row* row : rows) most = std::max(most, row->gflops);
    std::string text = "<ul class=\"bars\">\n";
    for (const Row* row : rows)
        text += fmt::format(
            "<li{}><span class=\"name mono\">{}</span><span class=\"track\"><span class=\"bar\" "
            "style=\"width:{:.2f}%\"></span>"
            "<span class=\"value\">{} <small>{}</small></span></span></li>\n",
            row->provider == "tilewright" ? "" : " class=\"peer\"", escaped(row->kernel), 72 * row->gflops / most,
            in_figures(row->gflops), share_of_peak(row->fraction_of_peak));
    return text + "</ul>\n";
}

std::string table(const std::vector<const Row*>& rows) {
    std::string text =
        "<details><summary>The climb as a table</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th "
        "scope=\"col\">Kernel</th>"
        "<th scope=\"col\" class=\"n\">GFLOP/s</th><th scope=\"col\" class=\"n\">95 % interval</th><th scope=\"col\" "
        "class=\"n\">Of peak</th>"
        "<th scope=\"col\" class=\"n\">Of its unit</th><th scope=\"col\" class=\"n\">Error, of "
        "bound</th></tr></thead><tbody>\n";
    for (const Row* row : rows)
        text += fmt::format(
            "<tr><th scope=\"row\" class=\"mono\">{}</th><td class=\"n\">{}</td><td class=\"n\">{} to {}</td><td "
            "class=\"n\">{}</td>"
            "<td class=\"n\">{}</td><td class=\"n\">{:.3f}</td></tr>\n",
            escaped(row->kernel), in_figures(row->gflops), in_figures(row->gflops_low), in_figures(row->gflops_high),
            share_of_peak(row->fraction_of_peak), share_of_peak(row->fraction_of_unit_peak), row->error_over_bound);
    return text + "</tbody></table></div></details>\n";
}

std::string sentence_from(std::string words) {
    if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
    return words;
}

std::string fact(const char* name, const std::string& value) {
    return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, value);
}

std::string code_of(const std::string& device, const Kernel* kernel) {
    const std::string heart = kernel ? heart_of(device, std::string(file_of(*kernel))) : "";
    if (heart.empty()) return "";
    return "<pre tabindex=\"0\" aria-label=\"The heart of its code\"><code>" + escaped(heart) + "</code></pre>";
}

std::string card(const ReportData& data, const Row& best, double gain) {
    const Kernel* kernel = kernel_and_tile(best.kernel).kernel;
    const RooflinePoint* point = point_of(data, best.kernel);
    std::string text = fmt::format(
        "<article class=\"rung\"><div class=\"left\"><h3 class=\"mono\">{}</h3><p class=\"idea\">{}.</p><dl "
        "class=\"facts\">",
        escaped(best.rung), kernel ? escaped(sentence_from(kernel->idea)) : "");
    text += fact("measured", in_figures(best.gflops) + " <small>GFLOP/s</small>");
    if (point) text += fact("predicted", in_figures(point->predicted) + " <small>GFLOP/s</small>");
    if (point) text += fact("count", in_figures(point->intensity) + " <small>flop/byte</small>");
    if (gain > 0) text += fact("over the rung below", in_figures(gain) + "<small> times</small>");
    text +=
        "</dl>" + walk_of(best.rung, kernel ? file_of(*kernel) : std::string_view()) + "</div><div class=\"right\">";
    return text + code_of(best.device, kernel) + "</div></article>\n";
}

/// A rung that no device here has: Metal's kernel, executed and counted.
std::string counted_card(const Counted& one) {
    const Kernel* kernel = kernel_and_tile(one.kernel).kernel;
    if (!kernel || !one.trouble.empty()) return "";
    const std::string rung = stem_of(*kernel);
    if (rung != file_of(*kernel)) return "";  // r9_plain_loads, which takes its place where it does not compile
    std::string text = fmt::format(
        "<article class=\"rung\"><div class=\"left\"><h3 class=\"mono\">{}</h3><p class=\"idea\">{}.</p><p>No unit "
        "for it here, so it has no speed: Metal's kernel, executed once by metal-check, {} x {} x {}.</p><dl "
        "class=\"facts\">",
        escaped(rung), escaped(sentence_from(kernel->idea)), one.m, one.n, one.k);
    text += fact("counted", in_figures(one.flops_per_byte()) + " <small>flop/byte</small>");
    text += fact("from threadgroup memory", fmt::format("{} <small>bytes</small>", one.counts.threadgroup_loaded));
    text += fact("barriers", fmt::format("{}", one.counts.barriers));
    if (one.counts.async_copies > 0) text += fact("asynchronous copies", fmt::format("{}", one.counts.async_copies));
    return text + "</dl>" + walk_of(rung, file_of(*kernel)) + "</div><div class=\"right\">" + code_of("metal", kernel) +
           "</div></article>\n";
}

std::string cards(const ReportData& data, const std::vector<const Row*>& rows) {
    std::string text = "<div class=\"rungs\">\n";
    std::vector<Row> copies;
    for (const Row* row : rows) copies.push_back(*row);
    const std::vector<double> gains = gains_of(copies);
    for (std::size_t i = 0; i < rows.size();) {
        std::size_t best = i, end = i;
        while (end < rows.size() && rows[end]->rung == rows[i]->rung) {
            if (rows[end]->gflops > rows[best]->gflops) best = end;
            ++end;
        }
        if (!rows[best]->rung.empty()) text += card(data, *rows[best], gains[best]);
        i = end;
    }
    return text + "</div>\n";
}

}  // namespace

std::string climb_section(const ReportData& data) {
    std::vector<std::string> devices;
    for (const Row& row : data.climb)
        if (row.is_timed() && std::find(devices.begin(), devices.end(), row.device) == devices.end())
            devices.push_back(row.device);
    std::string text;
    for (const std::string& device : devices) {
        std::vector<const Row*> rows;
        for (const Row& row : data.climb)
            if (row.device == device && row.is_timed()) rows.push_back(&row);
        const Row& any = *rows.front();
        int threads = any.threads;
        for (const Row* row : rows) threads = std::max(threads, row->threads);
        const bool is_cpu = device == "cpu";  // threads are the host's
        const std::string where =
            is_cpu ? fmt::format("{} thread{} of the device cpu{}", threads, threads == 1 ? "" : "s",
                                 threads > any.threads ? ", those below r6 on one, and held against one" : "")
                   : "the device " + escaped(device);
        text += fmt::format(
            "<p>Every rung multiplies the same {} x {} x {} matrices of {} on {}. Each was judged against f64 "
            "before it was timed; 100 % is the multiply-add peak of {}.</p>\n",
            any.m, any.n, any.k, any.type, where, is_cpu ? "its threads, measured between the rows" : "the device");
        text +=
            "<p class=\"key\"><span><i style=\"background:var(--ours)\"></i>tilewright, GFLOP/s and share of the "
            "peak</span><span><i style=\"background:var(--theirs)\"></i>libraries of others found here</span></p>";
        text += bars(rows) + table(rows);
        text +=
            "<p>The words on the cards: a <b>tile</b> is a small piece of a matrix that is multiplied as a whole; a "
            "<b>register</b> is the processor's nearest memory, where a handful of numbers wait for nothing; a "
            "<b>panel</b> is a strip of a matrix, copied so that it lies in the order in which it will be read; a "
            "<b>block</b> is what fits into a level of cache.</p>\n";
        text += cards(data, rows);
    }
    if (text.empty()) return text;
    std::string counted;
    for (const Counted& one : data.counted) counted += counted_card(one);
    return counted.empty() ? text : text + "<div class=\"rungs\">\n" + counted + "</div>\n";
}

}  // namespace tw::measure

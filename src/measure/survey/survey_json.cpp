// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/survey_json.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tw::measure {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const LineLayout& lay) {
    return {{"by_columns", lay.by_columns}, {"pitch", lay.pitch}, {"step", lay.step}, {"offset", lay.offset}};
}

LineLayout lay_from(const Json& made) {
    return {.by_columns = made.at("by_columns"),
            .pitch = made.at("pitch"),
            .step = made.at("step"),
            .offset = made.at("offset")};
}

Json json_of(const Outcome& one) {
    const Case& what = one.what;
    Json made{{"name", what.kind->name + ("/" + what.text())},
              {"kind", what.kind->name},
              {"family", what.family},
              {"m", what.m},
              {"n", what.n},
              {"k", what.k},
              {"products", what.products},
              {"by_pointers", what.by_pointers},
              {"a", json_of(what.a)},
              {"b", json_of(what.b)},
              {"c", json_of(what.c)},
              {"beta", what.beta},
              {"kernel", one.kernel},
              {"peer", one.peer},
              {"recorded", one.is_recorded},
              {"seconds", one.seconds},
              {"peer_seconds", one.peer_seconds}};
    if (one.has_ratio()) made["ratio"] = one.ratio();
    made["error_over_bound"] = one.error_over_bound;
    made["wrong"] = one.is_wrong;
    made["trouble"] = one.trouble;
    made["note"] = one.note;
    return made;
}

Outcome outcome_from(const Json& made) {
    Outcome one;
    one.what.kind = find_kind(made.at("kind").get<std::string>());
    if (!one.what.kind) throw std::runtime_error("not a survey of this tw: a kind is unknown");
    one.what.family = made.at("family");
    one.what.m = made.at("m"), one.what.n = made.at("n"), one.what.k = made.at("k");
    one.what.products = made.at("products"), one.what.by_pointers = made.at("by_pointers");
    one.what.a = lay_from(made.at("a")), one.what.b = lay_from(made.at("b")), one.what.c = lay_from(made.at("c"));
    one.what.beta = made.at("beta");
    one.kernel = made.at("kernel"), one.peer = made.at("peer"), one.is_recorded = made.at("recorded");
    one.seconds = made.at("seconds").get<std::vector<double>>();
    one.peer_seconds = made.at("peer_seconds").get<std::vector<double>>();
    one.error_over_bound = made.at("error_over_bound"), one.is_wrong = made.at("wrong");
    one.trouble = made.at("trouble"), one.note = made.at("note");
    return one;
}

}  // namespace

std::string to_json(const SurveyContext& context, const std::vector<Outcome>& outcomes) {
    const Json head{{"date", context.machine.date},
                    {"host_name", context.machine.host},
                    {"executable", context.command},
                    {"processor", context.machine.processor},
                    {"device", context.device},
                    {"peer", context.peer},
                    {"variables", context.machine.variables},
                    {"tilewright_version", context.machine.version}};
    std::string text = "{\"context\": " + head.dump() + ",\n \"survey\": [";
    for (std::size_t i = 0; i < outcomes.size(); ++i) text += (i ? ",\n" : "\n") + json_of(outcomes[i]).dump();
    return text + "\n]}\n";
}

std::vector<Outcome> outcomes_from_json(const std::string& text) {
    const Json all = Json::parse(text, nullptr, false);
    if (all.is_discarded() || !all.is_object() || !all.contains("survey") || !all["survey"].is_array())
        throw std::runtime_error("not a survey of tw: expected a JSON object with an array 'survey'");
    std::vector<Outcome> outcomes;
    try {
        for (const Json& made : all["survey"]) outcomes.push_back(outcome_from(made));
    } catch (const nlohmann::json::exception& error) {
        throw std::runtime_error(std::string("not a survey of tw: a shape lacks what ours have (") + error.what() +
                                 ")");
    }
    return outcomes;
}

}  // namespace tw::measure

// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/rows/history.hpp"

#include <sqlite3.h>
#include <sys/stat.h>

#include <cstdlib>
#include <memory>

#include "base/environment.hpp"

namespace tw::measure {
namespace {

struct Closed {
    void operator()(sqlite3* file) const { sqlite3_close(file); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using File = std::unique_ptr<sqlite3, Closed>;
using Statement = std::unique_ptr<sqlite3_stmt, Closed>;

constexpr int patience = 2000;  // milliseconds for other writers

constexpr const char* tables =
    "CREATE TABLE IF NOT EXISTS run(id INTEGER PRIMARY KEY, command TEXT, date TEXT, version TEXT, machine TEXT);"
    "CREATE TABLE IF NOT EXISTS result(run INTEGER REFERENCES run(id), entry TEXT);"
    "CREATE INDEX IF NOT EXISTS result_of_run ON result(run);";

File open(const std::string& path, bool may_create) {
    sqlite3* raw = nullptr;
    const int flags = may_create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    const int result = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
    File file(raw);
    if (result != SQLITE_OK) return nullptr;
    sqlite3_busy_timeout(raw, patience);
    return file;
}

Statement prepare(sqlite3* file, const char* text) {
    sqlite3_stmt* raw = nullptr;
    return sqlite3_prepare_v2(file, text, -1, &raw, nullptr) == SQLITE_OK ? Statement(raw) : nullptr;
}

bool bind_text(sqlite3_stmt* statement, int index, const std::string& text) {
    return sqlite3_bind_text(statement, index, text.c_str(), -1, SQLITE_TRANSIENT) == SQLITE_OK;
}

bool run_all(sqlite3* file, const char* text) {
    return sqlite3_exec(file, text, nullptr, nullptr, nullptr) == SQLITE_OK;
}

/// The schema's number; -1 when the file can't be read.
int schema_of(sqlite3* file) {
    const Statement statement = prepare(file, "PRAGMA user_version");
    return statement && sqlite3_step(statement.get()) == SQLITE_ROW ? sqlite3_column_int(statement.get(), 0) : -1;
}

bool insert(sqlite3* file, const Run& run) {
    const Statement head = prepare(file, "INSERT INTO run(command, date, version, machine) VALUES(?, ?, ?, ?)");
    if (!head || !bind_text(head.get(), 1, run.command) || !bind_text(head.get(), 2, run.machine.date) ||
        !bind_text(head.get(), 3, run.machine.version) || !bind_text(head.get(), 4, machine_key(run.machine)) ||
        sqlite3_step(head.get()) != SQLITE_DONE)
        return false;
    const Statement entry = prepare(file, "INSERT INTO result(run, entry) VALUES(?, ?)");
    if (!entry) return false;
    return sqlite3_bind_int64(entry.get(), 1, sqlite3_last_insert_rowid(file)) == SQLITE_OK &&
           bind_text(entry.get(), 2, to_json(run)) && sqlite3_step(entry.get()) == SQLITE_DONE;
}

void make_folders_of(const std::string& path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        mkdir(path.substr(0, slash).c_str(), 0777);
}

}  // namespace

std::string history_path() {
    if (const char* path = environment("TW_HISTORY")) return path;
    if (const char* cache = environment("XDG_CACHE_HOME")) return std::string(cache) + "/tilewright/history.sqlite";
    if (const char* home = environment("HOME")) return std::string(home) + "/.cache/tilewright/history.sqlite";
    return "";
}

std::string add_to_history(const std::string& path, const Run& run) {
    if (path.empty()) return "there is no place for the history: set TW_HISTORY to a path, or HOME";
    make_folders_of(path);
    const File file = open(path, true);
    const auto trouble = [&] {
        return path + ": the history is not kept: " + (file ? sqlite3_errmsg(file.get()) : "it does not open");
    };
    if (!file) return trouble();
    const int schema = schema_of(file.get());
    if (schema < 0) return trouble();
    if (schema > history_schema)
        return path + ": the history is not kept: it has schema " + std::to_string(schema) + ", this version writes " +
               std::to_string(history_schema);
    const std::string version = "PRAGMA user_version=" + std::to_string(history_schema);
    if (!run_all(file.get(), "PRAGMA journal_mode=WAL") || !run_all(file.get(), "BEGIN IMMEDIATE")) return trouble();
    if (run_all(file.get(), tables) && run_all(file.get(), version.c_str()) && insert(file.get(), run) &&
        run_all(file.get(), "COMMIT"))
        return "";
    std::string sentence = trouble();
    run_all(file.get(), "ROLLBACK");
    return sentence;
}

std::vector<Row> last_from_history(const std::string& path, const std::string& command, const Machine& machine) {
    const File file = path.empty() ? nullptr : open(path, false);
    if (!file || schema_of(file.get()) != history_schema) return {};
    const Statement query =
        prepare(file.get(),
                "SELECT entry FROM result JOIN run ON run.id = result.run WHERE command = ? AND version = ? AND "
                "machine = ? ORDER BY run.id DESC LIMIT 1");
    if (!query || !bind_text(query.get(), 1, command) || !bind_text(query.get(), 2, machine.version) ||
        !bind_text(query.get(), 3, machine_key(machine)))
        return {};
    if (sqlite3_step(query.get()) != SQLITE_ROW) return {};
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(query.get(), 0));
    try {
        return rows_from_json(text ? text : "");
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace tw::measure

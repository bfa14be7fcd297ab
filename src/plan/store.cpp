// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>

#include "base/cores.hpp"
#include "base/cpu_features.hpp"
#include "base/environment.hpp"
#include "base/remembered.hpp"
#include "plan/patience.hpp"
#include "plan/store_line.hpp"
#include "tilewright/version.hpp"

namespace tw {
namespace {

constexpr std::size_t largest_file = std::size_t{4} << 20;
constexpr int lock_tries = 100;  // 50 ms apart

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator int() const { return number_; }

private:
    int number_;
};

std::string failure(const std::string& path, const char* doing) {
    return path + ": the tuning store can't be " + doing + ": " + std::strerror(errno);
}

bool read_all(int file, std::string& text) {
    char part[65536];
    for (;;) {
        const ssize_t got = read(file, part, sizeof part);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) return true;
        text.append(part, static_cast<std::size_t>(got));
        if (text.size() > largest_file) return errno = EFBIG, false;
    }
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t put = write(file, text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

/// The format's number in the first line; 0 when it has none.
int format_of(std::string_view first_line) {
    int number = 0;
    if (!first_line.starts_with(store_title)) return 0;
    first_line.remove_prefix(store_title.size());
    const auto [end, error] = std::from_chars(first_line.data(), first_line.data() + first_line.size(), number);
    return error == std::errc() && end == first_line.data() + first_line.size() ? number : 0;
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

bool is_same_question(const Tuned& x, const Tuned& y) {
    return x.m == y.m && x.n == y.n && x.k == y.k && x.in == y.in && x.out == y.out && x.a == y.a && x.b == y.b &&
           x.c == y.c && x.accuracy == y.accuracy && x.allowed_threads == y.allowed_threads &&
           x.kernel.substr(0, x.kernel.find('.')) == y.kernel.substr(0, y.kernel.find('.'));
}

std::string processor_name() {
    const Descriptor file(open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC));
    char text[4096];
    const ssize_t got = file >= 0 ? read(file, text, sizeof text) : 0;
    const std::string_view all(text, got > 0 ? static_cast<std::size_t>(got) : 0);
    const std::size_t at = all.find("model name");
    return at == std::string_view::npos ? "processor" : std::string(all.substr(at, all.find('\n', at) - at));
}

std::string merged_text(const Store& store, const std::string& key) {
    std::string text = std::string(store_title) + std::to_string(store_format) + "\n";
    for (const std::string& line : store.others) text.append(line).append("\n");
    for (const Tuned& record : store.records) text.append(line_of(record, key)).append("\n");
    return text;
}

/// Each writer puts another file in its place.
Patience::Turn turn_of(const std::string& path) {
    struct stat there{};
    if (stat(path.c_str(), &there) != 0) return {};
    return {static_cast<std::int64_t>(there.st_ino), static_cast<std::int64_t>(there.st_mtime), there.st_size};
}

/// Waits for as long as other writers have their turns; returns a sentence when one holds the lock for 5 s.
std::string take_lock(const std::string& path, int lock) {
    if (lock < 0) return failure(path, "locked");
    Patience patience(lock_tries);
    do {
        if (flock(lock, LOCK_EX | LOCK_NB) == 0) return "";
        if (errno != EWOULDBLOCK && errno != EINTR) return failure(path, "locked");
        usleep(50'000);
    } while (patience.lasts(turn_of(path)));
    return path + ": the tuning store is locked by another process for more than 5 s";
}

void make_folders_of(const std::string& path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        mkdir(path.substr(0, slash).c_str(), 0777);
}

using PerhapsStore = std::optional<Store>;
constinit const PerhapsStore none;
constinit Remembered<const PerhapsStore*> own_store;  // never freed: products may run until the process ends

const PerhapsStore* read_own_store() noexcept {
    try {
        const std::string path = store_path();
        if (path.empty() || access(path.c_str(), F_OK) != 0) return &none;
        return new PerhapsStore(read_store(path, store_key()));
    } catch (const std::exception&) {
        return &none;
    }
}

}  // namespace

bool Tuned::answers(const Problem& p, int allowed) const noexcept {
    return m == p.m && n == p.n && k == p.k && in == p.in && out == p.out && a == p.a && b == p.b && c == p.c &&
           accuracy == resolve(p.accuracy, p.in) && allowed_threads == allowed;
}

std::string store_key() {
    const std::string machine = processor_name() + " x" + std::to_string(physical_cores());
    char key[64];
    std::snprintf(key, sizeof key, "%08x-%llx-%s", checksum(machine), static_cast<unsigned long long>(cpu_features()),
                  version());
    return key;
}

Store read_store(const std::string& path, const std::string& key) {
    Store store;
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file < 0) {
        if (errno != ENOENT && errno != ENOTDIR) store.trouble = failure(path, "read");
        return store;
    }
    std::string text;
    if (!read_all(file, text)) {
        store.trouble = failure(path, "read");
        return store;
    }
    std::string_view rest = text;
    const int format = format_of(take_line(rest));
    if (format != store_format && !text.empty()) {
        store.is_foreign = format == 0 || format > store_format;
        store.trouble =
            path + (format == 0 ? ": this is not a tuning store; it is ignored"
                                : ": the tuning store has format " + std::to_string(format) + ", this version reads " +
                                      std::to_string(store_format) + "; it is ignored");
        return store;
    }
    int damaged = 0;
    while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        Tuned record;
        if (!is_intact(line)) ++damaged;
        else if (key_of(line) != key) store.others.emplace_back(line);
        else if (parse_line(line, record)) store.records.push_back(std::move(record));
        else ++damaged;
    }
    if (damaged)
        store.trouble = path + ": " + std::to_string(damaged) + (damaged == 1 ? " line" : " lines") +
                        " of the tuning store can't be trusted; the rest is used";
    return store;
}

std::string add_to_store(const std::string& path, const std::string& key, std::span<const Tuned> records) {
    if (path.empty()) return "there is no place for the tuning store: set TW_STORE to a path, or HOME";
    if (struct stat there{}; stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode))
        return path + ": the tuning store must be a regular file, and this is not one; it is left as it is";
    make_folders_of(path);
    const Descriptor lock(open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (std::string trouble = take_lock(path, lock); !trouble.empty()) return trouble;

    Store store = read_store(path, key);
    if (store.is_foreign) return store.trouble + "; it is left as it is";
    if (records.empty()) return "";
    if (!store.trouble.empty() && access(path.c_str(), F_OK) == 0 &&
        rename(path.c_str(), (path + ".damaged").c_str()) != 0)
        return failure(path, "kept as PATH.damaged");
    for (const Tuned& record : records) {
        std::erase_if(store.records, [&](const Tuned& old) { return is_same_question(old, record); });
        store.records.push_back(record);
    }
    // The lock allows one fixed name. Whatever is there is removed first: a killed writer's file, or somebody's link.
    const std::string beside = path + ".part";
    unlink(beside.c_str());
    {
        const Descriptor file(open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
        if (file < 0) return failure(path, "written");
        if (!write_all(file, merged_text(store, key)) || fsync(file) != 0) {
            std::string trouble = failure(path, "written");
            unlink(beside.c_str());
            return trouble;
        }
    }
    if (rename(beside.c_str(), path.c_str()) == 0) return "";
    std::string trouble = failure(path, "replaced");
    unlink(beside.c_str());
    return trouble;
}

std::string store_path() {
    if (const char* path = environment("TW_STORE")) return path;
    if (const char* cache = environment("XDG_CACHE_HOME")) return std::string(cache) + "/tilewright/tuning";
    if (const char* home = environment("HOME")) return std::string(home) + "/.cache/tilewright/tuning";
    return "";
}

const Store* tuning_store() noexcept {
    const PerhapsStore& own = *own_store.get(read_own_store, [](const PerhapsStore* late) {
        if (late != &none) delete late;
    });
    return own ? &*own : nullptr;
}

const Tuned* find_tuned(const Store& store, const Problem& problem, int allowed_threads) noexcept {
    for (const Tuned& record : store.records)
        if (record.answers(problem, allowed_threads)) return &record;
    return nullptr;
}

}  // namespace tw

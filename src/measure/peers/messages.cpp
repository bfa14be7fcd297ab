// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/peers/messages.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace tw::measure {

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

}  // namespace tw::measure

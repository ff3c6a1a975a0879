// TCP over sockets: listening, connecting, and a connection that carries messages.
#pragma once

#include "framing.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace peer {

[[noreturn]] inline void fail(const std::string &what) {
    throw std::runtime_error(what + ": " + std::strerror(errno));
}

// A file descriptor that is closed with its owner.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(int number) : number(number) {}
    Descriptor(Descriptor &&other) : number(other.number) { other.number = -1; }
    Descriptor &operator=(Descriptor &&other) {
        std::swap(number, other.number);
        return *this;
    }
    ~Descriptor() {
        if (number >= 0) close(number);
    }
    operator int() const { return number; }

private:
    int number = -1;
};

inline Descriptor open_socket() {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket < 0) fail("socket");
    return socket;
}

// Listens on the loopback interface; `port` becomes the one that the system picked.
inline Descriptor listen_on_loopback(int &port) {
    Descriptor socket = open_socket();
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(socket, reinterpret_cast<sockaddr *>(&address), size) || listen(socket, 16) ||
        getsockname(socket, reinterpret_cast<sockaddr *>(&address), &size))
        fail("listen");
    port = ntohs(address.sin_port);
    return socket;
}

inline Descriptor accept_one(const Descriptor &listener) {
    if (listener < 0) throw std::runtime_error("not listening");
    for (;;) {
        Descriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
        if (socket >= 0) return socket;
        if (errno != EINTR) fail("accept");
    }
}

// `place` is an IPv4 address and a port, with a colon between.
inline Descriptor connect_to(const std::string &place) {
    const size_t colon = place.find(':');
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    const int port = colon == std::string::npos ? 0 : std::atoi(place.c_str() + colon + 1);
    address.sin_port = htons(port);
    if (port < 1 || port > 65535 ||
        inet_pton(AF_INET, place.substr(0, colon).c_str(), &address.sin_addr) != 1)
        throw std::runtime_error("not an IPv4 address and a port: " + place);
    Descriptor socket = open_socket();
    if (connect(socket, reinterpret_cast<sockaddr *>(&address), sizeof address)) fail(place);
    return socket;
}

class Connection {
public:
    // Spinning: it never waits in the system but asks again and again.
    Connection(Descriptor descriptor, Framing framing, bool spinning)
        : socket(std::move(descriptor)), framing(framing), framer(framing),
          home(framing == Framing::cdr ? 8 - cdr_length_size : 0), start(home), end(home),
          buffer(64 << 10) {
        const int on = 1;
        if (setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on)) fail("TCP_NODELAY");
        if (spinning && fcntl(socket, F_SETFL, O_NONBLOCK)) fail("O_NONBLOCK");
    }

    // Takes the next message if it has been received whole; it stays until the next call.
    bool next(View &message) {
        if (taken) framer.reset();
        start += taken;
        taken = 0;
        const char *const front = buffer.data() + start;
        if (!framer.find(front, end - start)) return false;
        taken = framer.end;
        message = View(front + framer.begin, framer.end - framer.begin);
        return true;
    }

    // Waits for the next message, takes and aligns it. False: the other side ended after the last one.
    bool receive(View &message) {
        while (!next(message)) {
            if (!fill()) {
                check_ended();
                return false;
            }
        }
        message = align(message);
        return true;
    }

    // Receives what is there, at least a byte. False: the other side has ended.
    bool fill() {
        make_room();
        for (;;) {
            const ssize_t size = recv(socket, buffer.data() + end, buffer.size() - end, 0);
            if (size == 0) return false;
            if (size > 0) {
                end += size;
                return true;
            }
            if (errno != EINTR && errno != EAGAIN) fail("receive");
        }
    }

    void check_ended() const {
        if (!framer.idle(end - start))
            throw std::runtime_error("the connection ended inside a message");
    }

    // omniORB aligns by address: a message of CDR that was received behind others is moved over
    // its length and their last bytes, up to 7.
    View align(View message) {
        const size_t at = message.data() - buffer.data();
        if (framing != Framing::cdr || at % 8 == 0) return message;
        char *const to = buffer.data() + at / 8 * 8;
        std::memmove(to, message.data(), message.size());
        return {to, message.size()};
    }

    void send(View bytes) {
        for (size_t sent = 0; sent < bytes.size();) {
            const ssize_t size =
                ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (size >= 0)
                sent += size;
            else if (errno != EINTR && errno != EAGAIN)
                fail("send");
        }
    }

    // Ends the sending side, then waits until the other side closes.
    void finish() {
        if (shutdown(socket, SHUT_WR)) fail("shutdown");
        while (fill()) start = end;
    }

private:
    // What has been received of a message goes to the front: `home`, from where CDR is aligned.
    void make_room() {
        if (start > home) {
            std::memmove(buffer.data() + home, buffer.data() + start, end - start);
            end -= start - home;
            start = home;
        }
        // The framer has refused what is longer than a message may be.
        if (end == buffer.size()) buffer.resize(2 * buffer.size());
    }

    Descriptor socket;
    Framing framing;
    Framer framer;
    size_t home;
    // The bytes received and not yet consumed, of which the first `taken` were given out.
    size_t start;
    size_t end;
    size_t taken = 0;
    std::vector<char> buffer;
};

} // namespace peer

// gSOAP at both ends of calls: the section Operations of PROTOCOL.md. What is called is the program's own.
//
// Included behind soapH.h and the table of namespaces. A thread of the server has a connection of its own until that
// ends; so has each thread that calls.
#pragma once

#include <condition_variable>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

// Whether the server changes what it gives back.
inline bool gives_wrong = false;

// How calls travel.
struct Mode {
    const char *name;
    // Both ways, and what is written besides.
    soap_mode both, output;
    const char *version;
};

inline const Mode MODES[] = {
    {"http", SOAP_IO_KEEPALIVE, SOAP_XML_NOTYPE, "1.1"},
    {"http-chunked", SOAP_IO_KEEPALIVE, SOAP_XML_NOTYPE | SOAP_IO_CHUNK, "1.1"},
    {"http-1.0", 0, SOAP_XML_NOTYPE, "1.0"},
#ifndef WITH_NOIDREF
    // Values that stand in several places are looked for, as always with the SOAP encoding.
    {"http-references", SOAP_IO_KEEPALIVE, SOAP_XML_NOTYPE | SOAP_XML_GRAPH, "1.1"},
#endif
#ifdef WITH_GZIP
    // Requests and answers, by zlib at its default level.
    {"http-gzip", SOAP_IO_KEEPALIVE, SOAP_XML_NOTYPE | SOAP_ENC_ZLIB, "1.1"},
#endif
};

inline char *text(const char *value) { return const_cast<char *>(value); }

inline bool same(const char *sent, const char *came) { return came && !std::strcmp(sent, came); }

inline uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return uint64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

inline std::string fault(struct soap *soap) {
    char buffer[400] = "";
    soap_sprint_fault(soap, buffer, sizeof buffer);
    std::string told(buffer);
    for (char &character : told)
        if (static_cast<unsigned char>(character) < ' ') character = ' ';
    return told;
}

inline void prepare(struct soap *soap, const Mode &mode) {
    soap_init1(soap, SOAP_C_UTFSTRING | mode.both);
    soap_set_omode(soap, mode.output);
    soap->http_version = mode.version;
    soap->socket_flags = MSG_NOSIGNAL;
    // As the system has them: its own are one segment of the loopback long, and stall for 200 ms where there is more.
    soap->sndbuf = soap->rcvbuf = 0;
    soap->max_keep_alive = 1 << 30;
}

// The server's threads run as long as the program.
inline int serve(const Mode &mode, int threads) {
    auto *listening = new struct soap;
    prepare(listening, mode);
    listening->bind_flags = SO_REUSEADDR;
    // What a call has taken is freed before the next on the same connection.
    listening->fserveloop = [](struct soap *soap) -> int {
        soap_destroy(soap);
        soap_end(soap);
        return SOAP_OK;
    };
    if (!soap_valid_socket(soap_bind(listening, "127.0.0.1", 0, 1024)))
        throw std::runtime_error(fault(listening));
    for (int count = 0; count < threads; ++count) {
        struct soap *soap = soap_copy(listening);
        std::thread([soap] {
            for (;;) {
                if (soap_valid_socket(soap_accept(soap))) soap_serve(soap);
                soap_destroy(soap);
                soap_end(soap);
            }
        }).detach();
    }
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    getsockname(listening->master, reinterpret_cast<sockaddr *>(&bound), &size);
    return ntohs(bound.sin_port);
}

// A thread that calls, with a connection of its own.
class Caller {
public:
    Caller(const Mode &mode, int port, const char *path)
        : url("http://127.0.0.1:" + std::to_string(port) + path) {
        prepare(&soap, mode);
        prepare(&keeper, mode);
        soap.connect_timeout = soap.send_timeout = soap.recv_timeout = 60;
        soap_set_namespaces(&soap, namespaces);
    }

    virtual ~Caller() {
        for (struct soap *it : {&soap, &keeper}) {
            soap_destroy(it);
            soap_end(it);
            soap_force_closesock(it);
            soap_done(it);
        }
    }

    Caller(const Caller &) = delete;

    // Makes what is sent.
    virtual void choose(const std::string &operation, int size) = 0;

    // Calls for so long, once at least.
    void run(uint64_t nanoseconds) {
        times.clear();
        failure.clear();
        begun = ended = now();
        do {
            wrong = false;
            const bool well = call();
            const uint64_t end = now();
            if (!well)
                failure = "call " + std::to_string(times.size()) + ": " +
                          (wrong ? "a wrong answer" : fault(&soap));
            soap_destroy(&soap);
            soap_end(&soap);
            if (!well) {
                soap_force_closesock(&soap);
                return;
            }
            times.push_back(end - ended);
            ended = end;
        } while (ended - begun < nanoseconds);
    }

    std::vector<uint64_t> times;
    uint64_t begun = 0;
    uint64_t ended = 0;
    std::string failure;

protected:
    bool right(bool is_right) {
        wrong = !is_right;
        return is_right;
    }

    const std::string url;
    struct soap soap;
    // Of what is expected.
    struct soap keeper;
    std::function<bool()> call;

private:
    bool wrong = false;
};

// Makes a caller of the program's operations.
using Maker = std::unique_ptr<Caller> (*)(const Mode &mode, int port);

// Threads that stay from one task to the next.
class Callers {
public:
    Callers(Maker make, const Mode &mode, int port, int threads) {
        for (int count = 0; count < threads; ++count) {
            all.push_back(make(mode, port));
            Caller &caller = *all.back();
            running.emplace_back([this, &caller] { work(caller); });
        }
    }

    ~Callers() {
        {
            std::lock_guard<std::mutex> lock(guard);
            is_over = true;
        }
        changed.notify_all();
        for (std::thread &thread : running) thread.join();
    }

    std::string call(const std::string &operation, int size, int milliseconds,
                     const std::string &file) {
        for (auto &caller : all) caller->choose(operation, size);
        {
            std::unique_lock<std::mutex> lock(guard);
            nanoseconds = uint64_t(milliseconds) * 1000000;
            left = all.size();
            ++task;
            changed.notify_all();
            changed.wait(lock, [this] { return left == 0; });
        }
        uint64_t begun = UINT64_MAX, ended = 0, count = 0;
        std::ofstream out(file, std::ios::binary);
        for (auto &caller : all) {
            if (!caller->failure.empty()) throw std::runtime_error(caller->failure);
            begun = std::min(begun, caller->begun);
            ended = std::max(ended, caller->ended);
            count += caller->times.size();
            // This machine is little-endian, as the protocol is.
            out.write(reinterpret_cast<const char *>(caller->times.data()),
                      caller->times.size() * sizeof(uint64_t));
        }
        if (!out.flush()) throw std::runtime_error(file + ": cannot be written");
        return "called " + std::to_string(count) + " " + std::to_string(ended - begun);
    }

private:
    void work(Caller &caller) {
        for (uint64_t done = 0;;) {
            std::unique_lock<std::mutex> lock(guard);
            changed.wait(lock, [&] { return is_over || task != done; });
            if (is_over) return;
            done = task;
            const uint64_t time = nanoseconds;
            lock.unlock();
            caller.run(time);
            lock.lock();
            if (--left == 0) changed.notify_all();
        }
    }

    std::vector<std::unique_ptr<Caller>> all;
    std::vector<std::thread> running;
    std::mutex guard;
    std::condition_variable changed;
    uint64_t task = 0;
    uint64_t nanoseconds = 0;
    size_t left = 0;
    bool is_over = false;
};

inline int number(std::istringstream &words) {
    int value = 0;
    if (!(words >> value) || value < 0) throw std::runtime_error("a number is missing");
    return value;
}

inline const Mode &mode(std::istringstream &words) {
    std::string name;
    words >> name;
    for (const Mode &it : MODES)
        if (it.name == name) return it;
    throw std::runtime_error("there is no mode " + name + " here");
}

inline std::string hello() {
    const int version = GSOAP_VERSION;
    std::string told = std::string("hello ") + NAME + " " + std::to_string(version / 100000) + "." +
                       std::to_string(version / 1000 % 100) + "." + std::to_string(version % 1000);
    char separator = ' ';
    for (const Mode &it : MODES) {
        told += separator;
        told += it.name;
        separator = ',';
    }
    return told;
}

inline std::string answer(const std::string &line, std::unique_ptr<Callers> &callers, Maker make) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "hello") return hello();
    if (verb == "serve") {
        const Mode &by = mode(words);
        const int threads = number(words);
        std::string word;
        if (words >> word && word != "wrong") throw std::runtime_error("unknown word " + word);
        gives_wrong = word == "wrong";
        return "serving " + std::to_string(serve(by, threads));
    }
    if (verb == "connect") {
        const Mode &by = mode(words);
        const int port = number(words), threads = number(words);
        callers.reset();
        callers = std::make_unique<Callers>(make, by, port, threads);
        return "connected " + std::to_string(threads);
    }
    if (verb == "call") {
        std::string operation;
        words >> operation;
        const int size = number(words), milliseconds = number(words);
        std::string file;
        std::getline(words >> std::ws, file);
        if (!callers) throw std::runtime_error("it is not connected");
        return callers->call(operation, size, milliseconds, file);
    }
    throw std::runtime_error("unknown word " + verb);
}

// Answers the lab's questions until it has no more.
[[noreturn]] inline void converse(Maker make) {
    std::signal(SIGPIPE, SIG_IGN);
    std::unique_ptr<Callers> callers;
    for (std::string line; std::getline(std::cin, line) && line != "stop";) {
        std::string told;
        try {
            told = answer(line, callers, make);
        } catch (const std::exception &error) {
            told = std::string("error ") + error.what();
        }
        std::cout << told << std::endl;
    }
    // Its servers wait for connections.
    std::_Exit(0);
}

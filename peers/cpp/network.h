// The network verbs of PROTOCOL.md: listen, reply, call, drain and pour.
#pragma once

#include "connection.h"

#include <fstream>
#include <sstream>

namespace peer {

// File names may hold blanks: they take the rest of the line.
inline std::string rest(std::istringstream &words) {
    std::string path;
    words >> std::ws;
    std::getline(words, path);
    if (path.empty()) throw std::runtime_error("a file name is missing");
    return path;
}

// The times of a connection's messages, kept in memory until it has ended.
class Times {
public:
    // The file is opened before anything is measured, so that a bad name is known at once.
    explicit Times(const std::string &path) : path(path), file(path, std::ios::binary) {
        if (!file) throw std::runtime_error(path + ": cannot be written");
        // The pages are touched here and not while something is timed.
        values.resize(1 << 20);
        values.clear();
    }
    void add(uint64_t spent) { values.push_back(spent); }
    void save() {
        for (const uint64_t value : values)
            for (int shift = 0; shift < 64; shift += 8) file.put(char(value >> shift));
        file.close();
        if (!file) throw std::runtime_error(path + ": cannot be written");
    }

private:
    std::string path;
    std::ofstream file;
    std::vector<uint64_t> values;
};

// A span on both clocks.
class Span {
public:
    void end() { end_at(monotonic_nanoseconds(), thread_nanoseconds()); }
    void end_at(uint64_t wall, uint64_t thread) {
        wall_end = wall;
        thread_end = thread;
    }
    std::string text() const {
        return std::to_string(wall_end - wall_start) + "," +
               std::to_string(thread_end - thread_start);
    }

private:
    uint64_t thread_start = thread_nanoseconds();
    uint64_t thread_end = thread_start;
    uint64_t wall_start = monotonic_nanoseconds();
    uint64_t wall_end = wall_start;
};

// Makes the thread as slow as one on a slower processor: all that it computes, the kernel's part
// included, takes so many times as long. What it waits does not.
class Handicap {
public:
    explicit Handicap(double factor) : factor(factor), done(thread_nanoseconds()) {}
    void idle() {
        if (factor <= 1) return;
        const uint64_t until = done + uint64_t((thread_nanoseconds() - done) * factor);
        do done = thread_nanoseconds();
        while (done < until);
    }

private:
    double factor;
    uint64_t done;
};

template <class Codec> class Network {
public:
    Network(Codec &codec, const std::vector<Bytes> &messages) : codec(codec), messages(messages) {}

    void select(const std::string &format) { framing = framing_of(format); }

    // False: no verb of the network.
    bool answer(const std::string &verb, std::istringstream &words, std::string &answer) {
        if (verb == "listen") answer = listen();
        else if (verb == "reply") answer = reply(words);
        else if (verb == "call") answer = call(words);
        else if (verb == "drain") answer = drain(words);
        else if (verb == "pour") answer = pour(words);
        else return false;
        return true;
    }

private:
    std::string listen() {
        int port;
        listener = listen_on_loopback(port);
        return "listening " + std::to_string(port);
    }

    std::string reply(std::istringstream &words) {
        const bool spinning = spins(words);
        Times times(rest(words));
        check_loaded(true);
        Connection connection(accept_one(listener), framing, spinning);
        size_t count = 0;
        for (View message; connection.receive(message); ++count) {
            const uint64_t received = monotonic_nanoseconds();
            auto &structure = codec.decode(message);
            const uint64_t decoded = monotonic_nanoseconds();
            const View answer = codec.encode(structure);
            times.add(decoded - received);
            times.add(monotonic_nanoseconds() - decoded);
            connection.send(frame(framing, answer, room));
        }
        times.save();
        return "replied " + std::to_string(count);
    }

    std::string call(std::istringstream &words) {
        std::string place;
        words >> place;
        const bool spinning = spins(words);
        const size_t count = number(words);
        Times times(rest(words));
        check_loaded(true);
        Connection connection(connect_to(place), framing, spinning);
        for (size_t round = 0; round < count; ++round) {
            const uint64_t start = monotonic_nanoseconds();
            const View message = codec.encode(codec.kept(round % messages.size()));
            const uint64_t encoded = monotonic_nanoseconds();
            connection.send(frame(framing, message, room));
            View answer;
            if (!connection.receive(answer))
                throw std::runtime_error("the connection ended before the reply");
            const uint64_t received = monotonic_nanoseconds();
            codec.decode(answer);
            times.add(encoded - start);
            times.add(received - encoded);
            times.add(monotonic_nanoseconds() - received);
        }
        times.save();
        return "called " + std::to_string(count);
    }

    std::string drain(std::istringstream &words) {
        const bool spinning = spins(words);
        const bool decoding = choose(words, "structures", "bytes");
        const double factor = slowness(words, decoding);
        check_loaded(false);
        Connection connection(accept_one(listener), framing, spinning);
        if (!connection.fill()) return "drained 0,0,0";
        Span span;
        size_t count = 0;
        uint64_t worked, spun_from;
        Handicap handicap(factor);
        do {
            for (View message; connection.next(message); ++count)
                if (decoding) codec.decode(connection.align(message));
            handicap.idle();
            worked = monotonic_nanoseconds();
        } while (connection.fill(&spun_from));
        // Waiting for the other side to end is no work: it costs time, and CPU if it was spent
        // spinning.
        span.end_at(worked, spun_from ? spun_from : thread_nanoseconds());
        connection.check_ended();
        return "drained " + std::to_string(count) + "," + span.text();
    }

    std::string pour(std::istringstream &words) {
        std::string place;
        words >> place;
        const size_t count = number(words);
        const bool encoding = choose(words, "structures", "encoded");
        const double factor = slowness(words, encoding);
        check_loaded(true);
        std::vector<std::string> encoded;
        if (!encoding) encoded = encode_all();
        Connection connection(connect_to(place), framing, false);
        Span span;
        Handicap handicap(factor);
        for (size_t sent = 0; sent < count; ++sent) {
            const size_t index = sent % messages.size();
            connection.send(encoding ? frame(framing, codec.encode(codec.kept(index)), room)
                                     : View(encoded[index]));
            handicap.idle();
        }
        span.end();
        connection.finish();
        return "poured " + std::to_string(count) + "," + span.text();
    }

    std::vector<std::string> encode_all() {
        std::vector<std::string> all;
        for (size_t index = 0; index < messages.size(); ++index) {
            const View framed = frame(framing, codec.encode(codec.kept(index)), room);
            all.emplace_back(framed.data(), framed.size());
        }
        return all;
    }

    void check_loaded(bool encoding) const {
        if (encoding && !Codec::encodes) throw std::runtime_error("this peer does not encode");
        if (messages.empty()) throw std::runtime_error("nothing is loaded");
    }

    // The next word, which is one of two: whether it is the first of them.
    static bool choose(std::istringstream &words, const char *first, const char *second) {
        std::string word;
        words >> word;
        if (word != first && word != second)
            throw std::runtime_error(std::string(first) + " or " + second + " is missing");
        return word == first;
    }

    static bool spins(std::istringstream &words) { return choose(words, "spinning", "blocking"); }

    static size_t number(std::istringstream &words) {
        long count = 0;
        if (!(words >> count) || count < 1 || count > 1000000000)
            throw std::runtime_error("the number of messages is missing or not in 1 to 1000000000");
        return count;
    }

    // `slow F` at the end of the line, where there is a codec to be slowed; 1 if it is not there.
    static double slowness(std::istringstream &words, bool codes) {
        std::string word;
        double factor = 1;
        if (!(words >> word)) return factor;
        if (word != "slow" || !codes) throw std::runtime_error("unknown word: " + word);
        if (!(words >> factor) || !(factor >= 1) || factor > 1e6 || words >> word)
            throw std::runtime_error("slow takes one factor from 1 to 1000000");
        return factor;
    }

    Codec &codec;
    const std::vector<Bytes> &messages;
    Framing framing = Framing::soap;
    Descriptor listener;
    std::string room;
};

} // namespace peer

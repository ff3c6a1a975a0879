// The peer's side of PROTOCOL.md, shared by all peers written in C++.
//
// A codec is a class with:
//   bool select(const std::string &format);       false: the format is not known
//   void keep(const Bytes &message);              decodes and keeps the structure
//   void forget();                                drops all kept structures
//   void decode(const Bytes &message);            decodes and drops; this is timed
//   std::string_view encode(size_t index);        encodes a kept structure; this is timed
//   static constexpr bool encodes;                false: encode is only good for echo
// Every one of them reports failure by throwing a std::exception.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
#if __cplusplus >= 201703L
#include <string_view>
namespace peer { using View = std::string_view; }
#else
namespace peer {
// QuickFIX's headers need C++14, which has no string_view.
struct View {
    const char *begin;
    size_t length;
    View(const char *data, size_t size) : begin(data), length(size) {}
    View(const std::string &text) : begin(text.data()), length(text.size()) {}
    const char *data() const { return begin; }
    size_t size() const { return length; }
};
}
#endif

namespace peer {

// A message as it came from the corpus, aligned to 8 bytes, followed by a NUL.
class Bytes {
public:
    Bytes(const char *begin, size_t size) : words(size / 8 + 1), length(size) {
        std::memcpy(words.data(), begin, size);
    }
    const char *data() const { return reinterpret_cast<const char *>(words.data()); }
    char *data() { return reinterpret_cast<char *>(words.data()); }
    size_t size() const { return length; }

private:
    std::vector<uint64_t> words;
    size_t length;
};

inline std::vector<Bytes> read_corpus(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + ": cannot be read");
    const std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::vector<Bytes> messages;
    for (size_t at = 0; at < all.size();) {
        if (all.size() - at < 4) throw std::runtime_error(path + ": ends inside a length");
        const unsigned char *length = reinterpret_cast<const unsigned char *>(&all[at]);
        const size_t size = length[0] | length[1] << 8 | length[2] << 16 | size_t(length[3]) << 24;
        at += 4;
        if (all.size() - at < size) throw std::runtime_error(path + ": ends inside a message");
        messages.emplace_back(all.data() + at, size);
        at += size;
    }
    return messages;
}

inline void write_message(std::ostream &file, View message) {
    const size_t size = message.size();
    const char length[4] = {char(size), char(size >> 8), char(size >> 16), char(size >> 24)};
    file.write(length, 4);
    file.write(message.data(), size);
}

inline uint64_t thread_nanoseconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return uint64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

template <class Codec> class Server {
public:
    Server(Codec &codec, const std::string &hello) : codec(codec), hello(hello) {}

    int serve() {
        for (std::string line; std::getline(std::cin, line);) {
            if (line == "stop") return 0;
            std::string reply;
            try {
                reply = answer(line);
            } catch (const std::exception &error) {
                reply = std::string("error ") + error.what();
            }
            for (char &byte : reply)
                if (byte == '\n' || byte == '\r') byte = ' ';
            std::cout << reply << std::endl;
        }
        return 0;
    }

private:
    std::string answer(const std::string &line) {
        std::istringstream words(line);
        std::string verb;
        words >> verb;
        if (verb == "hello") return "hello " + hello;
        if (verb == "load") {
            std::string format;
            words >> format;
            return load(format, rest(words));
        }
        if (verb == "echo") return echo(rest(words));
        if (verb == "run") {
            std::string operation;
            long passes = 0;
            if (!(words >> operation >> passes) || passes < 1)
                throw std::runtime_error("run wants decode or encode and a number of passes");
            return run(operation, passes);
        }
        throw std::runtime_error("unknown command: " + verb);
    }

    // File names may hold blanks: they take the rest of the line.
    static std::string rest(std::istringstream &words) {
        std::string path;
        words >> std::ws;
        std::getline(words, path);
        if (path.empty()) throw std::runtime_error("a file name is missing");
        return path;
    }

    std::string load(const std::string &format, const std::string &path) {
        codec.forget();
        messages.clear();
        if (!codec.select(format)) throw std::runtime_error("unknown format: " + format);
        std::vector<Bytes> corpus = read_corpus(path);
        for (size_t index = 0; index < corpus.size(); ++index) {
            try {
                codec.keep(corpus[index]);
            } catch (const std::exception &error) {
                codec.forget();
                throw std::runtime_error("message " + std::to_string(index) + ": " + error.what());
            }
        }
        messages = std::move(corpus);
        return "loaded " + std::to_string(messages.size());
    }

    std::string echo(const std::string &path) {
        if (messages.empty()) throw std::runtime_error("nothing is loaded");
        std::ofstream file(path, std::ios::binary);
        for (size_t index = 0; index < messages.size(); ++index)
            write_message(file, codec.encode(index));
        file.close();
        if (!file) throw std::runtime_error(path + ": cannot be written");
        return "echoed " + std::to_string(messages.size());
    }

    std::string run(const std::string &operation, long passes) {
        if (messages.empty()) throw std::runtime_error("nothing is loaded");
        const bool decoding = operation == "decode";
        if (!decoding && (operation != "encode" || !Codec::encodes))
            throw std::runtime_error("this peer does not " + operation);
        const uint64_t start = thread_nanoseconds();
        for (long pass = 0; pass < passes; ++pass) {
            if (decoding)
                for (const Bytes &message : messages) codec.decode(message);
            else
                for (size_t index = 0; index < messages.size(); ++index) codec.encode(index);
        }
        const uint64_t spent = thread_nanoseconds() - start;
        return std::to_string(spent) + "," + std::to_string(passes * messages.size());
    }

    Codec &codec;
    std::string hello;
    std::vector<Bytes> messages;
};

template <class Codec> int serve(Codec &codec, const std::string &hello) {
    return Server<Codec>(codec, hello).serve();
}

} // namespace peer

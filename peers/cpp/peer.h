// The peer's side of PROTOCOL.md, shared by all peers written in C++.
//
// A codec is a class with:
//   bool select(const std::string &format);       false: the format is not known
//   void keep(View message);                      decodes and keeps the structure
//   void forget();                                drops all kept structures
//   Structure &kept(size_t index);                a kept structure
//   Structure &decode(View message);              decodes into a new structure that stays until the
//                                                 next decode, which drops it; this is timed
//   Structure &decode_again(View message);        decodes into the structure of the last time, whose
//                                                 memory is used again; this is timed
//   View encode(Structure &structure);            this is timed
//   static constexpr bool encodes;                false: encode is only good for echo
// Every one of them reports failure by throwing a std::exception. A message lies in memory at a
// multiple of 8 bytes if its format is CDR.
#pragma once

#include "network.h"

#include <cstdio>
#include <iostream>
#include <iterator>

namespace peer {

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

// Verbs is Network, or answers other verbs by the same two functions.
template <class Codec, template <class> class Verbs> class Server {
public:
    Server(Codec &codec, const std::string &hello)
        : codec(codec), hello(hello), network(codec, messages) {}

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
        if (verb == "echo") return echo(rest(words), false);
        if (verb == "echo-reused") return echo(rest(words), true);
        if (verb == "run") {
            std::string operation;
            long passes = 0;
            if (!(words >> operation >> passes) || passes < 1)
                throw std::runtime_error("run wants decode or encode and a number of passes");
            std::string reused;
            if (words >> reused && (reused != "reused" || operation != "decode"))
                throw std::runtime_error("unknown word: " + reused);
            return run(operation, passes, !reused.empty());
        }
        std::string reply;
        if (network.answer(verb, words, reply)) return reply;
        throw std::runtime_error("unknown command: " + verb);
    }

    std::string load(const std::string &format, const std::string &path) {
        codec.forget();
        messages.clear();
        if (!codec.select(format)) throw std::runtime_error("unknown format: " + format);
        network.select(format);
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

    std::string echo(const std::string &path, bool reused) {
        if (messages.empty()) throw std::runtime_error("nothing is loaded");
        std::ofstream file(path, std::ios::binary);
        for (size_t index = 0; index < messages.size(); ++index)
            write_message(file, codec.encode(reused ? codec.decode_again(messages[index])
                                                    : codec.kept(index)));
        file.close();
        if (!file) throw std::runtime_error(path + ": cannot be written");
        return "echoed " + std::to_string(messages.size());
    }

    std::string run(const std::string &operation, long passes, bool reused) {
        if (messages.empty()) throw std::runtime_error("nothing is loaded");
        const bool decoding = operation == "decode";
        if (!decoding && (operation != "encode" || !Codec::encodes))
            throw std::runtime_error("this peer does not " + operation);
        const uint64_t start = thread_nanoseconds();
        for (long pass = 0; pass < passes; ++pass) {
            if (decoding && reused)
                for (const Bytes &message : messages) codec.decode_again(message);
            else if (decoding)
                for (const Bytes &message : messages) codec.decode(message);
            else
                for (size_t index = 0; index < messages.size(); ++index)
                    codec.encode(codec.kept(index));
        }
        const uint64_t spent = thread_nanoseconds() - start;
        return std::to_string(spent) + "," + std::to_string(passes * messages.size());
    }

    Codec &codec;
    std::string hello;
    std::vector<Bytes> messages;
    Verbs<Codec> network;
};

template <class Codec, template <class> class Verbs = Network>
int serve(Codec &codec, const std::string &hello) {
    return Server<Codec, Verbs>(codec, hello).serve();
}

} // namespace peer

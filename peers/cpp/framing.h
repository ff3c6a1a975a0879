// Where a message ends on a connection.
#pragma once

#include "message.h"

#include <algorithm>
#include <stdexcept>

namespace peer {

enum class Framing { fix, soap, cdr };

inline Framing framing_of(const std::string &format) {
    if (format.compare(0, 4, "soap") == 0) return Framing::soap;
    return format == "fix" ? Framing::fix : Framing::cdr;
}

constexpr size_t message_limit = 16 << 20;
constexpr size_t cdr_length_size = 4;

// Finds the message that a buffer begins with. It is asked again with the same bytes and more
// behind them until it has found one, and goes on where it had ended.
class Framer {
public:
    explicit Framer(Framing framing) : framing(framing) {}

    // False: bytes are missing. A std::exception: no message can begin so.
    bool find(const char *data, size_t size) {
        const bool found = framing == Framing::fix    ? find_fix(data, size)
                           : framing == Framing::soap ? find_soap(data, size)
                                                      : find_cdr(data, size);
        if (std::max(found ? 0 : size, end) > message_limit)
            throw std::runtime_error("a message is longer than 16 MiB");
        return found;
    }

    // Whether nothing of a message has been seen in so many bytes.
    bool idle(size_t size) const { return framing == Framing::soap ? begin == size : size == 0; }

    void reset() { begin = end = searched = 0; }

    // The message that was found; before `begin` are blanks or a length.
    size_t begin = 0;
    size_t end = 0;

private:
    // 8=, 9= with the length of what follows it, and 10= with three digits.
    bool find_fix(const char *data, size_t size) {
        if (!end && !find_fix_body(data, size)) return false;
        if (size < end) return false;
        if (std::memcmp(data + end - fix_trailer_size, "10=", 3) || data[end - 1] != '\1')
            throw std::runtime_error("BodyLength does not lead to CheckSum");
        return true;
    }

    bool find_fix_body(const char *data, size_t size) {
        const char *const limit = data + std::min(size, fix_head_limit);
        const char *const second = std::find(data, limit, '\1');
        const char *const third = second == limit ? limit : std::find(second + 1, limit, '\1');
        if (std::memcmp(data, "8=", std::min<size_t>(size, 2)))
            throw std::runtime_error("the message does not begin with 8=");
        if (third == limit) {
            if (size >= fix_head_limit) throw std::runtime_error("BodyLength is missing");
            return false;
        }
        if (third - second < 4 || std::memcmp(second + 1, "9=", 2))
            throw std::runtime_error("the second field is not BodyLength");
        size_t length = 0;
        for (const char *digit = second + 3; digit != third; ++digit) {
            if (*digit < '0' || *digit > '9') throw std::runtime_error("BodyLength is no number");
            length = std::min(length * 10 + (*digit - '0'), message_limit);
        }
        end = third + 1 - data + length + fix_trailer_size;
        return true;
    }

    // From the first byte that is no blank to the end tag of Envelope.
    bool find_soap(const char *data, size_t size) {
        static const char name[] = "Envelope>";
        const size_t name_size = sizeof name - 1;
        while (begin < size && std::memchr(" \t\r\n", data[begin], 4)) ++begin;
        if (begin < size && data[begin] != '<')
            throw std::runtime_error("the message does not begin with <");
        searched = std::max(searched, begin);
        while (const void *hit = memmem(data + searched, size - searched, name, name_size)) {
            const size_t at = static_cast<const char *>(hit) - data;
            searched = at + name_size;
            if (closes(data, at)) {
                end = searched;
                return true;
            }
        }
        // The name may have begun in the last bytes.
        if (size >= name_size) searched = std::max(searched, size - (name_size - 1));
        return false;
    }

    // Whether </ or </prefix: stands before the name at `at`.
    bool closes(const char *data, size_t at) const {
        size_t open = at;
        if (open > begin && data[open - 1] == ':')
            while (open > begin && !std::memchr("<>/ \t\r\n", data[open - 1], 7)) --open;
        return open >= begin + 2 && data[open - 1] == '/' && data[open - 2] == '<';
    }

    bool find_cdr(const char *data, size_t size) {
        if (size < cdr_length_size) return false;
        const unsigned char *length = reinterpret_cast<const unsigned char *>(data);
        begin = cdr_length_size;
        end = begin + (length[0] | length[1] << 8 | length[2] << 16 | size_t(length[3]) << 24);
        return size >= end;
    }

    static constexpr size_t fix_head_limit = 64;
    static constexpr size_t fix_trailer_size = 7;

    Framing framing;
    size_t searched = 0;
};

// The bytes that carry a message: for CDR its length and itself, put together in `room`.
inline View frame(Framing framing, View message, std::string &room) {
    if (framing != Framing::cdr) return message;
    const size_t size = message.size();
    const char length[cdr_length_size] = {char(size), char(size >> 8), char(size >> 16),
                                          char(size >> 24)};
    room.assign(length, cdr_length_size);
    room.append(message.data(), size);
    return room;
}

} // namespace peer

// What the harness and the codecs pass to each other, and the clocks.
#pragma once

#include <cstdint>
#include <cstring>
#include <ctime>
#include <new>
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
    View() : begin(nullptr), length(0) {}
    View(const char *data, size_t size) : begin(data), length(size) {}
    View(const std::string &text) : begin(text.data()), length(text.size()) {}
    const char *data() const { return begin; }
    size_t size() const { return length; }
};
}
#endif

namespace peer {

// A message as it came from the corpus, aligned to 8 bytes.
class Bytes {
public:
    Bytes(const char *begin, size_t size) : words(size / 8 + 1), length(size) {
        std::memcpy(words.data(), begin, size);
    }
    operator View() const { return {reinterpret_cast<const char *>(words.data()), length}; }

private:
    std::vector<uint64_t> words;
    size_t length;
};

// Drops what the structure holds. Assigning an empty one would move every field, and T() would
// first set all of its memory to zero.
template <class T> void renew(T &structure) {
    structure.~T();
    new (&structure) T;
}

inline uint64_t nanoseconds(clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return uint64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

inline uint64_t thread_nanoseconds() { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }
inline uint64_t monotonic_nanoseconds() { return nanoseconds(CLOCK_MONOTONIC); }

} // namespace peer

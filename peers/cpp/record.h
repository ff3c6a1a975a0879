// The application's structures for peers whose toolkit generates none: one struct for each
// record of the listing, NAMERecord, with every field. Dates and times stay text.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <vector>

// A field or component that may be absent. (std::optional is not in QuickFIX's C++14.)
template <class T> struct Optional {
    T value{};
    bool set = false;
};

using boolean_field = bool;
using u32_field = uint32_t;
using i32_field = int32_t;
using decimal_field = double;
using text_field = std::string;
using code_field = char;
using bytes_field = std::string;
using date_field = std::string;
using time_field = std::string;
using timestamp_field = std::string;

template <class T> using required_item = T;
template <class T> using optional_item = Optional<T>;

#define RECORD(Type) struct Type##Record {
#define FIELD(Name, Tag, kind, presence, LengthTag) presence##_item<kind##_field> Name{};
#define COMPONENT(Name, Type, presence) presence##_item<Type##Record> Name{};
#define GROUP(Name, CountTag, Type, EntryName, presence) std::vector<Type##Record> Name;
#define END(Type) };
#include "market_data.def"
#undef RECORD
#undef FIELD
#undef COMPONENT
#undef GROUP
#undef END

// Drops what the record holds. Assigning an empty one would move every field, and T() would
// first set all of its memory to zero.
template <class T> void renew(T &record) {
    record.~T();
    new (&record) T;
}

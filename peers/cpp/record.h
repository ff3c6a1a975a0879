// The application's structures for peers whose toolkit generates none: one struct for each
// record of the listing, NAMERecord, with every field. Dates and times stay text.
#pragma once

#include <cstdint>
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

// Forgets what a record holds and keeps its memory: of texts, and of lists the room for entries.
template <class T> void reset(T &value) { value = T(); }
inline void reset(std::string &text) { text.clear(); }
template <class T> void reset(std::vector<T> &entries) { entries.clear(); }
#define RECORD(Type) inline void reset(Type##Record &record);
#define FIELD(Name, Tag, kind, presence, LengthTag)
#define COMPONENT(Name, Type, presence)
#define GROUP(Name, CountTag, Type, EntryName, presence)
#define END(Type)
#include "market_data.def"
#undef RECORD
#undef FIELD
#undef COMPONENT
#undef GROUP
#undef END
// What is not set is empty already.
template <class T> void reset(Optional<T> &item) {
    if (item.set) reset(item.value);
    item.set = false;
}
#define RECORD(Type) inline void reset(Type##Record &record) {
#define FIELD(Name, Tag, kind, presence, LengthTag) reset(record.Name);
#define COMPONENT(Name, Type, presence) reset(record.Name);
#define GROUP(Name, CountTag, Type, EntryName, presence) reset(record.Name);
#define END(Type) }
#include "market_data.def"
#undef RECORD
#undef FIELD
#undef COMPONENT
#undef GROUP
#undef END

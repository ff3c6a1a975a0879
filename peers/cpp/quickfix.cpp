// QuickFIX C++: Message and Group objects parsed by the dictionary of FIX 4.3, body length and
// checksum validated, then every field of the application's structure read or set by its type.
//
// As in the engine's own session, each message is a new FIX::Message, unless a structure is to be
// used again. Beyond what most of its users do for speed: the fields that are there are walked
// through, which is faster than asking for each that might be, and converted where they lie instead
// of being copied out; groups are handed over instead of being copied in, and a group's field
// order is computed only once.
#include "peer.h"
#include "record.h"

#include <memory>
#include <quickfix/DataDictionary.h>
#include <quickfix/Message.h>

// The dictionary lies inside the program, so that it needs no file at run time.
asm(".section .rodata\n"
    "dictionary_begin: .incbin \"FIX43.xml\"\n"
    "dictionary_end:\n"
    ".previous\n");
extern "C" const char dictionary_begin[], dictionary_end[];

namespace {

using FIX::FieldMap;

template <class T> T &fill(T &item) { return item; }
template <class T> T &fill(Optional<T> &item) {
    item.set = true;
    return item.value;
}
template <class T> bool is_set(const T &) { return true; }
template <class T> bool is_set(const Optional<T> &item) { return item.set; }
template <class T> const T &value_of(const T &item) { return item; }
template <class T> const T &value_of(const Optional<T> &item) { return item.value; }

void convert(const std::string &text, bool &value) { value = FIX::BoolConvertor::convert(text); }
void convert(const std::string &text, uint32_t &value) { value = FIX::IntConvertor::convert(text); }
void convert(const std::string &text, int32_t &value) { value = FIX::IntConvertor::convert(text); }
void convert(const std::string &text, double &value) { value = FIX::DoubleConvertor::convert(text); }
void convert(const std::string &text, char &value) { value = FIX::CharConvertor::convert(text); }
void convert(const std::string &text, std::string &value) { value = text; }

void put(FieldMap &map, int tag, bool value) { map.setField(FIX::BoolField(tag, value)); }
void put(FieldMap &map, int tag, uint32_t value) { map.setField(FIX::IntField(tag, value)); }
void put(FieldMap &map, int tag, int32_t value) { map.setField(FIX::IntField(tag, value)); }
void put(FieldMap &map, int tag, double value) { map.setField(FIX::DoubleField(tag, value)); }
void put(FieldMap &map, int tag, char value) { map.setField(FIX::CharField(tag, value)); }
void put(FieldMap &map, int tag, const std::string &value) {
    map.setField(FIX::StringField(tag, value));
}

#define RECORD(Type)                                                                               \
    inline void take(const FieldMap &map, const FIX::FieldBase &field, Type##Record &record);      \
    inline int missing(const Type##Record &record);                                                \
    inline void write(FieldMap &map, const Type##Record &record);                                  \
    inline void append_tags(const Type##Record *, std::vector<int> &tags);
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

template <class T> void read(const FieldMap &map, T &record) {
    for (const FIX::FieldBase &field : map) take(map, field, record);
    if (const int tag = missing(record)) throw FIX::RequiredTagMissing(tag);
}

template <class T> void read_group(const FieldMap &map, int count_tag, std::vector<T> &entries) {
    entries.resize(map.groupCount(count_tag));
    for (size_t index = 0; index < entries.size(); ++index)
        read(map.getGroupRef(index + 1, count_tag), entries[index]);
}

template <class T> T &part(T &component) { return component; }
template <class T> T &part(Optional<T> &component) { return fill(component); }

// The value of a field goes where it belongs in the record; what belongs nowhere is passed over.
#define RECORD(Type)                                                                               \
    inline void take(const FieldMap &map, const FIX::FieldBase &field, Type##Record &record) {     \
        (void)map;                                                                                 \
        switch (field.getTag()) {
#define FIELD(Tag, place) case Tag: convert(field.getString(), fill(place)); break;
#define GROUP(Tag, place) case Tag: read_group(map, Tag, place); break;
#define END(Type) }                                                                                \
    }
#include "market_data.tags.def"
#undef RECORD
#undef FIELD
#undef GROUP
#undef END

// The tag of a required field that was left out, or 0. No value of FIX is empty.
inline bool is_missing(const std::string &text) { return text.empty(); }
inline bool is_missing(char code) { return !code; }
template <class T> bool is_missing(const Optional<T> &) { return false; }
template <class T> int missing(const Optional<T> &component) {
    return component.set ? missing(component.value) : 0;
}
#define RECORD(Type) inline int missing(const Type##Record &record) {                              \
        int tag = 0; (void)tag; (void)record;
#define FIELD(Name, Tag, kind, presence, LengthTag) if (is_missing(record.Name)) return Tag;
#define COMPONENT(Name, Type, presence) if ((tag = missing(record.Name))) return tag;
#define GROUP(Name, CountTag, Type, EntryName, presence)                                           \
        if (presence##_count && record.Name.empty()) return CountTag;
#define END(Type)                                                                                  \
        return 0;                                                                                  \
    }
constexpr bool required_count = true;
constexpr bool optional_count = false;
#include "market_data.def"
#undef RECORD
#undef FIELD
#undef COMPONENT
#undef GROUP
#undef END

template <class T> const std::vector<int> &tags_of() {
    static const std::vector<int> tags = [] {
        std::vector<int> tags;
        append_tags(static_cast<const T *>(nullptr), tags);
        tags.push_back(0);
        return tags;
    }();
    return tags;
}

template <class T> void write_group(FieldMap &map, int count_tag, const std::vector<T> &entries) {
    if (entries.empty()) return;
    static const FIX::message_order order(tags_of<T>().data());
    for (const T &entry : entries) {
        std::unique_ptr<FieldMap> group(new FIX::Group(count_tag, tags_of<T>()[0], order));
        write(*group, entry);
        map.addGroupPtr(count_tag, group.release(), false);
    }
    map.setField(FIX::IntField(count_tag, entries.size()));
}

#define RECORD(Type) inline void write(FieldMap &map, const Type##Record &record) {
#define FIELD(Name, Tag, kind, presence, LengthTag)                                                \
        if (is_set(record.Name)) {                                                                 \
            if (LengthTag) put(map, LengthTag, length_of(value_of(record.Name)));                  \
            put(map, Tag, value_of(record.Name));                                                  \
        }
#define COMPONENT(Name, Type, presence)                                                            \
        if (is_set(record.Name)) write(map, value_of(record.Name));
#define GROUP(Name, CountTag, Type, EntryName, presence) write_group(map, CountTag, record.Name);
#define END(Type) }
template <class T> int32_t length_of(const T &) { return 0; }
int32_t length_of(const std::string &bytes) { return bytes.size(); }
#include "market_data.def"
#undef RECORD
#undef FIELD
#undef COMPONENT
#undef GROUP
#undef END

#define RECORD(Type) inline void append_tags(const Type##Record *, std::vector<int> &tags) {
#define FIELD(Name, Tag, kind, presence, LengthTag)                                                \
        if (LengthTag) tags.push_back(LengthTag);                                                  \
        tags.push_back(Tag);
#define COMPONENT(Name, Type, presence) append_tags(static_cast<Type##Record *>(nullptr), tags);
#define GROUP(Name, CountTag, Type, EntryName, presence) tags.push_back(CountTag);
#define END(Type) }
#include "market_data.def"

class QuickFix {
public:
    static constexpr bool encodes = true;

    QuickFix() {
        std::istringstream text(std::string(dictionary_begin, dictionary_end));
        dictionary.readFromStream(text);
    }

    bool select(const std::string &format) { return format == "fix"; }

    void keep(peer::View message) {
        structures.emplace_back();
        read_message(message, structures.back());
    }

    void forget() { structures.clear(); }

    FIXMLMessageRecord &kept(size_t index) { return structures[index]; }

    FIXMLMessageRecord &decode(peer::View message) {
        peer::renew(work);
        read_message(message, work);
        return work;
    }

    FIXMLMessageRecord &decode_again(peer::View message) {
        reset(work);
        input.assign(message.data(), message.size());
        parsed.setString(input, true, &dictionary);
        read_parsed(parsed, work);
        return work;
    }

    peer::View encode(const FIXMLMessageRecord &record) {
        FIX::Message message;
        message.getHeader().setField(FIX::BeginString("FIX.4.3"));
        message.getHeader().setField(FIX::MsgType("X"));
        write(message.getHeader(), record.Header);
        write(message, record.ApplicationMessage);
        return message.toString(output);
    }

private:
    void read_message(peer::View bytes, FIXMLMessageRecord &record) {
        input.assign(bytes.data(), bytes.size());
        read_parsed(FIX::Message(input, dictionary, true), record);
    }

    static void read_parsed(const FIX::Message &message, FIXMLMessageRecord &record) {
        read(message.getHeader(), record.Header);
        read(message, record.ApplicationMessage);
    }

    FIX::DataDictionary dictionary;
    FIX::Message parsed;
    std::vector<FIXMLMessageRecord> structures;
    FIXMLMessageRecord work;
    std::string input;
    std::string output;
};

} // namespace

int main() {
    QuickFix codec;
    return peer::serve(codec, "quickfix " VERSION " fix");
}

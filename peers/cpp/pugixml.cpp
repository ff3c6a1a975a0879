// pugixml: the fastest well-kept XML parser of C++, with hand-written typed access on top. It
// only decodes; the encoder below is there to show what was decoded, and is not timed.
//
// One document and one input buffer are reused. The parser works in place, so that each decode
// includes copying the message into the buffer. Fields are looked for in the listing's order
// from where the last one was found, so that one comparison settles most of them; elements in
// any other order are found as well, by further rounds.
#include "peer.h"
#include "record.h"

#include <charconv>
#include <cstring>
#include <iterator>
#include <pugixml.hpp>

namespace {

using pugi::xml_node;

[[noreturn]] void fail(const char *name, const char *what) {
    throw std::runtime_error(std::string(name) + " " + what);
}

bool named(const xml_node &node, const char *name) { return !std::strcmp(node.name(), name); }

template <class T> void parse_number(const xml_node &node, T &value) {
    const char *text = node.child_value();
    const char *end = text + std::strlen(text);
    const auto result = std::from_chars(text, end, value);
    if (result.ec != std::errc() || result.ptr != end) fail(node.name(), "is not a number");
}

void decode_base64(const char *name, const char *text, std::string &out) {
    uint32_t bits = 0;
    int count = 0;
    for (; *text && *text != '='; ++text) {
        const char c = *text;
        const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                          : c >= 'a' && c <= 'z' ? c - 'a' + 26
                          : c >= '0' && c <= '9' ? c - '0' + 52
                          : c == '+'             ? 62
                          : c == '/'             ? 63
                                                 : -1;
        if (digit < 0) fail(name, "is not base64");
        bits = bits << 6 | digit;
        count += 6;
        if (count >= 8) out.push_back(char(bits >> (count -= 8)));
    }
}

// One tag type for each kind of field: several kinds have the same C++ type.
struct boolean_kind {};
struct u32_kind {};
struct i32_kind {};
struct decimal_kind {};
struct text_kind {};
struct code_kind {};
struct bytes_kind {};
using date_kind = text_kind;
using time_kind = text_kind;
using timestamp_kind = text_kind;

void read_value(boolean_kind, const xml_node &node, bool &value) {
    const char *text = node.child_value();
    value = !std::strcmp(text, "true") || !std::strcmp(text, "1");
    if (!value && std::strcmp(text, "false") && std::strcmp(text, "0"))
        fail(node.name(), "is not a boolean");
}
void read_value(u32_kind, const xml_node &node, uint32_t &value) { parse_number(node, value); }
void read_value(i32_kind, const xml_node &node, int32_t &value) { parse_number(node, value); }
void read_value(decimal_kind, const xml_node &node, double &value) { parse_number(node, value); }
void read_value(text_kind, const xml_node &node, std::string &value) { value = node.child_value(); }
void read_value(bytes_kind, const xml_node &node, std::string &value) {
    decode_base64(node.name(), node.child_value(), value);
}
void read_value(code_kind, const xml_node &node, char &value) {
    const char *text = node.child_value();
    if (!text[0] || text[1]) fail(node.name(), "is not one character");
    value = text[0];
}

template <class T> T &fill(T &item) { return item; }
template <class T> T &fill(Optional<T> &item) {
    item.set = true;
    return item.value;
}

// The children of an element, taken one by one.
class Children {
public:
    explicit Children(const xml_node &parent) : child(parent.first_child()) {}

    bool take(const char *name) {
        if (!child || !named(child, name)) return false;
        taken = child;
        child = child.next_sibling();
        progress = true;
        return true;
    }

    // Whether another round over the fields is needed.
    bool again() {
        if (!child) return false;
        if (!progress) fail(child.name(), "has no place here");
        progress = false;
        return true;
    }

    xml_node taken;

private:
    xml_node child;
    bool progress = false;
};

#define RECORD(Type) void read(const xml_node &node, Type##Record &record);
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

constexpr int required_count = 1;
constexpr int optional_count = 0;

template <class T>
void read_entries(const xml_node &list, const char *name, std::vector<T> &entries) {
    entries.reserve(std::distance(list.begin(), list.end()));
    for (const xml_node &node : list) {
        if (!named(node, name)) fail(node.name(), "is not an entry's name");
        read(node, entries.emplace_back());
    }
}

#define ITEM(Name, presence, action)                                                               \
            wanted += presence##_count;                                                            \
            if (children.take(#Name)) {                                                            \
                found += presence##_count;                                                         \
                action;                                                                            \
            }
#define RECORD(Type)                                                                               \
    void read(const xml_node &node, Type##Record &record) {                                        \
        Children children(node);                                                                   \
        int wanted, found = 0;                                                                     \
        do {                                                                                       \
            wanted = 0;
#define FIELD(Name, Tag, kind, presence, LengthTag)                                                \
    ITEM(Name, presence, read_value(kind##_kind{}, children.taken, fill(record.Name)))
#define COMPONENT(Name, Type, presence)                                                            \
    ITEM(Name, presence, read(children.taken, fill(record.Name)))
#define GROUP(Name, CountTag, Type, EntryName, presence)                                           \
    ITEM(Name, presence, read_entries(children.taken, #EntryName, record.Name))
#define END(Type)                                                                                  \
        } while (children.again());                                                                \
        if (found != wanted) fail(node.name(), "lacks or repeats a required element");             \
    }
#include "market_data.def"
#undef RECORD
#undef FIELD
#undef COMPONENT
#undef GROUP
#undef END

// The encoder for echo: plain, not timed.

void write_text(std::string &out, const std::string &text) {
    for (const char byte : text) {
        if (byte == '<') out += "&lt;";
        else if (byte == '>') out += "&gt;";
        else if (byte == '&') out += "&amp;";
        else out += byte;
    }
}

void write_value(boolean_kind, std::string &out, bool value) { out += value ? "true" : "false"; }
void write_value(u32_kind, std::string &out, uint32_t value) { out += std::to_string(value); }
void write_value(i32_kind, std::string &out, int32_t value) { out += std::to_string(value); }
void write_value(decimal_kind, std::string &out, double value) {
    char text[32];
    out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}
void write_value(text_kind, std::string &out, const std::string &value) { write_text(out, value); }
void write_value(code_kind, std::string &out, char value) { write_text(out, std::string(1, value)); }
void write_value(bytes_kind, std::string &out, const std::string &value) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < value.size(); at += 3) {
        uint32_t bits = 0;
        for (size_t byte = at; byte < at + 3; ++byte)
            bits = bits << 8 | (byte < value.size() ? uint8_t(value[byte]) : 0);
        for (size_t digit = 0; digit < 4; ++digit)
            out += at + digit > value.size() ? '=' : digits[bits >> (18 - 6 * digit) & 63];
    }
}

template <class T, class Write> void write_item(std::string &out, const char *name, const T &item,
                                                Write write) {
    out.append("<").append(name).append(">");
    write(item);
    out.append("</").append(name).append(">");
}
template <class T, class Write> void write_item(std::string &out, const char *name,
                                                const Optional<T> &item, Write write) {
    if (item.set) write_item(out, name, item.value, write);
}

#define RECORD(Type) void write(std::string &out, const Type##Record &record) {
#define FIELD(Name, Tag, kind, presence, LengthTag)                                                \
        write_item(out, #Name, record.Name,                                                        \
                   [&out](const auto &value) { write_value(kind##_kind{}, out, value); });
#define COMPONENT(Name, Type, presence)                                                            \
        write_item(out, #Name, record.Name, [&out](const auto &part) { write(out, part); });
#define GROUP(Name, CountTag, Type, EntryName, presence)                                           \
        if (!record.Name.empty()) write_item(out, #Name, record.Name, [&out](const auto &entries) {\
            for (const auto &entry : entries)                                                      \
                write_item(out, #EntryName, entry, [&out](const auto &part) { write(out, part); });\
        });
#define END(Type) }
#include "market_data.def"

const char opening[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
    "<SOAP-ENV:Envelope xmlns:SOAP-ENV=\"http://schemas.xmlsoap.org/soap/envelope/\""
    " xmlns:SOAP-ENC=\"http://schemas.xmlsoap.org/soap/encoding/\""
    " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
    " xmlns:xsd=\"http://www.w3.org/2001/XMLSchema\"><SOAP-ENV:Body";
const char encoding_style[] =
    " SOAP-ENV:encodingStyle=\"http://schemas.xmlsoap.org/soap/encoding/\"";

class PugiXml {
public:
    static constexpr bool encodes = false;

    bool select(const std::string &format) {
        rpc = format == "soap-rpc";
        return rpc || format == "soap-doc";
    }

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
        read_message(message, work);
        return work;
    }

    peer::View encode(const FIXMLMessageRecord &record) {
        output = opening;
        if (rpc) output += encoding_style;
        output += rpc ? "><sendMessage><FIXMLMessage>" : "><FIXMLMessage>";
        write(output, record);
        output += rpc ? "</FIXMLMessage></sendMessage>" : "</FIXMLMessage>";
        output += "</SOAP-ENV:Body></SOAP-ENV:Envelope>";
        return output;
    }

private:
    void read_message(peer::View bytes, FIXMLMessageRecord &record) {
        input.assign(bytes.data(), bytes.data() + bytes.size());
        const auto result = document.load_buffer_inplace(input.data(), input.size());
        if (!result) throw std::runtime_error(result.description());
        xml_node node = document.child("SOAP-ENV:Envelope").child("SOAP-ENV:Body");
        if (rpc) node = node.child("sendMessage");
        node = node.child("FIXMLMessage");
        if (!node) throw std::runtime_error("FIXMLMessage is missing");
        read(node, record);
    }

    bool rpc = false;
    std::vector<char> input;
    pugi::xml_document document;
    std::vector<FIXMLMessageRecord> structures;
    FIXMLMessageRecord work;
    std::string output;
};

} // namespace

int main() {
    PugiXml codec;
    return peer::serve(codec, "pugixml " VERSION " soap-rpc,soap-doc");
}

// The CustomerServices message in gSOAP's structures, and its envelopes in every style.
#pragma once

#include "message.h"
#include "soapH.h"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace services {

constexpr const char *NAMESPACE = "urn:trunkline:ng-2004";

// The entries of a list, whatever the style calls them.
template <class Entry> struct Entries {
    const Entry *first;
    int size;
};
inline Entries<q__customer> entries(const q__customers &list) {
    return {list.customer, list.__sizecustomer};
}
inline Entries<q__product> entries(const q__products &list) {
    return {list.product, list.__sizeproduct};
}
inline Entries<u__customer> entries(const u__customers &list) {
    return {list.customer, list.__sizecustomer};
}
inline Entries<u__product> entries(const u__products &list) {
    return {list.product, list.__sizeproduct};
}
inline Entries<u__customer> entries(const ArrayOfcustomer &list) {
    return {list.__ptrcustomer, list.__size};
}
inline Entries<u__product> entries(const ArrayOfproduct &list) {
    return {list.__ptrproduct, list.__size};
}

inline bool same(const char *one, const char *other) {
    return one == other || (one && other && !std::strcmp(one, other));
}

template <class Customer>
auto same(const Customer &one, const Customer &other) -> decltype(one.customerId, true) {
    return same(one.customerId, other.customerId) && same(one.password, other.password) &&
           same(one.firstName, other.firstName) && same(one.lastName, other.lastName) &&
           same(one.address, other.address) && same(one.phoneNum, other.phoneNum) &&
           same(one.email, other.email) && same(one.accountNo, other.accountNo) &&
           one.isValid == other.isValid && same(one.lastModified, other.lastModified);
}

template <class Product>
auto same(const Product &one, const Product &other) -> decltype(one.productId, true) {
    return one.categoryId == other.categoryId && one.isAvailable == other.isAvailable &&
           one.doWeBuy == other.doWeBuy && one.doWeSell == other.doWeSell &&
           one.productId == other.productId && same(one.description, other.description) &&
           one.price == other.price && one.quantity == other.quantity &&
           same(one.quantityUnit, other.quantityUnit) &&
           one.pricePolicyId == other.pricePolicyId && same(one.ETA, other.ETA) &&
           same(one.lastModified, other.lastModified);
}

// A list without entries is the same as none.
template <class List> bool same_list(const List *one, const List *other) {
    static const List none{};
    const auto left = entries(one ? *one : none);
    const auto right = entries(other ? *other : none);
    if (left.size != right.size) return false;
    for (int index = 0; index < left.size; ++index)
        if (!same(left.first[index], right.first[index])) return false;
    return true;
}

// The message of one style, its type hidden.
struct Binding {
    void (*serialize)(struct soap *soap, const void *message);
    int (*put)(struct soap *soap, const void *message, const char *tag, const char *type);
    // Null: soap->error says why.
    void *(*get)(struct soap *soap, const char *tag);
    char *&(*header)(void *message);
    // Everything but the header.
    bool (*same_content)(const void *one, const void *other);
};

template <class Message> bool same_content(const void *one, const void *other) {
    const Message &left = *static_cast<const Message *>(one);
    const Message &right = *static_cast<const Message *>(other);
    return same_list(left.customers, right.customers) && same_list(left.products, right.products);
}

// The functions that soapcpp2 generates carry the type in their names.
#define BINDING(MESSAGE)                                                                           \
    {                                                                                              \
        [](struct soap *soap, const void *message) {                                               \
            soap_serialize_##MESSAGE(soap, static_cast<const MESSAGE *>(message));                 \
        },                                                                                         \
            [](struct soap *soap, const void *message, const char *tag, const char *type) {        \
                return soap_put_##MESSAGE(soap, static_cast<const MESSAGE *>(message), tag, type); \
            },                                                                                     \
            [](struct soap *soap, const char *tag) -> void * {                                     \
                return soap_get_##MESSAGE(soap, nullptr, tag, nullptr);                            \
            },                                                                                     \
            [](void *message) -> char *& { return static_cast<MESSAGE *>(message)->header; },      \
            same_content<MESSAGE>                                                                  \
    }

enum class Version { soap11, soap12 };

enum class Operation { echo, refuse, notify };
constexpr const char *OPERATIONS[] = {"echo", "refuse", "notify"};

// How a style's messages stand in the envelope's body.
struct Style {
    const char *format;
    const char *path;
    const Binding *binding;
    char prefix;
    bool encoded;
    // The body's child is named after the operation; otherwise it is CustomerServices.
    bool named;
    // The names of the body's child: of the requests, and of the answer to echo.
    std::string requests[3];
    std::string response;

    Style(const char *format, const char *path, const Binding &binding, char prefix, bool encoded,
          bool named)
        : format(format), path(path), binding(&binding), prefix(prefix), encoded(encoded),
          named(named) {
        const std::string begin = {prefix, ':'};
        for (int index = 0; index < 3; ++index)
            requests[index] = begin + (named ? OPERATIONS[index] : "CustomerServices");
        response = begin + (named ? "echoResponse" : "CustomerServices");
    }

    const char *request(Operation operation) const { return requests[int(operation)].c_str(); }
};

inline const std::vector<Style> &styles() {
    static const Binding qualified = BINDING(q__CustomerServices);
    static const Binding unqualified = BINDING(u__parts);
    static const Binding arrays = BINDING(u__CustomerServices);
    static const std::vector<Style> all = {
        {"ng-doc-literal", "/doc-literal", qualified, 'q', false, false},
        {"ng-doc-literal-wrapped", "/doc-literal-wrapped", qualified, 'q', false, true},
        {"ng-doc-encoded", "/doc-encoded", arrays, 'u', true, false},
        {"ng-rpc-literal", "/rpc-literal", unqualified, 'u', false, true},
        {"ng-rpc-encoded", "/rpc-encoded", arrays, 'u', true, true},
    };
    return all;
}
#undef BINDING

// Null: no such format.
inline const Style *style_of(const std::string &format) {
    for (const Style &style : styles())
        if (format == style.format) return &style;
    return nullptr;
}

// The namespace table of a style: its first entry makes the version, and only one prefix may stand
// for the message's namespace, since gSOAP takes the first that fits.
inline const struct Namespace *table_of(const Style &style, Version version) {
#define TABLE(ENVELOPE, ENCODING, OTHER_ENVELOPE, OTHER_ENCODING, PREFIX)                          \
    {                                                                                              \
        {"SOAP-ENV", ENVELOPE, OTHER_ENVELOPE, nullptr},                                           \
        {"SOAP-ENC", ENCODING, OTHER_ENCODING, nullptr},                                           \
        {"xsi", "http://www.w3.org/2001/XMLSchema-instance",                                       \
         "http://www.w3.org/*/XMLSchema-instance", nullptr},                                       \
        {"xsd", "http://www.w3.org/2001/XMLSchema", "http://www.w3.org/*/XMLSchema", nullptr},     \
        {PREFIX, NAMESPACE, nullptr, nullptr}, {nullptr, nullptr, nullptr, nullptr},               \
    }
#define SOAP_11(PREFIX)                                                                          \
    TABLE("http://schemas.xmlsoap.org/soap/envelope/",                                             \
          "http://schemas.xmlsoap.org/soap/encoding/", "http://www.w3.org/*/soap-envelope",        \
          "http://www.w3.org/*/soap-encoding", PREFIX)
#define SOAP_12(PREFIX)                                                                          \
    TABLE("http://www.w3.org/2003/05/soap-envelope", "http://www.w3.org/2003/05/soap-encoding",    \
          "http://schemas.xmlsoap.org/soap/envelope/",                                             \
          "http://schemas.xmlsoap.org/soap/encoding/", PREFIX)
    static const struct Namespace tables[2][2][6] = {{SOAP_11("q"), SOAP_11("u")},
                                                     {SOAP_12("q"), SOAP_12("u")}};
    return tables[version == Version::soap12][style.prefix == 'u'];
#undef SOAP_11
#undef SOAP_12
#undef TABLE
}

// Makes the context read this style, before the envelope.
inline void choose(struct soap *soap, const Style &style, Version version) {
    const struct Namespace *table = table_of(style, version);
    if (soap->namespaces != table) soap_set_namespaces(soap, table);
}

// Makes the context write this style, between soap_begin and soap_begin_count or soap_begin_send.
inline void encode_as(struct soap *soap, const Style &style) {
    // An empty string asks for the version's own encoding, and nullptr for none.
    soap->encodingStyle = style.encoded ? "" : nullptr;
    if (style.encoded)
        soap_clr_omode(soap, SOAP_XML_NOTYPE);
    else
        soap_set_omode(soap, SOAP_XML_NOTYPE);
}

// As the code that soapcpp2 generates for a call does it. Not zero: soap->error.
inline int put_envelope(struct soap *soap, const Style &style, const void *message,
                        const char *tag) {
    if (soap_envelope_begin_out(soap) || soap_putheader(soap) || soap_body_begin_out(soap))
        return soap->error;
    // Without its tables, the run time writes SOAP 1.2's encodingStyle only when told.
    if (style.encoded && soap->version == 2) soap->encoding = 1;
    // The element that is named after the operation is no value, so it has no type.
    if (style.binding->put(soap, message, tag, style.named ? "" : nullptr) ||
        soap_body_end_out(soap) || soap_envelope_end_out(soap))
        return soap->error;
    return SOAP_OK;
}

inline int begin_envelope_in(struct soap *soap) {
    return soap_envelope_begin_in(soap) || soap_recv_header(soap) || soap_body_begin_in(soap);
}

inline int end_envelope_in(struct soap *soap) {
    return soap_body_end_in(soap) || soap_envelope_end_in(soap) || soap_end_recv(soap);
}

inline std::string fault_text(struct soap *soap) {
    char text[512] = "";
    soap_set_fault(soap);
    soap_sprint_fault(soap, text, sizeof text);
    return text;
}

} // namespace services

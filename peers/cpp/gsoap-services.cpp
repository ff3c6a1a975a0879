// gSOAP at both ends of the interop service: its structures, its HTTP, its threads.
//
// Built twice, as the codec peers are: against Debian's library with OpenSSL and zlib (NAME
// gsoap-debian-services), and with the run time compiled here without the tables of
// multi-referenced objects (NAME gsoap-best-services, WITH_NOIDREF).
#include "customer_services.h"
#include "peer.h"

// The library wants a table of this name; every context is given its own by services::choose.
SOAP_NMAC struct Namespace namespaces[] = {
    {"SOAP-ENV", "http://schemas.xmlsoap.org/soap/envelope/", nullptr, nullptr},
    {"SOAP-ENC", "http://schemas.xmlsoap.org/soap/encoding/", nullptr, nullptr},
    {"xsi", "http://www.w3.org/2001/XMLSchema-instance", nullptr, nullptr},
    {"xsd", "http://www.w3.org/2001/XMLSchema", nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr},
};

namespace {

using services::Style;

class Codec {
public:
    static constexpr bool encodes = true;

    Codec() {
        prepare(work);
        prepare(keeper);
    }

    bool select(const std::string &format) {
        style = services::style_of(format);
        if (!style) return false;
        tag = style->tag("echo", "");
        services::choose(&work.soap, *style, services::Version::soap11);
        services::choose(&keeper.soap, *style, services::Version::soap11);
        return true;
    }

    void keep(peer::View message) { structures.push_back(read(keeper, message)); }

    void forget() {
        structures.clear();
        soap_destroy(&keeper.soap);
        soap_end(&keeper.soap);
    }

    void *kept(size_t index) { return structures[index]; }

    void *decode(peer::View message) {
        soap_destroy(&work.soap);
        soap_end(&work.soap);
        return read(work, message);
    }

    peer::View encode(void *message) {
        struct soap *soap = &work.soap;
        output.clear();
        soap_begin(soap);
        services::encode_as(soap, *style);
        style->binding->serialize(soap, message);
        if (soap_begin_send(soap) ||
            services::put_envelope(soap, *style, message, tag.c_str()) || soap_end_send(soap))
            fail(soap);
        // soap_end would drop the structure that was decoded, which may be this one.
        soap_free_temp(soap);
        return output;
    }

private:
    struct Context {
        struct soap soap;
        Codec *owner;
        const char *next = nullptr;
        const char *end = nullptr;
        ~Context() {
            soap_destroy(&soap);
            soap_end(&soap);
            soap_done(&soap);
        }
    };

    void prepare(Context &context) {
        soap_init1(&context.soap, SOAP_C_UTFSTRING);
        context.owner = this;
        context.soap.user = &context;
        context.soap.double_format = "%.15lG";
        context.soap.frecv = [](struct soap *soap, char *buffer, size_t room) -> size_t {
            Context &context = *static_cast<Context *>(soap->user);
            const size_t size = std::min(room, size_t(context.end - context.next));
            std::memcpy(buffer, context.next, size);
            context.next += size;
            return size;
        };
        context.soap.fsend = [](struct soap *soap, const char *bytes, size_t size) -> int {
            static_cast<Context *>(soap->user)->owner->output.append(bytes, size);
            return SOAP_OK;
        };
    }

    void *read(Context &context, peer::View bytes) {
        struct soap *soap = &context.soap;
        context.next = bytes.data();
        context.end = bytes.data() + bytes.size();
        void *message = nullptr;
        if (soap_begin_recv(soap) || services::begin_envelope_in(soap) ||
            !(message = style->binding->get(soap, tag.c_str())) || services::end_envelope_in(soap))
            fail(soap);
        return message;
    }

    [[noreturn]] static void fail(struct soap *soap) {
        const std::string text = services::fault_text(soap);
        soap_destroy(soap);
        soap_end(soap);
        throw std::runtime_error(text);
    }

    const Style *style = nullptr;
    std::string tag;
    Context work;
    Context keeper;
    std::vector<void *> structures;
    std::string output;
};

template <class Codec> class ServiceVerbs {
public:
    ServiceVerbs(Codec &codec, const std::vector<peer::Bytes> &) : codec(codec) {}
    void select(const std::string &) {}
    bool answer(const std::string &, std::istringstream &, std::string &) { return false; }

private:
    Codec &codec;
};

} // namespace

int main() {
    Codec codec;
    std::string formats;
    for (const Style *style = services::styles(); style->format; ++style)
        formats += (formats.empty() ? "" : ",") + std::string(style->format);
    const int version = GSOAP_VERSION;
    char hello[256];
    std::snprintf(hello, sizeof hello, "%s %d.%d.%d %s", NAME, version / 100000,
                  version / 1000 % 100, version % 1000, formats.c_str());
    return peer::serve<Codec, ServiceVerbs>(codec, hello);
}

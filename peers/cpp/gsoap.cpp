// gSOAP: the toolkit's generated structures are the application's own.
//
// Good practice of the toolkit: one `struct soap` for all messages, reset by soap_end before
// the next is read; text as UTF-8 char*; transport callbacks on memory, called for whole buffers
// (SOAP_IO_BUFFER) instead of for each piece of markup. Built twice: against
// Debian's library as it is shipped (NAME gsoap-debian) and with the run time compiled here
// without the tables of multi-referenced objects (NAME gsoap-best, WITH_NOIDREF).
#include "peer.h"
#include "soapH.h"

SOAP_NMAC struct Namespace namespaces[] = {
    {"SOAP-ENV", "http://schemas.xmlsoap.org/soap/envelope/", nullptr, nullptr},
    {"SOAP-ENC", "http://schemas.xmlsoap.org/soap/encoding/", nullptr, nullptr},
    {"xsi", "http://www.w3.org/2001/XMLSchema-instance", nullptr, nullptr},
    {"xsd", "http://www.w3.org/2001/XMLSchema", nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr},
};

namespace {

class Gsoap {
public:
    static constexpr bool encodes = true;

    Gsoap() {
        prepare(work);
        prepare(keeper);
    }

    bool select(const std::string &format) {
        rpc = format == "soap-rpc";
        return rpc || format == "soap-doc";
    }

    void keep(peer::View message) { structures.push_back(read(keeper, message)); }

    void forget() {
        structures.clear();
        soap_destroy(&keeper.soap);
        soap_end(&keeper.soap);
    }

    FIXMLMessageRecord &kept(size_t index) { return *structures[index]; }

    FIXMLMessageRecord &decode(peer::View message) {
        soap_destroy(&work.soap);
        soap_end(&work.soap);
        return *read(work, message);
    }

    [[noreturn]] FIXMLMessageRecord & decode_again(peer::View) {
        throw std::runtime_error("gSOAP allocates each message anew");
    }

    peer::View encode(FIXMLMessageRecord &message) {
        struct soap *soap = &work.soap;
        struct sendMessage call;
        call.FIXMLMessage = &message;
        output.clear();
        soap_begin(soap);
        // An empty string, which is what soap_begin leaves, asks for SOAP 1.1's own encoding, and
        // nullptr for none.
        soap->encodingStyle = rpc ? "" : nullptr;
        if (rpc)
            soap_serialize_sendMessage(soap, &call);
        else
            soap_serialize_FIXMLMessageRecord(soap, &message);
        if (soap_begin_send(soap) || soap_envelope_begin_out(soap) || soap_body_begin_out(soap) ||
            (rpc ? soap_put_sendMessage(soap, &call, "sendMessage", nullptr)
                 : soap_put_FIXMLMessageRecord(soap, &message, "FIXMLMessage", nullptr)) ||
            soap_body_end_out(soap) || soap_envelope_end_out(soap) || soap_end_send(soap))
            fail(soap);
        // soap_end would drop the structure that was decoded, which may be this one.
        soap_free_temp(soap);
        return output;
    }

private:
    struct Context {
        struct soap soap;
        Gsoap *owner;
        const char *next = nullptr;
        const char *end = nullptr;
        ~Context() {
            soap_destroy(&soap);
            soap_end(&soap);
            soap_done(&soap);
        }
    };

    void prepare(Context &context) {
        soap_init1(&context.soap, SOAP_C_UTFSTRING | SOAP_IO_BUFFER);
        soap_set_namespaces(&context.soap, namespaces);
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

    FIXMLMessageRecord *read(Context &context, peer::View bytes) {
        struct soap *soap = &context.soap;
        context.next = bytes.data();
        context.end = bytes.data() + bytes.size();
        FIXMLMessageRecord *message = nullptr;
        if (soap_begin_recv(soap) || soap_envelope_begin_in(soap) || soap_recv_header(soap) ||
            soap_body_begin_in(soap))
            fail(soap);
        if (rpc) {
            struct sendMessage call;
            soap_default_sendMessage(soap, &call);
            if (!soap_get_sendMessage(soap, &call, "sendMessage", nullptr)) fail(soap);
            message = call.FIXMLMessage;
        } else {
            message = soap_get_FIXMLMessageRecord(soap, nullptr, "FIXMLMessage", nullptr);
        }
        if (!message || soap_body_end_in(soap) || soap_envelope_end_in(soap) || soap_end_recv(soap))
            fail(soap);
        return message;
    }

    [[noreturn]] static void fail(struct soap *soap) {
        char text[512] = "";
        soap_set_fault(soap);
        soap_sprint_fault(soap, text, sizeof text);
        soap_destroy(soap);
        soap_end(soap);
        throw std::runtime_error(text);
    }

    bool rpc = false;
    Context work;
    Context keeper;
    std::vector<FIXMLMessageRecord *> structures;
    std::string output;
};

} // namespace

int main() {
    Gsoap codec;
    const int version = GSOAP_VERSION;
    char hello[64];
    std::snprintf(hello, sizeof hello, "%s %d.%d.%d soap-rpc,soap-doc", NAME, version / 100000,
                  version / 1000 % 100, version % 1000);
    return peer::serve(codec, hello);
}

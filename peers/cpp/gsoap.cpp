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
        for (const Form known : {Form::rpc, Form::document, Form::compact}) {
            form = known;
            if (format == names[int(form)]) return true;
        }
        return false;
    }

    void keep(peer::View message) { structures.push_back(read(keeper, message)); }

    void forget() {
        structures.clear();
        soap_destroy(&keeper.soap);
        soap_end(&keeper.soap);
    }

    // The message in the structure of the form.
    using Structure = void *;

    Structure &kept(size_t index) { return structures[index]; }

    Structure &decode(peer::View message) {
        soap_destroy(&work.soap);
        soap_end(&work.soap);
        return decoded = read(work, message);
    }

    [[noreturn]] Structure &decode_again(peer::View) {
        throw std::runtime_error("gSOAP allocates each message anew");
    }

    peer::View encode(Structure message) {
        if (form == Form::compact) {
            struct sendMessageCompact call;
            call.e0 = static_cast<FIXMLMessageRecordCompact *>(message);
            return write(call, soap_serialize_sendMessageCompact, soap_put_sendMessageCompact,
                         "sendMessage");
        }
        auto *const plain = static_cast<FIXMLMessageRecord *>(message);
        if (form == Form::document)
            return write(*plain, soap_serialize_FIXMLMessageRecord, soap_put_FIXMLMessageRecord,
                         "FIXMLMessage");
        struct sendMessage call;
        call.FIXMLMessage = plain;
        return write(call, soap_serialize_sendMessage, soap_put_sendMessage, "sendMessage");
    }

    // The words for its forms, with a comma between.
    static std::string formats() {
        return std::string(names[0]) + "," + names[1] + "," + names[2];
    }

private:
    // Compact is rpc with the short names, which the toolkit knows as structures of their own.
    enum class Form { rpc, document, compact };
    static constexpr const char *names[] = {"soap-rpc", "soap-doc", "soap-compact"};

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

    template <class Root, class Serialize, class Put>
    peer::View write(const Root &root, Serialize serialize, Put put, const char *name) {
        struct soap *soap = &work.soap;
        output.clear();
        soap_begin(soap);
        // An empty string, which is what soap_begin leaves, asks for SOAP 1.1's own encoding, and
        // nullptr for none.
        soap->encodingStyle = form == Form::document ? nullptr : "";
        serialize(soap, &root);
        if (soap_begin_send(soap) || soap_envelope_begin_out(soap) || soap_body_begin_out(soap) ||
            put(soap, &root, name, nullptr) || soap_body_end_out(soap) ||
            soap_envelope_end_out(soap) || soap_end_send(soap))
            fail(soap);
        // soap_end would drop the structure that was decoded, which may be this one.
        soap_free_temp(soap);
        return output;
    }

    Structure read(Context &context, peer::View bytes) {
        struct soap *soap = &context.soap;
        context.next = bytes.data();
        context.end = bytes.data() + bytes.size();
        if (soap_begin_recv(soap) || soap_envelope_begin_in(soap) || soap_recv_header(soap) ||
            soap_body_begin_in(soap))
            fail(soap);
        const Structure message = read_body(soap);
        if (!message || soap_body_end_in(soap) || soap_envelope_end_in(soap) || soap_end_recv(soap))
            fail(soap);
        return message;
    }

    Structure read_body(struct soap *soap) {
        if (form == Form::document)
            return soap_get_FIXMLMessageRecord(soap, nullptr, "FIXMLMessage", nullptr);
        if (form == Form::compact) {
            struct sendMessageCompact call;
            soap_default_sendMessageCompact(soap, &call);
            return soap_get_sendMessageCompact(soap, &call, "sendMessage", nullptr) ? call.e0
                                                                                    : nullptr;
        }
        struct sendMessage call;
        soap_default_sendMessage(soap, &call);
        return soap_get_sendMessage(soap, &call, "sendMessage", nullptr) ? call.FIXMLMessage
                                                                         : nullptr;
    }

    [[noreturn]] static void fail(struct soap *soap) {
        char text[512] = "";
        soap_set_fault(soap);
        soap_sprint_fault(soap, text, sizeof text);
        soap_destroy(soap);
        soap_end(soap);
        throw std::runtime_error(text);
    }

    Form form = Form::rpc;
    Context work;
    Context keeper;
    std::vector<Structure> structures;
    Structure decoded = nullptr;
    std::string output;
};

} // namespace

int main() {
    Gsoap codec;
    const int version = GSOAP_VERSION;
    char hello[96];
    std::snprintf(hello, sizeof hello, "%s %d.%d.%d %s", NAME, version / 100000,
                  version / 1000 % 100, version % 1000, Gsoap::formats().c_str());
    return peer::serve(codec, hello);
}

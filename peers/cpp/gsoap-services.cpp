// gSOAP at both ends of the interop service: its structures, its HTTP, its threads.
//
// Built twice, as the codec peers are: against Debian's library with OpenSSL and zlib (NAME
// gsoap-debian-services), and with the run time compiled here without the tables of
// multi-referenced objects (NAME gsoap-best-services, WITH_NOIDREF).
#include "gsoap_client.h"
#include "gsoap_server.h"
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

    [[noreturn]] void * decode_again(peer::View) {
        throw std::runtime_error("gSOAP allocates each message anew");
    }

    peer::View encode(void *message) {
        struct soap *soap = &work.soap;
        output.clear();
        soap_begin(soap);
        services::encode_as(soap, *style);
        style->binding->serialize(soap, message);
        if (soap_begin_send(soap) ||
            services::put_envelope(soap, *style, message, tag()) || soap_end_send(soap))
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
        soap_init1(&context.soap, SOAP_C_UTFSTRING | SOAP_IO_BUFFER);
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
            !(message = style->binding->get(soap, tag())) || services::end_envelope_in(soap))
            fail(soap);
        return message;
    }

    // A corpus holds requests of echo.
    const char *tag() const { return style->request(services::Operation::echo); }

    [[noreturn]] static void fail(struct soap *soap) {
        const std::string text = services::fault_text(soap);
        soap_destroy(soap);
        soap_end(soap);
        throw std::runtime_error(text);
    }

    const Style *style = nullptr;
    Context work;
    Context keeper;
    std::vector<void *> structures;
    std::string output;
};

// The verbs of PROTOCOL.md's section on services.
template <class Codec> class ServiceVerbs {
public:
    ServiceVerbs(Codec &codec, const std::vector<peer::Bytes> &messages)
        : codec(codec), messages(messages) {}

    void select(const std::string &chosen) { format = chosen; }

    // False: no verb of a service.
    bool answer(const std::string &verb, std::istringstream &words, std::string &answer) {
        if (verb == "serve") answer = serve(words);
        else if (verb == "stages") answer = stages();
        else if (verb == "unserve") answer = unserve();
        else if (verb == "call") answer = call(words);
        else return false;
        return true;
    }

private:
    std::string serve(std::istringstream &words) {
        if (server) throw std::runtime_error("this peer serves already");
        services::ServerOptions options;
        if (!(words >> options.threads) || options.threads < 1 || options.threads > 1024)
            throw std::runtime_error("the number of threads is missing or not in 1 to 1024");
        for (std::string word; words >> word;) {
            if (word == "close")
                options.keep_alive = false;
            else if (word == "chunked")
                options.chunked = true;
            else if (word != "tls" || !(words >> options.certificate >> options.key))
                throw std::runtime_error("not close, chunked or tls CERTIFICATE KEY: " + word);
        }
        server = std::make_unique<services::Server>(options);
        return "serving " + std::to_string(server->port());
    }

    std::string stages() {
        const services::Stages sum = running().stages();
        return "stages " + std::to_string(sum.decode) + " " + std::to_string(sum.application) +
               " " + std::to_string(sum.encode) + " " + std::to_string(sum.calls);
    }

    std::string unserve() {
        const uint64_t served = running().stop();
        server.reset();
        return "served " + std::to_string(served);
    }

    services::Server &running() {
        if (!server) throw std::runtime_error("this peer does not serve");
        return *server;
    }

    std::string call(std::istringstream &words) {
        services::ClientOptions options;
        std::string wanted, name;
        long count = 0;
        if (!(words >> options.url >> wanted >> name >> count) || count < 1 || count > 1000000000)
            throw std::runtime_error("call wants URL FORMAT OPERATION COUNT FILE");
        std::string path = peer::rest(words);
        while (options_end(path, " gzip", options.gzip) ||
               options_end(path, " chunked", options.chunked) ||
               options_end(path, " close", options.close)) {
        }
        const auto *const known =
            std::find(std::begin(services::OPERATIONS), std::end(services::OPERATIONS), name);
        if (known == std::end(services::OPERATIONS))
            throw std::runtime_error("unknown operation: " + name);
        if (messages.empty()) throw std::runtime_error("nothing is loaded");
        if (wanted != format) throw std::runtime_error("loaded is " + format + ", not " + wanted);
        peer::Times times(path);
        services::Client client(*services::style_of(format),
                                services::Operation(known - services::OPERATIONS), options);
        for (long index = 0; index < count; ++index)
            times.add(client.call(codec.kept(index % messages.size())));
        times.save();
        return "called " + std::to_string(count);
    }

    // Takes an option off the end of the line, whose beginning is a file's name.
    static bool options_end(std::string &line, const std::string &option, bool &found) {
        if (line.size() <= option.size() ||
            line.compare(line.size() - option.size(), option.size(), option) != 0)
            return false;
        line.resize(line.size() - option.size());
        return found = true;
    }

    Codec &codec;
    const std::vector<peer::Bytes> &messages;
    std::string format;
    std::unique_ptr<services::Server> server;
};

} // namespace

int main() {
    Codec codec;
    std::string formats;
    for (const Style &style : services::styles())
        formats += (formats.empty() ? "" : ",") + std::string(style.format);
    const int version = GSOAP_VERSION;
    char hello[256];
    std::snprintf(hello, sizeof hello, "%s %d.%d.%d %s", NAME, version / 100000,
                  version / 1000 % 100, version % 1000, formats.c_str());
    return peer::serve<Codec, ServiceVerbs>(codec, hello);
}

// The verb call of PROTOCOL.md for services, with gSOAP's own HTTP.
#pragma once

#include "customer_services.h"
#include "message.h"

#include <csignal>

namespace services {

struct ClientOptions {
    std::string url;
    bool gzip = false;
    bool chunked = false;
    bool close = false;
};

// One connection, by the steps of the functions that soapcpp2 generates for calls. Failure is
// thrown as std::runtime_error.
class Client {
public:
    Client(const Style &style, Operation operation, const ClientOptions &options)
        : style(style), operation(operation), url(options.url),
          action(std::string(NAMESPACE) + "#" + OPERATIONS[int(operation)]) {
        std::signal(SIGPIPE, SIG_IGN);
        soap_init1(&soap, SOAP_C_UTFSTRING | (options.close ? 0 : SOAP_IO_KEEPALIVE));
        if (options.chunked) soap_set_omode(&soap, SOAP_IO_CHUNK);
        if (options.gzip) soap_set_omode(&soap, SOAP_ENC_ZLIB);
        soap.double_format = "%.15lG";
        soap.socket_flags = MSG_NOSIGNAL;
        soap.sndbuf = soap.rcvbuf = 0;
        soap.max_keep_alive = 1 << 30;
        soap.connect_timeout = soap.send_timeout = soap.recv_timeout = 30;
        choose(&soap, style, path_of(url).compare(0, 8, "/soap12/") == 0 ? Version::soap12
                                                                         : Version::soap11);
        // Whose certificate it is does not matter on the loopback.
        if (url.compare(0, 6, "https:") == 0 &&
            soap_ssl_client_context(&soap, SOAP_SSL_NO_AUTHENTICATION, nullptr, nullptr, nullptr,
                                    nullptr, nullptr)) {
            const std::string text = fault_text(&soap);
            release();
            throw std::runtime_error(text);
        }
    }

    Client(const Client &) = delete;
    ~Client() { release(); }

    // One call: its nanoseconds, from before the request is encoded until the answer is decoded.
    uint64_t call(const void *message) {
        const uint64_t start = peer::monotonic_nanoseconds();
        void *answer = nullptr;
        send(message);
        if (operation == Operation::notify) {
            if (soap_recv_empty_response(&soap)) fail();
        } else {
            answer = receive();
        }
        const uint64_t spent = peer::monotonic_nanoseconds() - start;
        if (operation == Operation::echo)
            check_echo(message, answer);
        else if (operation == Operation::refuse)
            check_refusal(style.binding->header(const_cast<void *>(message)));
        soap_destroy(&soap);
        soap_end(&soap);
        return spent;
    }

private:
    static std::string path_of(const std::string &url) {
        const size_t host = url.find("://");
        const size_t path = host == std::string::npos ? host : url.find('/', host + 3);
        return path == std::string::npos ? "" : url.substr(path);
    }

    void send(const void *message) {
        const char *const tag = style.request(operation);
        soap_begin(&soap);
        encode_as(&soap, style);
        soap_serializeheader(&soap);
        style.binding->serialize(&soap, message);
        if (soap_begin_count(&soap) ||
            ((soap.mode & SOAP_IO_LENGTH) && put_envelope(&soap, style, message, tag)) ||
            soap_end_count(&soap) || soap_connect(&soap, url.c_str(), action.c_str()) ||
            put_envelope(&soap, style, message, tag) || soap_end_send(&soap))
            fail();
    }

    // The answer to echo, or null: the fault that answers refuse.
    void *receive() {
        if (soap_begin_recv(&soap) || begin_envelope_in(&soap)) fail();
        if (operation == Operation::refuse) {
            if (!soap_recv_fault(&soap, 1)) throw std::runtime_error("no fault answers refuse");
            if (!soap.fault) fail();
            return nullptr;
        }
        void *const answer = style.binding->get(&soap, style.response.c_str());
        if (!answer) {
            soap_recv_fault(&soap, 0);
            fail();
        }
        if (end_envelope_in(&soap)) fail();
        soap_closesock(&soap);
        return answer;
    }

    void check_echo(const void *request, void *answer) {
        const char *const header = style.binding->header(answer);
        if (!same(header, "RESPONSE"))
            throw std::runtime_error(std::string("the answer's header is ") +
                                     (header ? header : "absent"));
        if (!style.binding->same_content(request, answer))
            throw std::runtime_error("the answer's customers or products are not the request's");
    }

    void check_refusal(const char *header) {
        // soap_closesock has left the fault in place.
        const std::string reason = std::string("refused: ") + (header ? header : "");
        const char *const *const code = soap_faultcode(&soap);
        const char *const *const text = soap_faultstring(&soap);
        const char *const expected = soap.version == 2 ? "SOAP-ENV:Sender" : "SOAP-ENV:Client";
        if (!same(*code, expected))
            throw std::runtime_error(std::string("the fault's code is ") +
                                     (*code ? *code : "absent"));
        if (!same(*text, reason.c_str()))
            throw std::runtime_error(std::string("the fault says ") + (*text ? *text : "nothing"));
        const SOAP_ENV__Detail *const detail =
            soap.version == 2 ? soap.fault->SOAP_ENV__Detail : soap.fault->detail;
        if (!detail || !((detail->q__Refusal && detail->q__Refusal->q__code == 42) ||
                         (detail->u__Refusal && detail->u__Refusal->u__code == 42)))
            throw std::runtime_error("the fault has no detail Refusal with the code 42");
    }

    [[noreturn]] void fail() {
        const std::string text = fault_text(&soap);
        soap_destroy(&soap);
        soap_end(&soap);
        throw std::runtime_error(text);
    }

    void release() {
        soap_destroy(&soap);
        soap_end(&soap);
        soap_done(&soap);
    }

    const Style &style;
    const Operation operation;
    const std::string url;
    const std::string action;
    struct soap soap;
};

} // namespace services

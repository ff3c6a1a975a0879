// The verbs serve, stages and unserve of PROTOCOL.md with gSOAP's own HTTP.
//
// Every worker has a `struct soap` of its own, copied from one that listens, accepts by itself and
// serves its connection until it ends, as gSOAP's generated loop does. A call is served by the
// steps of the generated `soap_serve_...` functions, with clocks between them.
#pragma once

#include "customer_services.h"

#include <atomic>
#include <csignal>
#include <memory>
#include <mutex>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace services {

struct ServerOptions {
    int threads = 1;
    bool keep_alive = true;
    // Answers without Content-Length, and so without the pass that counts.
    bool chunked = false;
    // Both empty: no TLS.
    std::string certificate;
    std::string key;
};

struct Stages {
    uint64_t decode = 0;
    uint64_t application = 0;
    uint64_t encode = 0;
    uint64_t calls = 0;
};

// One thread of the server.
class Worker {
public:
    // The context is listening, and outlives the worker.
    Worker(struct soap &listening, bool tls) : soap(soap_copy(&listening)), tls(tls) {
        if (!soap) throw std::runtime_error("no memory for a context");
        soap->user = this;
        receive = soap->frecv;
        send = soap->fsend;
        close = soap->fclosesocket;
        soap->frecv = [](struct soap *soap, char *buffer, size_t room) -> size_t {
            Worker &self = of(soap);
            const uint64_t start = peer::monotonic_nanoseconds();
            const size_t size = self.receive(soap, buffer, room);
            self.elsewhere += peer::monotonic_nanoseconds() - start;
            return size;
        };
        soap->fsend = [](struct soap *soap, const char *bytes, size_t size) -> int {
            Worker &self = of(soap);
            const uint64_t start = peer::monotonic_nanoseconds();
            const int error = self.send(soap, bytes, size);
            self.elsewhere += peer::monotonic_nanoseconds() - start;
            return error;
        };
        soap->fclosesocket = [](struct soap *soap, SOAP_SOCKET socket) -> int {
            Worker &self = of(soap);
            std::lock_guard<std::mutex> lock(self.guard);
            self.connection = SOAP_INVALID_SOCKET;
            return self.close(soap, socket);
        };
        thread = std::thread([this] { run(); });
    }

    // Ends the connection that is served and lets the thread end; the listening socket must have
    // been shut down before.
    void stop() {
        {
            std::lock_guard<std::mutex> lock(guard);
            stopping = true;
            if (soap_valid_socket(connection)) shutdown(connection, SHUT_RDWR);
        }
        thread.join();
        // The listening socket is not the copy's to close.
        soap->master = SOAP_INVALID_SOCKET;
        soap_destroy(soap);
        soap_end(soap);
        soap_free(soap);
    }

    // Adds what was spent since this was asked last.
    void take(Stages &sum) {
        std::lock_guard<std::mutex> lock(guard);
        sum.decode += stages.decode;
        sum.application += stages.application;
        sum.encode += stages.encode;
        sum.calls += stages.calls;
        stages = Stages();
    }

private:
    static Worker &of(struct soap *soap) { return *static_cast<Worker *>(soap->user); }

    // The clock without what was spent in receiving and sending.
    uint64_t clock() const { return peer::monotonic_nanoseconds() - elsewhere; }

    void run() {
        while (begin_connection()) {
            if (!tls || soap_ssl_accept(soap) == SOAP_OK) {
                soap->keep_alive = soap->max_keep_alive;
                do {
                    answer();
                    soap_destroy(soap);
                    soap_end(soap);
                } while (soap->keep_alive && soap_valid_socket(soap->socket));
            }
            soap_destroy(soap);
            soap_end(soap);
            soap_force_closesock(soap);
        }
    }

    bool begin_connection() {
        for (;;) {
            const bool accepted = soap_valid_socket(soap_accept(soap));
            std::lock_guard<std::mutex> lock(guard);
            if (stopping) return false;
            if (accepted) {
                connection = soap->socket;
                return true;
            }
        }
    }

    void answer() {
        soap_begin(soap);
        if (soap_begin_recv(soap)) {
            // A connection that has ended, or a request that was answered on the way.
            if (soap->error == SOAP_EOF || soap->error >= SOAP_STOP)
                soap_closesock(soap);
            else
                fault();
            return;
        }
        elsewhere = 0;
        const uint64_t started = clock();
        const Style *style = choose_style();
        Operation operation = Operation::echo;
        void *message = nullptr;
        if (!style || begin_envelope_in(soap) || find_operation(*style, operation) ||
            !(message = style->binding->get(soap, style->request(operation))) ||
            end_envelope_in(soap)) {
            fault();
            return;
        }
        const uint64_t decoded = clock();
        // What the operations do is little: the next time is when serialising begins.
        char *&header = style->binding->header(message);
        const std::string refused = std::string("refused: ") + (header ? header : "");
        header = const_cast<char *>("RESPONSE");
        const uint64_t applied = clock();
        if (operation == Operation::echo)
            respond(*style, message);
        else if (operation == Operation::refuse)
            refuse(*style, refused);
        else
            soap_send_empty_response(soap, 202);
        const uint64_t ended = clock();
        std::lock_guard<std::mutex> lock(guard);
        stages.decode += decoded - started;
        stages.application += applied - decoded;
        stages.encode += ended - applied;
        ++stages.calls;
    }

    // Null: soap->error says why.
    const Style *choose_style() {
        std::string path = soap->path;
        path.resize(std::min(path.size(), path.find('?')));
        Version version = Version::soap11;
        if (path.compare(0, 8, "/soap12/") == 0) {
            version = Version::soap12;
            path.erase(0, 7);
        }
        for (const Style &style : styles())
            if (path == style.path) {
                choose(soap, style, version);
                if (soap->zlib_in != SOAP_ZLIB_NONE && soap->zlib_out != SOAP_ZLIB_NONE)
                    soap_set_omode(soap, SOAP_ENC_ZLIB);
                else
                    soap_clr_omode(soap, SOAP_ENC_ZLIB);
                return &style;
            }
        soap->error = 404;
        return nullptr;
    }

    // Not zero: soap->error.
    int find_operation(const Style &style, Operation &operation) {
        if (soap_peek_element(soap)) return soap->error;
        const char *const hash = soap->action ? std::strrchr(soap->action, '#') : nullptr;
        // Without an action, a document is to be echoed.
        if (!style.named && !hash) return SOAP_OK;
        for (const Operation candidate : {Operation::echo, Operation::refuse, Operation::notify})
            if (style.named ? !soap_match_tag(soap, soap->tag, style.request(candidate))
                            : !std::strcmp(hash + 1, OPERATIONS[int(candidate)])) {
                operation = candidate;
                return SOAP_OK;
            }
        return soap->error = SOAP_NO_METHOD;
    }

    void respond(const Style &style, const void *message) {
        const char *const tag = style.response.c_str();
        encode_as(soap, style);
        soap_serializeheader(soap);
        style.binding->serialize(soap, message);
        if (soap_begin_count(soap)) return;
        if ((soap->mode & SOAP_IO_LENGTH) && put_envelope(soap, style, message, tag)) return;
        if (soap_end_count(soap) || soap_response(soap, SOAP_OK) ||
            put_envelope(soap, style, message, tag) || soap_end_send(soap)) {
            soap->keep_alive = 0;
            return;
        }
        soap_closesock(soap);
    }

    void refuse(const Style &style, const std::string &reason) {
        soap_sender_fault(soap, reason.c_str(), nullptr);
        auto *detail = soap_new_SOAP_ENV__Detail(soap);
        soap_default_SOAP_ENV__Detail(soap, detail);
        char *const text = soap_strdup(soap, "the service was told to refuse");
        if (style.prefix == 'q') {
            detail->q__Refusal = soap_new_q__Refusal(soap);
            detail->q__Refusal->q__code = 42;
            detail->q__Refusal->q__text = text;
        } else {
            detail->u__Refusal = soap_new_u__Refusal(soap);
            detail->u__Refusal->u__code = 42;
            detail->u__Refusal->u__text = text;
        }
        (soap->version == 2 ? soap->fault->SOAP_ENV__Detail : soap->fault->detail) = detail;
        soap_set_omode(soap, SOAP_XML_NOTYPE);
        soap_send_fault(soap);
    }

    // For what is wrong with a request: what is left of it cannot be told from the next one.
    void fault() {
        soap->keep_alive = 0;
        soap_set_omode(soap, SOAP_XML_NOTYPE);
        soap_send_fault(soap);
    }

    struct soap *soap;
    const bool tls;
    size_t (*receive)(struct soap *, char *, size_t);
    int (*send)(struct soap *, const char *, size_t);
    int (*close)(struct soap *, SOAP_SOCKET);
    // Nanoseconds in receive and send since the request's head was there.
    uint64_t elsewhere = 0;
    std::mutex guard;
    bool stopping = false;
    SOAP_SOCKET connection = SOAP_INVALID_SOCKET;
    Stages stages;
    std::thread thread;
};

class Server {
public:
    explicit Server(const ServerOptions &options) {
        std::signal(SIGPIPE, SIG_IGN);
        const bool tls = !options.certificate.empty();
        soap_init1(&soap, SOAP_C_UTFSTRING | (options.keep_alive ? SOAP_IO_KEEPALIVE : 0));
        if (options.chunked) soap_set_omode(&soap, SOAP_IO_CHUNK);
        soap_set_namespaces(&soap, table_of(styles().front(), Version::soap11));
        soap.double_format = "%.15lG";
        soap.socket_flags = MSG_NOSIGNAL;
        // As the system has them: its own are one segment of the loopback long, and stall for 200 ms where there is more.
        soap.sndbuf = soap.rcvbuf = 0;
        soap.bind_flags = SO_REUSEADDR;
        soap.max_keep_alive = 1 << 30;
        try {
            if (tls) secure(options);
            if (!soap_valid_socket(soap_bind(&soap, "127.0.0.1", 0, 1024)))
                throw std::runtime_error(fault_text(&soap));
            for (int count = 0; count < options.threads; ++count)
                workers.push_back(std::make_unique<Worker>(soap, tls));
        } catch (...) {
            stop();
            throw;
        }
    }

    ~Server() { stop(); }

    int port() const {
        sockaddr_in address;
        socklen_t size = sizeof address;
        getsockname(soap.master, reinterpret_cast<sockaddr *>(&address), &size);
        return ntohs(address.sin_port);
    }

    // What was spent since this was asked last.
    Stages stages() {
        Stages sum;
        for (auto &worker : workers) worker->take(sum);
        served += sum.calls;
        return sum;
    }

    // The calls that were served in all; after it, the server is of no use.
    uint64_t stop() {
        if (stopped) return served;
        stopped = true;
        // It wakes those who wait for a connection.
        if (soap_valid_socket(soap.master)) shutdown(soap.master, SHUT_RDWR);
        for (auto &worker : workers) worker->stop();
        stages();
        workers.clear();
        soap_destroy(&soap);
        soap_end(&soap);
        soap_done(&soap);
        return served;
    }

private:
    void secure(const ServerOptions &options) {
        soap_ssl_init();
        if (soap_ssl_server_context(&soap, SOAP_SSL_DEFAULT | SOAP_SSL_NO_AUTHENTICATION, nullptr,
                                    nullptr, nullptr, nullptr, nullptr, nullptr, "services"))
            throw std::runtime_error(fault_text(&soap));
        if (SSL_CTX_use_certificate_chain_file(soap.ctx, options.certificate.c_str()) != 1)
            throw std::runtime_error(options.certificate + ": no certificate in PEM");
        if (SSL_CTX_use_PrivateKey_file(soap.ctx, options.key.c_str(), SSL_FILETYPE_PEM) != 1)
            throw std::runtime_error(options.key + ": not the certificate's key in PEM");
    }

    struct soap soap;
    std::vector<std::unique_ptr<Worker>> workers;
    uint64_t served = 0;
    bool stopped = false;
};

} // namespace services

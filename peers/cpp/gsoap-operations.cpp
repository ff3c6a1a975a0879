// gSOAP at both ends of the benchmark's operations: the section Operations of PROTOCOL.md.
//
// Its run time is compiled here without the tables of multi-referenced objects (WITH_NOIDREF), as gsoap-best's is. A
// thread of the server has a connection of its own until that ends; so has each thread that calls.
#include "operations.nsmap"
#include "soapH.h"

#include <condition_variable>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

namespace {

constexpr int NUMBER = 20071022;
constexpr int CUSTOMER = 4711;
// 2007-10-22T12:52:30Z
constexpr time_t MOMENT = 1193057550;

char *text(const char *value) { return const_cast<char *>(value); }

bool same(const char *sent, const char *came) { return came && !std::strcmp(sent, came); }

// ------------------------------------------------------------------------------------ values

ns__struct structure() {
    ns__struct it;
    it.number = NUMBER;
    it.fraction = 1.5f;
    it.text = text("Hello World");
    return it;
}

std::vector<unsigned char> bytes(int size) {
    std::vector<unsigned char> bytes(size);
    for (int index = 0; index < size; ++index) bytes[index] = index * 7 % 251;
    return bytes;
}

ns__item item() {
    ns__item it;
    it.id = text("123456789");
    it.description = text("An item of a list");
    it.price = 12.5f;
    it.inventory = 300;
    it.location.street = text("4150 Network Circle");
    it.location.city = text("Santa Clara");
    it.location.country = text("United States");
    it.created = MOMENT;
    return it;
}

ns__address address(const char *street) {
    ns__address it;
    it.firstName = text("Ada");
    it.lastName = text("Lovelace");
    it.address1 = text(street);
    it.address2 = text("Second floor");
    it.city = text("Santa Clara");
    it.state = text("California");
    it.zip = text("95054");
    return it;
}

// The lines live as long as the context's data.
ns__order order(struct soap *soap, int customer, int lines) {
    ns__order it;
    it.orderId = lines;
    it.status = 1;
    it.ordered = MOMENT;
    it.customer.customerId = customer;
    it.customer.firstName = text("Ada");
    it.customer.lastName = text("Lovelace");
    it.customer.phone = text("+1 408 555 0100");
    it.customer.lastActivity = MOMENT;
    it.customer.cardNumber = text("4111 1111 1111 1111");
    it.customer.cardExpiration = text("12/2009");
    it.customer.billingAddress = address("4150 Network Circle");
    it.customer.shippingAddress = address("4140 Network Circle");
    it.lineItems.__sizelineItem = lines;
    it.lineItems.lineItem = soap_new_ns__lineItem(soap, lines);
    for (int index = 1; index <= lines; ++index) {
        char product[32];
        std::snprintf(product, sizeof product, "Product %d", index);
        ns__lineItem &line = it.lineItems.lineItem[index - 1];
        line.orderId = lines;
        line.itemId = line.productId = index;
        line.description = soap_strdup(soap, product);
        line.quantity = 1 + index % 10;
        line.unitPrice = 0.5f + static_cast<float>(index % 100);
    }
    return it;
}

bool same(const ns__struct &sent, const ns__struct &came) {
    return sent.number == came.number && sent.fraction == came.fraction &&
           same(sent.text, came.text);
}

bool same(const ns__item &sent, const ns__item &came) {
    return same(sent.id, came.id) && same(sent.description, came.description) &&
           sent.price == came.price && sent.inventory == came.inventory &&
           same(sent.location.street, came.location.street) &&
           same(sent.location.city, came.location.city) &&
           same(sent.location.country, came.location.country) && sent.created == came.created;
}

bool same(const ns__address &sent, const ns__address &came) {
    return same(sent.firstName, came.firstName) && same(sent.lastName, came.lastName) &&
           same(sent.address1, came.address1) && same(sent.address2, came.address2) &&
           same(sent.city, came.city) && same(sent.state, came.state) && same(sent.zip, came.zip);
}

bool same(const ns__customer &sent, const ns__customer &came) {
    return sent.customerId == came.customerId && same(sent.firstName, came.firstName) &&
           same(sent.lastName, came.lastName) && same(sent.phone, came.phone) &&
           sent.lastActivity == came.lastActivity && same(sent.cardNumber, came.cardNumber) &&
           same(sent.cardExpiration, came.cardExpiration) &&
           same(sent.billingAddress, came.billingAddress) &&
           same(sent.shippingAddress, came.shippingAddress);
}

bool same(const ns__order &sent, const ns__order &came) {
    if (sent.orderId != came.orderId || sent.status != came.status ||
        sent.ordered != came.ordered || !same(sent.customer, came.customer) ||
        sent.lineItems.__sizelineItem != came.lineItems.__sizelineItem)
        return false;
    for (int index = 0; index < sent.lineItems.__sizelineItem; ++index) {
        const ns__lineItem &one = sent.lineItems.lineItem[index];
        const ns__lineItem &other = came.lineItems.lineItem[index];
        if (one.orderId != other.orderId || one.itemId != other.itemId ||
            one.productId != other.productId || !same(one.description, other.description) ||
            one.quantity != other.quantity || one.unitPrice != other.unitPrice)
            return false;
    }
    return true;
}

// ------------------------------------------------------------------------------------ both ends

uint64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return uint64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

std::string fault(struct soap *soap) {
    char buffer[400] = "";
    soap_sprint_fault(soap, buffer, sizeof buffer);
    std::string told(buffer);
    for (char &character : told)
        if (static_cast<unsigned char>(character) < ' ') character = ' ';
    return told;
}

void prepare(struct soap *soap) {
    soap_init1(soap, SOAP_C_UTFSTRING | SOAP_IO_KEEPALIVE);
    soap_set_omode(soap, SOAP_XML_NOTYPE);
    soap->socket_flags = MSG_NOSIGNAL;
    soap->max_keep_alive = 1 << 30;
}

// The server's threads run as long as the program.
int serve(int threads) {
    auto *listening = new struct soap;
    prepare(listening);
    listening->bind_flags = SO_REUSEADDR;
    // What a call has taken is freed before the next on the same connection.
    listening->fserveloop = [](struct soap *soap) -> int {
        soap_destroy(soap);
        soap_end(soap);
        return SOAP_OK;
    };
    if (!soap_valid_socket(soap_bind(listening, "127.0.0.1", 0, 1024)))
        throw std::runtime_error(fault(listening));
    for (int count = 0; count < threads; ++count) {
        struct soap *soap = soap_copy(listening);
        std::thread([soap] {
            for (;;) {
                if (soap_valid_socket(soap_accept(soap))) soap_serve(soap);
                soap_destroy(soap);
                soap_end(soap);
            }
        }).detach();
    }
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    getsockname(listening->master, reinterpret_cast<sockaddr *>(&bound), &size);
    return ntohs(bound.sin_port);
}

// A thread that calls, with a connection of its own.
class Caller {
public:
    explicit Caller(int port) : url("http://127.0.0.1:" + std::to_string(port) + "/operations") {
        prepare(&soap);
        prepare(&keeper);
        soap.connect_timeout = soap.send_timeout = soap.recv_timeout = 60;
        soap_set_namespaces(&soap, namespaces);
    }

    ~Caller() {
        for (struct soap *it : {&soap, &keeper}) {
            soap_destroy(it);
            soap_end(it);
            soap_force_closesock(it);
            soap_done(it);
        }
    }

    Caller(const Caller &) = delete;

    // Makes what is sent.
    void choose(const std::string &operation, int size) {
        soap_destroy(&keeper);
        soap_end(&keeper);
        const char *const to = url.c_str();
        if (operation == "echoVoid") {
            call = [=, this] {
                ns__echoVoidResponse out{};
                return soap_call_ns__echoVoid(&soap, to, nullptr, &out) == SOAP_OK;
            };
        } else if (operation == "echoInt") {
            call = [=, this] {
                ns__echoIntResponse out{};
                return !soap_call_ns__echoInt(&soap, to, nullptr, NUMBER, &out) &&
                       right(out.value == NUMBER);
            };
        } else if (operation == "echoString") {
            call = [=, this] {
                ns__echoStringResponse out{};
                char *const sent = text("Hello World");
                return !soap_call_ns__echoString(&soap, to, nullptr, sent, &out) &&
                       right(same(sent, out.value));
            };
        } else if (operation == "echoStruct") {
            call = [=, this] {
                ns__echoStructResponse out{};
                const ns__struct sent = structure();
                return !soap_call_ns__echoStruct(&soap, to, nullptr, sent, &out) &&
                       right(same(sent, out.value));
            };
        } else if (operation == "echoSynthetic") {
            content = bytes(size);
            call = [=, this] {
                ns__echoSyntheticResponse out{};
                ns__synthetic sent;
                sent.text = text("Hello World");
                sent.structure = structure();
                sent.bytes.__ptr = content.data();
                sent.bytes.__size = int(content.size());
                return !soap_call_ns__echoSynthetic(&soap, to, nullptr, sent, &out) &&
                       right(same(sent.text, out.value.text) &&
                             same(sent.structure, out.value.structure) &&
                             sent.bytes.__size == out.value.bytes.__size &&
                             !std::memcmp(sent.bytes.__ptr, out.value.bytes.__ptr,
                                          sent.bytes.__size));
            };
        } else if (operation == "echoArray") {
            items.assign(size, item());
            call = [=, this] {
                ns__echoArrayResponse out{};
                if (soap_call_ns__echoArray(&soap, to, nullptr, size, items.data(), &out))
                    return false;
                bool is_same = out.__sizevalue == size;
                for (int index = 0; is_same && index < size; ++index)
                    is_same = same(items[index], out.value[index]);
                return right(is_same);
            };
        } else if (operation == "getOrder") {
            expected = order(&keeper, CUSTOMER, size);
            call = [=, this] {
                ns__getOrderResponse out{};
                return !soap_call_ns__getOrder(&soap, to, nullptr, CUSTOMER, size, &out) &&
                       right(same(expected, out.value));
            };
        } else {
            throw std::runtime_error("there is no operation " + operation);
        }
    }

    // Calls for so long, once at least.
    void run(uint64_t nanoseconds) {
        times.clear();
        failure.clear();
        begun = ended = now();
        do {
            wrong = false;
            const bool well = call();
            const uint64_t end = now();
            if (!well)
                failure = "call " + std::to_string(times.size()) + ": " +
                          (wrong ? "a wrong answer" : fault(&soap));
            soap_destroy(&soap);
            soap_end(&soap);
            if (!well) {
                soap_force_closesock(&soap);
                return;
            }
            times.push_back(end - ended);
            ended = end;
        } while (ended - begun < nanoseconds);
    }

    std::vector<uint64_t> times;
    uint64_t begun = 0;
    uint64_t ended = 0;
    std::string failure;

private:
    bool right(bool is_right) {
        wrong = !is_right;
        return is_right;
    }

    const std::string url;
    struct soap soap;
    // Of what is expected.
    struct soap keeper;
    std::function<bool()> call;
    std::vector<unsigned char> content;
    std::vector<ns__item> items;
    ns__order expected;
    bool wrong = false;
};

// Threads that stay from one task to the next.
class Callers {
public:
    Callers(int port, int threads) {
        for (int count = 0; count < threads; ++count) {
            all.push_back(std::make_unique<Caller>(port));
            Caller &caller = *all.back();
            running.emplace_back([this, &caller] { work(caller); });
        }
    }

    ~Callers() {
        {
            std::lock_guard<std::mutex> lock(guard);
            is_over = true;
        }
        changed.notify_all();
        for (std::thread &thread : running) thread.join();
    }

    std::string call(const std::string &operation, int size, int milliseconds,
                     const std::string &file) {
        for (auto &caller : all) caller->choose(operation, size);
        {
            std::unique_lock<std::mutex> lock(guard);
            nanoseconds = uint64_t(milliseconds) * 1000000;
            left = all.size();
            ++task;
            changed.notify_all();
            changed.wait(lock, [this] { return left == 0; });
        }
        uint64_t begun = UINT64_MAX, ended = 0, count = 0;
        std::ofstream out(file, std::ios::binary);
        for (auto &caller : all) {
            if (!caller->failure.empty()) throw std::runtime_error(caller->failure);
            begun = std::min(begun, caller->begun);
            ended = std::max(ended, caller->ended);
            count += caller->times.size();
            // This machine is little-endian, as the protocol is.
            out.write(reinterpret_cast<const char *>(caller->times.data()),
                      caller->times.size() * sizeof(uint64_t));
        }
        if (!out.flush()) throw std::runtime_error(file + ": cannot be written");
        return "called " + std::to_string(count) + " " + std::to_string(ended - begun);
    }

private:
    void work(Caller &caller) {
        for (uint64_t done = 0;;) {
            std::unique_lock<std::mutex> lock(guard);
            changed.wait(lock, [&] { return is_over || task != done; });
            if (is_over) return;
            done = task;
            const uint64_t time = nanoseconds;
            lock.unlock();
            caller.run(time);
            lock.lock();
            if (--left == 0) changed.notify_all();
        }
    }

    std::vector<std::unique_ptr<Caller>> all;
    std::vector<std::thread> running;
    std::mutex guard;
    std::condition_variable changed;
    uint64_t task = 0;
    uint64_t nanoseconds = 0;
    size_t left = 0;
    bool is_over = false;
};

int number(std::istringstream &words) {
    int value = 0;
    if (!(words >> value) || value < 0) throw std::runtime_error("a number is missing");
    return value;
}

void expect_http(std::istringstream &words) {
    std::string mode;
    words >> mode;
    if (mode != "http") throw std::runtime_error("there is no mode " + mode + " here");
}

// Whether the server changes what it gives back.
bool gives_wrong = false;

std::string answer(const std::string &line, std::unique_ptr<Callers> &callers) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "hello") {
        const int version = GSOAP_VERSION;
        return std::string("hello ") + NAME + " " + std::to_string(version / 100000) + "." +
               std::to_string(version / 1000 % 100) + "." + std::to_string(version % 1000) +
               " http";
    }
    if (verb == "serve") {
        expect_http(words);
        const int threads = number(words);
        std::string word;
        if (words >> word && word != "wrong") throw std::runtime_error("unknown word " + word);
        gives_wrong = word == "wrong";
        return "serving " + std::to_string(serve(threads));
    }
    if (verb == "connect") {
        expect_http(words);
        const int port = number(words), threads = number(words);
        callers.reset();
        callers = std::make_unique<Callers>(port, threads);
        return "connected " + std::to_string(threads);
    }
    if (verb == "call") {
        std::string operation;
        words >> operation;
        const int size = number(words), milliseconds = number(words);
        std::string file;
        std::getline(words >> std::ws, file);
        if (!callers) throw std::runtime_error("it is not connected");
        return callers->call(operation, size, milliseconds, file);
    }
    throw std::runtime_error("unknown word " + verb);
}

} // namespace

int ns__echoVoid(struct soap *, ns__echoVoidResponse *) { return SOAP_OK; }

int ns__echoInt(struct soap *, int value, ns__echoIntResponse *out) {
    out->value = value + gives_wrong;
    return SOAP_OK;
}

int ns__echoString(struct soap *, char *value, ns__echoStringResponse *out) {
    out->value = gives_wrong ? text(".") : value;
    return SOAP_OK;
}

int ns__echoStruct(struct soap *, ns__struct value, ns__echoStructResponse *out) {
    out->value = value;
    out->value.fraction += gives_wrong;
    return SOAP_OK;
}

int ns__echoSynthetic(struct soap *, ns__synthetic value, ns__echoSyntheticResponse *out) {
    out->value = value;
    if (gives_wrong) out->value.bytes.__ptr[0] ^= 1;
    return SOAP_OK;
}

int ns__echoArray(struct soap *, int count, ns__item *value, ns__echoArrayResponse *out) {
    out->__sizevalue = count;
    out->value = value;
    if (gives_wrong) value[count - 1].inventory += 1;
    return SOAP_OK;
}

int ns__getOrder(struct soap *soap, int customer, int lines, ns__getOrderResponse *out) {
    if (lines < 0 || lines > 100000) return soap_sender_fault(soap, "too many lines", nullptr);
    out->value = order(soap, customer, lines);
    out->value.status += gives_wrong;
    return SOAP_OK;
}

int main() {
    std::signal(SIGPIPE, SIG_IGN);
    std::unique_ptr<Callers> callers;
    for (std::string line; std::getline(std::cin, line) && line != "stop";) {
        std::string told;
        try {
            told = answer(line, callers);
        } catch (const std::exception &error) {
            told = std::string("error ") + error.what();
        }
        std::cout << told << std::endl;
    }
    // Its servers wait for connections.
    std::_Exit(0);
}

// gSOAP at both ends of the operations on arrays: the section Operations of PROTOCOL.md.
#include "arrays.nsmap"
#include "soapH.h"

#include "gsoap_toolkit.h"

namespace {

constexpr int LARGEST = 100000;

// ------------------------------------------------------------------------------------ values

int scattered(int index) { return index * 7919 % 1000003; }

std::vector<double> doubles(int size) {
    std::vector<double> values(size);
    for (int index = 0; index < size; ++index) values[index] = scattered(index) / 997.0;
    return values;
}

std::vector<int> ints(int size) {
    std::vector<int> values(size);
    for (int index = 0; index < size; ++index) values[index] = scattered(index) - 500000;
    return values;
}

// They live as long as the context's data.
ns__ArrayOfstring strings(struct soap *soap, int size) {
    ns__ArrayOfstring it;
    it.__sizeitem = size;
    it.item = static_cast<char **>(soap_malloc(soap, size * sizeof(char *)));
    for (int index = 0; index < size; ++index) {
        char element[32];
        std::snprintf(element, sizeof element, "element %d", index);
        it.item[index] = soap_strdup(soap, element);
    }
    return it;
}

xsd__base64Binary bytes(struct soap *soap, int size) {
    xsd__base64Binary it;
    it.__size = size;
    it.__ptr = static_cast<unsigned char *>(soap_malloc(soap, size));
    for (int index = 0; index < size; ++index) it.__ptr[index] = index * 7 % 251;
    return it;
}

template <typename Array, typename Values>
bool is_same(const Values &sent, const Array &came) {
    return came.__sizeitem == int(sent.size()) &&
           std::equal(sent.begin(), sent.end(), came.item);
}

bool is_same(const ns__ArrayOfstring &sent, const ns__ArrayOfstring &came) {
    bool is_same = sent.__sizeitem == came.__sizeitem;
    for (int index = 0; is_same && index < sent.__sizeitem; ++index)
        is_same = same(sent.item[index], came.item[index]);
    return is_same;
}

// ------------------------------------------------------------------------------------- calls

class Arrays : public Caller {
public:
    Arrays(const Mode &mode, int port) : Caller(mode, port, "/arrays") {}

    // Makes what is sent.
    void choose(const std::string &operation, int size) override {
        soap_destroy(&keeper);
        soap_end(&keeper);
        const char *const to = url.c_str();
        if (operation == "echoVoid") {
            call = [=, this] {
                ns__echoVoidResponse out{};
                return soap_call_ns__echoVoid(&soap, to, nullptr, &out) == SOAP_OK;
            };
        } else if (operation == "echoDoubles") {
            numbers = doubles(size);
            call = [=, this] {
                ns__echoDoublesResponse out{};
                return !soap_call_ns__echoDoubles(&soap, to, nullptr, of_numbers(), &out) &&
                       right(is_same(numbers, out.value));
            };
        } else if (operation == "receiveDoubles") {
            numbers = doubles(size);
            call = [=, this] {
                ns__receiveDoublesResponse out{};
                return !soap_call_ns__receiveDoubles(&soap, to, nullptr, of_numbers(), &out) &&
                       right(out.value == size);
            };
        } else if (operation == "echoInts") {
            integers = ints(size);
            call = [=, this] {
                ns__echoIntsResponse out{};
                return !soap_call_ns__echoInts(&soap, to, nullptr, of_integers(), &out) &&
                       right(is_same(integers, out.value));
            };
        } else if (operation == "receiveInts") {
            integers = ints(size);
            call = [=, this] {
                ns__receiveIntsResponse out{};
                return !soap_call_ns__receiveInts(&soap, to, nullptr, of_integers(), &out) &&
                       right(out.value == size);
            };
        } else if (operation == "echoStrings") {
            const ns__ArrayOfstring sent = strings(&keeper, size);
            call = [=, this] {
                ns__echoStringsResponse out{};
                return !soap_call_ns__echoStrings(&soap, to, nullptr, sent, &out) &&
                       right(is_same(sent, out.value));
            };
        } else if (operation == "sendStrings") {
            const ns__ArrayOfstring expected = strings(&keeper, size);
            call = [=, this] {
                ns__sendStringsResponse out{};
                return !soap_call_ns__sendStrings(&soap, to, nullptr, size, &out) &&
                       right(is_same(expected, out.value));
            };
        } else if (operation == "sendBytes") {
            const xsd__base64Binary expected = bytes(&keeper, size);
            call = [=, this] {
                ns__sendBytesResponse out{};
                return !soap_call_ns__sendBytes(&soap, to, nullptr, size, &out) &&
                       right(out.value.__size == expected.__size &&
                             !std::memcmp(out.value.__ptr, expected.__ptr, expected.__size));
            };
        } else {
            throw std::runtime_error("there is no operation " + operation);
        }
    }

private:
    ns__ArrayOfdouble of_numbers() {
        ns__ArrayOfdouble it;
        it.__sizeitem = int(numbers.size());
        it.item = numbers.data();
        return it;
    }

    ns__ArrayOfint of_integers() {
        ns__ArrayOfint it;
        it.__sizeitem = int(integers.size());
        it.item = integers.data();
        return it;
    }

    std::vector<double> numbers;
    std::vector<int> integers;
};

// The last is another one, if that is wanted.
template <typename Array> Array answered(Array value) {
    if (gives_wrong && value.__sizeitem > 0) value.item[value.__sizeitem - 1] += 1;
    return value;
}

bool is_too_long(int size) { return size < 0 || size > LARGEST; }

} // namespace

int ns__echoVoid(struct soap *, ns__echoVoidResponse *) { return SOAP_OK; }

int ns__echoDoubles(struct soap *, ns__ArrayOfdouble value, ns__echoDoublesResponse *out) {
    out->value = answered(value);
    return SOAP_OK;
}

int ns__echoInts(struct soap *, ns__ArrayOfint value, ns__echoIntsResponse *out) {
    out->value = answered(value);
    return SOAP_OK;
}

int ns__echoStrings(struct soap *, ns__ArrayOfstring value, ns__echoStringsResponse *out) {
    out->value = value;
    if (gives_wrong && value.__sizeitem > 0) value.item[value.__sizeitem - 1] = text(".");
    return SOAP_OK;
}

int ns__receiveDoubles(struct soap *, ns__ArrayOfdouble value, ns__receiveDoublesResponse *out) {
    out->value = value.__sizeitem + gives_wrong;
    return SOAP_OK;
}

int ns__receiveInts(struct soap *, ns__ArrayOfint value, ns__receiveIntsResponse *out) {
    out->value = value.__sizeitem + gives_wrong;
    return SOAP_OK;
}

int ns__sendBytes(struct soap *soap, int size, ns__sendBytesResponse *out) {
    if (is_too_long(size)) return soap_sender_fault(soap, "too many bytes", nullptr);
    out->value = bytes(soap, size);
    if (gives_wrong && size > 0) out->value.__ptr[size - 1] ^= 1;
    return SOAP_OK;
}

int ns__sendStrings(struct soap *soap, int size, ns__sendStringsResponse *out) {
    if (is_too_long(size)) return soap_sender_fault(soap, "too many texts", nullptr);
    out->value = strings(soap, size);
    if (gives_wrong && size > 0) out->value.item[size - 1] = text(".");
    return SOAP_OK;
}

int main() {
    converse([](const Mode &mode, int port) -> std::unique_ptr<Caller> {
        return std::make_unique<Arrays>(mode, port);
    });
}

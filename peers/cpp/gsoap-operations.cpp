// gSOAP at both ends of the benchmark's operations: the section Operations of PROTOCOL.md.
//
// Its run time is compiled here without the tables of multi-referenced objects (WITH_NOIDREF), as gsoap-best's is.
#include "operations.nsmap"
#include "soapH.h"

#include "gsoap_toolkit.h"

namespace {

// Beside those of structures.
using ::same;

constexpr int NUMBER = 20071022;
constexpr int CUSTOMER = 4711;
// 2007-10-22T12:52:30Z
constexpr time_t MOMENT = 1193057550;

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

// ------------------------------------------------------------------------------------- calls

class Operations : public Caller {
public:
    Operations(const Mode &mode, int port) : Caller(mode, port, "/operations") {}

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

private:
    std::vector<unsigned char> content;
    std::vector<ns__item> items;
    ns__order expected;
};

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
    converse([](const Mode &mode, int port) -> std::unique_ptr<Caller> {
        return std::make_unique<Operations>(mode, port);
    });
}

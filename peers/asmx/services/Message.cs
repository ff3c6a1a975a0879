using System;
using System.Xml.Serialization;

/// What the service is called on the wire.
public static class Names {
    public const string Of = "urn:trunkline:ng-2004";
    public const string Echo = Of + "#echo";
    public const string Refuse = Of + "#refuse";
    public const string Notify = Of + "#notify";
    /// The header that echo answers with.
    public const string Response = "RESPONSE";
    /// Of the detail of a fault.
    public const int Code = 42;
}

/// A customer's account record.
[XmlType("customer", Namespace = Names.Of)]
[SoapType("customer", Names.Of)]
public class Customer {
    public string customerId;
    public string password;
    public string firstName;
    public string lastName;
    public string address;
    public string phoneNum;
    public string email;
    public string accountNo;
    public bool isValid;
    public DateTime lastModified;

    public bool IsSame(Customer other) {
        return customerId == other.customerId && password == other.password && firstName == other.firstName
            && lastName == other.lastName && address == other.address && phoneNum == other.phoneNum
            && email == other.email && accountNo == other.accountNo && isValid == other.isValid
            && lastModified == other.lastModified;
    }
}

/// One line of an invoice.
[XmlType("product", Namespace = Names.Of)]
[SoapType("product", Names.Of)]
public class Product {
    public long categoryId;
    public bool isAvailable;
    public bool doWeBuy;
    public bool doWeSell;
    public long productId;
    public string description;
    public double price;
    public long quantity;
    public string quantityUnit;
    public long pricePolicyId;
    public DateTime ETA;
    public DateTime lastModified;

    public bool IsSame(Product other) {
        return categoryId == other.categoryId && isAvailable == other.isAvailable && doWeBuy == other.doWeBuy
            && doWeSell == other.doWeSell && productId == other.productId && description == other.description
            && price == other.price && quantity == other.quantity && quantityUnit == other.quantityUnit
            && pricePolicyId == other.pricePolicyId && ETA == other.ETA && lastModified == other.lastModified;
    }
}

/// The message.
[XmlType("CustomerServices", Namespace = Names.Of)]
[SoapType("CustomerServices", Names.Of)]
public class CustomerServices {
    public string header;
    public Customer[] customers;
    public Product[] products;

    static bool Same<T>(T[] some, T[] others, Func<T, T, bool> same) {
        some = some ?? new T[0];
        others = others ?? new T[0];
        if (some.Length != others.Length) {
            return false;
        }
        for (var index = 0; index < some.Length; index++) {
            if (!same(some[index], others[index])) {
                return false;
            }
        }
        return true;
    }

    /// Whether both have the same records; none is an empty list.
    public bool HasSameRecords(CustomerServices other) {
        return Same(customers, other.customers, (one, two) => one.IsSame(two))
            && Same(products, other.products, (one, two) => one.IsSame(two));
    }
}

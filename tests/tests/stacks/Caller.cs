using System;
using System.Net;
using System.Text;
using System.Web.Services.Protocols;
using System.Xml;
using DeskService;

/// The desk through what mono's wsdl made of the WSDL, as that of .NET does: the caller.
public static class Caller {
    static Order Order() {
        return new Order {
            id = 7,
            channel = "fax & phone",
            side = Side.SellShort,
            Item = 6.35m,
            buyer = new Party { code = 5, codeSpecified = true, name = "Z\u00fcrich <&>", city = "Z" },
            notes = new[] { "one", "two  words" },
            legs = new[] {
                new Leg { symbol = "IBM", quantity = 5000000000, ratio = 0.5, ratioSpecified = true },
                new Leg { symbol = "CBG", quantity = -1 },
            },
            sizes = new[] { 1, -2, 3 },
            quantity = 5000000000,
            rate = 0.25,
            total = 12345678.25m,
            open = true,
            raw = new byte[] { 0, 255, 10 },
            at = DateTimeOffset.Parse("2026-02-28T23:30:15.25-05:00").UtcDateTime,
            day = new DateTime(2026, 2, 28),
            clock = DateTimeOffset.Parse("2026-02-28T10:15:30+01:00").UtcDateTime,
            hold = "P1DT2H",
        };
    }

    public static void Main(string[] arguments) {
        ServicePointManager.Expect100Continue = false;
        var desk = new Desk { Url = arguments[0], SessionValue = new Session { token = "T-1 <&>" } };
        var order = Order();
        for (var time = 0; time < 2; time++) {
            // The second time with what came back.
            order = desk.place(order);
            Console.WriteLine("receipt " + desk.ReceiptValue.number);
        }
        try {
            desk.refuse(8);
        } catch (SoapException fault) {
            var limit = fault.Detail.FirstChild;
            var line = fault.Message + ": " + limit["most", "urn:desk"].InnerText + " " + limit["why", "urn:desk"].InnerText;
            line += " until " + limit["window", "urn:desk"]["until", "urn:desk"].InnerText;
            foreach (XmlNode step in limit["window", "urn:desk"].GetElementsByTagName("steps", "urn:desk")) {
                line += " " + step.InnerText;
            }
            Console.WriteLine(line);
        }
    }
}

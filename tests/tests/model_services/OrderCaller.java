import java.math.BigDecimal;
import java.net.URI;
import java.util.List;

import jakarta.xml.bind.JAXBElement;
import jakarta.xml.ws.Holder;

import notes.*;
import other.ArrayOfParty;
import party.Party;

/** Places an order with every note of XML through JAX-WS, and prints what comes back. */
public final class OrderCaller {
    public static void main(String[] arguments) throws Exception {
        var port = new Notes(URI.create(arguments[0]).toURL()).getPort(NotesPortType.class);
        var order = new Holder<>(order());
        port.place(order);
        told(order.value);
    }

    private static Order order() {
        var factory = new ObjectFactory();
        var order = new Order();
        order.setId(5);
        order.getFlags().addAll(List.of("a", "b<"));
        order.setLang("de");
        order.setOrderID("X-1");
        order.setPrice(money("6.35", "EUR"));
        order.getFees().addAll(List.of(money("1", "\"&"), money("2", null)));
        order.setBuyer(party(7, "N", "C & D", null));
        var seller = factory.createOrderSeller(null);
        seller.setNil(true);
        order.setSeller(seller);
        order.setNote(factory.createOrderNote("n"));
        order.getSizes().addAll(List.of(1, -2, 3));
        order.setPlain(1L);
        order.setFull(2L);
        order.setCode("K");
        order.setLegs(new ArrayOfParty());
        order.getLegs().getLeg().addAll(List.of(party(null, "l", null, "p"), party(null, "m", "D", null)));
        return order;
    }

    private static Money money(String amount, String currency) {
        var money = new Money();
        money.setValue(new BigDecimal(amount));
        money.setCurrency(currency);
        return money;
    }

    private static Party party(Integer code, String name, String city, String plain) {
        var made = new Party();
        made.setCode(code);
        made.setName(name);
        made.setCity(city);
        if (plain != null) {
            made.setPlain(new party.ObjectFactory().createPartyPlain(plain));
        }
        return made;
    }

    private static <T> T inside(JAXBElement<T> element) {
        return element == null || element.isNil() ? null : element.getValue();
    }

    private static void show(String path, Object... values) {
        var line = new StringBuilder(path);
        for (Object value : values) {
            line.append(' ').append(value == null ? "-" : value);
        }
        System.out.println(line);
    }

    private static String words(List<?> values) {
        return String.join(" ", values.stream().map(Object::toString).toList());
    }

    private static void showMoney(String path, Money money) {
        show(path, money.getValue().toPlainString(), money.getCurrency());
    }

    private static void showParty(String path, Party party) {
        if (party == null) {
            show(path, (Object) null);
        } else {
            show(path, party.getCode(), party.getName(), party.getCity(), inside(party.getPlain()));
        }
    }

    private static void told(Order order) {
        show("id", order.getId());
        show("flags", words(order.getFlags()));
        show("lang", order.getLang());
        show("number", order.getOrderID());
        showMoney("price", order.getPrice());
        show("fees", order.getFees().size());
        for (int index = 0; index < order.getFees().size(); index++) {
            showMoney("fees[" + index + "]", order.getFees().get(index));
        }
        showParty("buyer", order.getBuyer());
        showParty("seller", inside(order.getSeller()));
        show("note", inside(order.getNote()));
        show("sizes", words(order.getSizes()));
        show("plain", order.getPlain());
        show("full", order.getFull());
        show("code", order.getCode());
        var legs = order.getLegs().getLeg();
        show("legs", legs.size());
        for (int index = 0; index < legs.size(); index++) {
            showParty("legs[" + index + "]", legs.get(index));
        }
    }
}

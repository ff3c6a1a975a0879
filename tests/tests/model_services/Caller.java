import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.List;

import javax.xml.datatype.DatatypeFactory;

import jakarta.xml.ws.Holder;

import shapes.*;

/** Places a trade of every shape through JAX-WS, and prints what comes back. */
public final class Caller {
    public static void main(String[] arguments) throws Exception {
        var port = new Shapes(URI.create(arguments[0]).toURL()).getPort(ShapesPortType.class);
        var trade = new Holder<>(trade());
        port.place(trade);
        told(trade.value);
    }

    private static Trade trade() throws Exception {
        var trade = new Trade();
        trade.setSide(Side.SELL_SHORT);
        trade.setLimit(new BigDecimal("6.35"));
        trade.setReferences(strings("r", "s & t"));
        trade.setAddress(address("1 High Street", null));
        trade.setSingle(0.5f);
        trade.setWhole(new BigInteger("123456789012345678901234567890"));
        trade.setExact(new BigDecimal("0.12345678901234567890123"));
        trade.setHold(DatatypeFactory.newInstance().newDuration("P1Y2MT3S"));
        trade.setNotes(strings("", "zw\u00f6lf <&>"));
        trade.setFlags(new ArrayOfboolean());
        trade.getFlags().getItem().addAll(List.of(true, false));
        trade.setSides(new ArrayOfSide());
        trade.getSides().getItem().addAll(List.of(Side.BUY, Side.SELL_SHORT));
        trade.setMatrix(new ArrayOfArrayOfdouble());
        trade.getMatrix().getItem().addAll(List.of(doubles(1.5, 2.25), doubles(3.5, 4.75)));
        trade.setCorners(new ArrayOfAddress());
        trade.getCorners().getAddress().addAll(List.of(address("a", null), address("b", "c")));
        trade.setPrices(prices(new BigDecimal("1.5"), new Nothing(), new BigDecimal("2.5")));
        trade.setRagged(new ArrayOfArrayOfint());
        trade.getRagged().getItem().addAll(List.of(integers(), integers(1, -2)));
        trade.setOptions(new ArrayOfArrayOfPrice());
        trade.getOptions().getItem().addAll(List.of(prices(new Nothing()), prices()));
        trade.getMarks().addAll(List.of(3, 1, 2));
        trade.getTags().addAll(List.of("x", "y"));
        trade.getPair().addAll(List.of(0.5, 0.25));
        trade.getStops().addAll(List.of(address("s", null), address("t", null)));
        var leaf = folder("leaf");
        leaf.setParent(folder("up"));
        trade.setFolder(folder("root", folder("empty"), folder("b", leaf)));
        return trade;
    }

    private static ArrayOfstring strings(String... values) {
        var list = new ArrayOfstring();
        list.getItem().addAll(List.of(values));
        return list;
    }

    private static ArrayOfdouble doubles(Double... values) {
        var list = new ArrayOfdouble();
        list.getItem().addAll(List.of(values));
        return list;
    }

    private static ArrayOfint integers(Integer... values) {
        var list = new ArrayOfint();
        list.getItem().addAll(List.of(values));
        return list;
    }

    private static ArrayOfPrice prices(Object... values) {
        var list = new ArrayOfPrice();
        list.getLimitOrMarket().addAll(List.of(values));
        return list;
    }

    private static Address address(String street, String city) {
        var address = new Address();
        address.setStreet(street);
        address.setCity(city);
        return address;
    }

    private static Folder folder(String name, Folder... folders) {
        var folder = new Folder();
        folder.setName(name);
        if (folders.length > 0) {
            folder.setFolders(new ArrayOfFolder());
            folder.getFolders().getFolder().addAll(List.of(folders));
        }
        return folder;
    }

    private interface Each<T> {
        void show(String path, T value);
    }

    private static void show(String path, Object value) {
        System.out.println((path + " " + value).stripTrailing());
    }

    private static <T> void items(String path, List<T> values, Each<T> each) {
        show(path, values.size());
        for (int index = 0; index < values.size(); index++) {
            each.show(path + "[" + index + "]", values.get(index));
        }
    }

    private static void showAddress(String path, Address address) {
        show(path + ".street", address.getStreet());
        if (address.getCity() != null) {
            show(path + ".city", address.getCity());
        }
    }

    private static void price(String path, Object price) {
        if (price instanceof BigDecimal limit) {
            show(path + "limit", limit);
        } else {
            show(path + "market", "");
        }
    }

    private static void prices(String path, ArrayOfPrice list) {
        items(path, list.getLimitOrMarket(), (at, it) -> price(at + ".", it));
    }

    private static void showFolder(String path, Folder folder) {
        show(path + ".name", folder.getName());
        if (folder.getFolders() != null) {
            items(path + ".folders", folder.getFolders().getFolder(), Caller::showFolder);
        }
        if (folder.getParent() != null) {
            showFolder(path + ".parent", folder.getParent());
        }
    }

    private static void told(Trade trade) {
        show("side", trade.getSide().value());
        price("", trade.getLimit() != null ? trade.getLimit() : trade.getMarket());
        if (trade.getAccount() != null) {
            show("account", trade.getAccount());
        }
        if (trade.getDelivery() != null) {
            showAddress("delivery", trade.getDelivery());
        }
        if (trade.getReferences() != null) {
            items("references", trade.getReferences().getItem(), Caller::show);
        }
        showAddress("address", trade.getAddress());
        show("single", trade.getSingle());
        show("whole", trade.getWhole());
        show("exact", trade.getExact().toPlainString());
        show("hold", trade.getHold());
        items("notes", trade.getNotes().getItem(), Caller::show);
        items("flags", trade.getFlags().getItem(), Caller::show);
        items("sides", trade.getSides().getItem(), (at, it) -> show(at, it.value()));
        items("matrix", trade.getMatrix().getItem(), (at, it) -> items(at, it.getItem(), Caller::show));
        items("corners", trade.getCorners().getAddress(), Caller::showAddress);
        prices("prices", trade.getPrices());
        items("ragged", trade.getRagged().getItem(), (at, it) -> items(at, it.getItem(), Caller::show));
        items("options", trade.getOptions().getItem(), Caller::prices);
        items("marks", trade.getMarks(), Caller::show);
        items("tags", trade.getTags(), Caller::show);
        items("pair", trade.getPair(), Caller::show);
        items("stops", trade.getStops(), Caller::showAddress);
        showFolder("folder", trade.getFolder());
    }
}

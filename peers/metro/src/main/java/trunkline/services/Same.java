package trunkline.services;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.List;
import javax.xml.datatype.XMLGregorianCalendar;

/** Compares what was sent with what came back. */
final class Same {
    private Same() {}

    /** Where two structures of public fields differ, null if nowhere; none is an empty list. */
    static String difference(String where, Object sent, Object received) {
        if (sent == null || received == null) {
            return isEmpty(sent) && isEmpty(received) ? null : where + " is there once only";
        }
        if (sent instanceof List<?> some && received instanceof List<?> others) {
            return listDifference(where, some, others);
        }
        if (sent instanceof XMLGregorianCalendar time) {
            boolean same = time.compare((XMLGregorianCalendar) received) == 0;
            return same ? null : where + " was " + sent + " and is " + received;
        }
        if (sent instanceof Object[] some && received instanceof Object[] others) {
            return listDifference(where, Arrays.asList(some), Arrays.asList(others));
        }
        // Of a class with no such fields it is its own to say.
        if (sent.getClass().getFields().length == 0 || sent.getClass().getName().startsWith("java")) {
            return sent.equals(received) ? null : where + " was " + sent + " and is " + received;
        }
        for (Field field : sent.getClass().getFields()) {
            String inner = difference(
                    where + "." + field.getName(), get(field, sent), get(field, received));
            if (inner != null) return inner;
        }
        return null;
    }

    private static String listDifference(String where, List<?> sent, List<?> received) {
        if (sent.size() != received.size()) {
            return where + " had " + sent.size() + " entries and has " + received.size();
        }
        for (int index = 0; index < sent.size(); index++) {
            String inner = difference(
                    where + "[" + index + "]", sent.get(index), received.get(index));
            if (inner != null) return inner;
        }
        return null;
    }

    private static boolean isEmpty(Object value) {
        if (value == null) return true;
        if (value instanceof List<?> list) return list.isEmpty();
        if (value instanceof Object[] array) return array.length == 0;
        boolean isOpaque = value.getClass().getFields().length == 0;
        if (isOpaque || value.getClass().getName().startsWith("java")) return false;
        for (Field field : value.getClass().getFields()) {
            if (!isEmpty(get(field, value))) return false;
        }
        return true;
    }

    private static Object get(Field field, Object owner) {
        try {
            return field.get(owner);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }
}

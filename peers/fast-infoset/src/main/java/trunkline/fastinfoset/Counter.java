package trunkline.fastinfoset;

import org.xml.sax.Attributes;
import org.xml.sax.helpers.DefaultHandler;

/** Takes events and keeps nothing of them. */
final class Counter extends DefaultHandler {
    long count;

    @Override
    public void startElement(String namespace, String local, String qualified, Attributes attributes) {
        count += local.length() + attributes.getLength();
    }

    @Override
    public void characters(char[] text, int start, int length) {
        count += length;
    }
}

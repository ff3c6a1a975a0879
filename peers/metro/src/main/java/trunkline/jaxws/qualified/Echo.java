package trunkline.jaxws.qualified;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;

/** The message, as what wraps the arguments of `echo`. */
@XmlRootElement(name = "echo")
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "echoRequest")
public class Echo extends CustomerServices {}

package trunkline.jaxws;

import jakarta.xml.bind.annotation.XmlAccessType;
import jakarta.xml.bind.annotation.XmlAccessorType;
import jakarta.xml.bind.annotation.XmlElement;
import jakarta.xml.bind.annotation.XmlRootElement;
import jakarta.xml.bind.annotation.XmlType;
import trunkline.services.Names;

/** The detail of the fault; its elements are in the namespace in every style. */
@XmlRootElement(name = "Refusal", namespace = Names.NAMESPACE)
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "Refusal", namespace = Names.NAMESPACE, propOrder = {"code", "text"})
public class Refusal {
    @XmlElement(namespace = Names.NAMESPACE)
    public int code;
    @XmlElement(namespace = Names.NAMESPACE)
    public String text;
}

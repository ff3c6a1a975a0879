/** The message in the rpc style: the parts and what is in them without a namespace. */
@XmlSchema(namespace = Names.NAMESPACE, elementFormDefault = XmlNsForm.UNQUALIFIED)
package trunkline.jaxws.unqualified;

import jakarta.xml.bind.annotation.XmlNsForm;
import jakarta.xml.bind.annotation.XmlSchema;
import trunkline.services.Names;

/** The message in the document styles: elements in the namespace. */
@XmlSchema(namespace = Names.NAMESPACE, elementFormDefault = XmlNsForm.QUALIFIED)
package trunkline.jaxws.qualified;

import jakarta.xml.bind.annotation.XmlNsForm;
import jakarta.xml.bind.annotation.XmlSchema;
import trunkline.services.Names;

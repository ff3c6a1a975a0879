package trunkline.axis.services;

import javax.xml.namespace.QName;
import javax.xml.rpc.holders.StringHolder;
import org.apache.axis.AxisFault;
import org.apache.axis.Constants;
import trunkline.axis.services.bare.CustomerServices;
import trunkline.services.Names;
import trunkline.services.Stages;

/** The service in each style, by what Axis made of the WSDLs. Axis makes one for each call. */
public final class Services {
    static final int CODE = 42;
    private static final String TEXT = "no message with this header is taken";

    private Services() {}

    /** With the code and the reason of the answer to a message with this header. */
    private static <F extends AxisFault> F ofSender(F fault, String header) {
        fault.setFaultCode(new QName(Constants.URI_SOAP11_ENV, "Client"));
        fault.setFaultString("refused: " + header);
        return fault;
    }

    /** Document/literal. */
    public static final class Bare implements trunkline.axis.services.bare.Bare_PortType {
        @Override
        public CustomerServices echo(CustomerServices message) {
            Stages.enter();
            message.setHeader(Names.RESPONSE);
            Stages.leave();
            return message;
        }

        @Override
        public CustomerServices refuse(CustomerServices message)
                throws trunkline.axis.services.bare.Refusal {
            Stages.enter();
            var refusal =
                    ofSender(new trunkline.axis.services.bare.Refusal(CODE, TEXT), message.getHeader());
            Stages.leave();
            throw refusal;
        }

        @Override
        public void notify(CustomerServices message) {
            Stages.enter();
            Stages.leave();
        }
    }

    /** Document/literal, wrapped. */
    public static final class Wrapped implements trunkline.axis.services.wrapped.Wrapped_PortType {
        @Override
        public void echo(
                StringHolder header,
                trunkline.axis.services.wrapped.holders.ArrayOfcustomerHolder customers,
                trunkline.axis.services.wrapped.holders.ArrayOfproductHolder products) {
            Stages.enter();
            header.value = Names.RESPONSE;
            Stages.leave();
        }

        @Override
        public void refuse(
                StringHolder header,
                trunkline.axis.services.wrapped.holders.ArrayOfcustomerHolder customers,
                trunkline.axis.services.wrapped.holders.ArrayOfproductHolder products)
                throws trunkline.axis.services.wrapped.Refusal {
            Stages.enter();
            var refusal = ofSender(
                    new trunkline.axis.services.wrapped.Refusal(CODE, TEXT), header.value);
            Stages.leave();
            throw refusal;
        }

        @Override
        public void notify(
                String header,
                trunkline.axis.services.wrapped.Customer[] customers,
                trunkline.axis.services.wrapped.Product[] products) {
            Stages.enter();
            Stages.leave();
        }
    }

    /** Rpc/literal. */
    public static final class Literal implements trunkline.axis.services.rpc.Literal_PortType {
        @Override
        public void echo(
                StringHolder header,
                trunkline.axis.services.rpc.holders.ArrayOfcustomerHolder customers,
                trunkline.axis.services.rpc.holders.ArrayOfproductHolder products) {
            Stages.enter();
            header.value = Names.RESPONSE;
            Stages.leave();
        }

        @Override
        public void refuse(
                StringHolder header,
                trunkline.axis.services.rpc.holders.ArrayOfcustomerHolder customers,
                trunkline.axis.services.rpc.holders.ArrayOfproductHolder products)
                throws trunkline.axis.services.rpc.Refusal {
            Stages.enter();
            var refusal = ofSender(
                    new trunkline.axis.services.rpc.Refusal(CODE, TEXT), header.value);
            Stages.leave();
            throw refusal;
        }

        @Override
        public void notify(
                String header,
                trunkline.axis.services.rpc.Customer[] customers,
                trunkline.axis.services.rpc.Product[] products) {
            Stages.enter();
            Stages.leave();
        }
    }

    /** Rpc/encoded. */
    public static final class Encoded implements trunkline.axis.services.rpc.Encoded_PortType {
        @Override
        public void echo(
                StringHolder header,
                trunkline.axis.services.rpc.holders.EncodedArrayOfcustomerHolder customers,
                trunkline.axis.services.rpc.holders.EncodedArrayOfproductHolder products) {
            Stages.enter();
            header.value = Names.RESPONSE;
            Stages.leave();
        }

        @Override
        public void refuse(
                StringHolder header,
                trunkline.axis.services.rpc.holders.EncodedArrayOfcustomerHolder customers,
                trunkline.axis.services.rpc.holders.EncodedArrayOfproductHolder products)
                throws trunkline.axis.services.rpc.Refusal {
            Stages.enter();
            var refusal = ofSender(
                    new trunkline.axis.services.rpc.Refusal(CODE, TEXT), header.value);
            Stages.leave();
            throw refusal;
        }

        @Override
        public void notify(
                String header,
                trunkline.axis.services.rpc.Customer[] customers,
                trunkline.axis.services.rpc.Product[] products) {
            Stages.enter();
            Stages.leave();
        }
    }
}

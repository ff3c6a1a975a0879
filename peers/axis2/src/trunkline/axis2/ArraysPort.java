package trunkline.axis2;

import trunkline.arrays.Answers;
import trunkline.axis2.made.ArrayOfstring;
import trunkline.axis2.made.ArraysServiceSkeleton;
import trunkline.axis2.made.EchoDoubles;
import trunkline.axis2.made.EchoDoublesResponse;
import trunkline.axis2.made.EchoInts;
import trunkline.axis2.made.EchoIntsResponse;
import trunkline.axis2.made.EchoStrings;
import trunkline.axis2.made.EchoStringsResponse;
import trunkline.axis2.made.EchoVoid;
import trunkline.axis2.made.EchoVoidResponse;
import trunkline.axis2.made.ReceiveDoubles;
import trunkline.axis2.made.ReceiveDoublesResponse;
import trunkline.axis2.made.ReceiveInts;
import trunkline.axis2.made.ReceiveIntsResponse;
import trunkline.axis2.made.SendBytes;
import trunkline.axis2.made.SendBytesResponse;
import trunkline.axis2.made.SendStrings;
import trunkline.axis2.made.SendStringsResponse;

/** The operations on arrays, by what Axis2 made of the WSDL. Axis2 makes one for each call. */
public final class ArraysPort extends ArraysServiceSkeleton {
    /** Of all of them. */
    static volatile Answers answers = new Answers(false);

    @Override
    public EchoVoidResponse echoVoid(EchoVoid request) {
        return new EchoVoidResponse();
    }

    @Override
    public EchoDoublesResponse echoDoubles(EchoDoubles request) {
        request.getValue().setItem(answers.echoed(request.getValue().getItem()));
        EchoDoublesResponse response = new EchoDoublesResponse();
        response.setValue(request.getValue());
        return response;
    }

    @Override
    public EchoIntsResponse echoInts(EchoInts request) {
        request.getValue().setItem(answers.echoed(request.getValue().getItem()));
        EchoIntsResponse response = new EchoIntsResponse();
        response.setValue(request.getValue());
        return response;
    }

    @Override
    public EchoStringsResponse echoStrings(EchoStrings request) {
        request.getValue().setItem(answers.echoed(request.getValue().getItem()));
        EchoStringsResponse response = new EchoStringsResponse();
        response.setValue(request.getValue());
        return response;
    }

    @Override
    public ReceiveDoublesResponse receiveDoubles(ReceiveDoubles request) {
        ReceiveDoublesResponse response = new ReceiveDoublesResponse();
        response.setValue(answers.received(request.getValue().getItem().length));
        return response;
    }

    @Override
    public ReceiveIntsResponse receiveInts(ReceiveInts request) {
        ReceiveIntsResponse response = new ReceiveIntsResponse();
        response.setValue(answers.received(request.getValue().getItem().length));
        return response;
    }

    @Override
    public SendBytesResponse sendBytes(SendBytes request) {
        SendBytesResponse response = new SendBytesResponse();
        response.setValue(Octets.of(answers.bytes(request.getValue())));
        return response;
    }

    @Override
    public SendStringsResponse sendStrings(SendStrings request) {
        ArrayOfstring value = new ArrayOfstring();
        value.setItem(answers.strings(request.getValue()));
        SendStringsResponse response = new SendStringsResponse();
        response.setValue(value);
        return response;
    }
}

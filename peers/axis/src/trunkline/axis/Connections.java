package trunkline.axis;

import org.apache.commons.httpclient.params.DefaultHttpParams;
import org.apache.commons.httpclient.params.HttpConnectionParams;

/** How the client of Axis keeps connections. */
public final class Connections {
    private Connections() {
    }

    /** Lets calls go out on a kept connection at once: by default the client waits a millisecond before each, to see whether it is closed. */
    public static void trust() {
        DefaultHttpParams.getDefaultParams()
                .setBooleanParameter(HttpConnectionParams.STALE_CONNECTION_CHECK, false);
    }
}

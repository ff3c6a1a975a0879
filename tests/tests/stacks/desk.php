<?php
/**
 * The desk through PHP's extension soap, by its WSDL: as caller, and in its place.
 *
 * usage: php desk.php call WSDL [soap12]
 *        WSDL=FILE php -S 127.0.0.1:PORT desk.php
 */

const TOKEN = 'T-1 <&>';

function order(bool $is_encoded): array
{
    return [
        'id' => 7,
        'channel' => 'fax & phone',
        'side' => 'SellShort',
        'limit' => '6.35',
        'buyer' => ['code' => 5, 'name' => "Z\u{fc}rich <&>", 'city' => 'Z'],
        'notes' => ['one', 'two  words'],
        'legs' => [
            ['symbol' => 'IBM', 'quantity' => 5000000000, 'ratio' => 0.5],
            ['symbol' => 'CBG', 'quantity' => -1],
        ],
        'sizes' => items([1, -2, 3], $is_encoded),
        'quantity' => 5000000000,
        'rate' => 0.25,
        'total' => '12345678.25',
        'open' => true,
        'raw' => "\x00\xff\x0a",
        'at' => '2026-02-28T23:30:15.25-05:00',
        'day' => '2026-02-28+02:00',
        'clock' => '10:15:30+01:00',
        'hold' => 'P1DT2H',
    ];
}

/** A list with an element around it, which is an array of SOAP where content is encoded. */
function items(array $items, bool $is_encoded): array
{
    return $is_encoded ? $items : ['item' => $items];
}

/** In rpc a part is an argument, and the answer its value; in a document both have an element around. */
function is_rpc(string $wsdl): bool
{
    return str_contains(file_get_contents($wsdl), 'style="rpc"');
}

function is_encoded(string $wsdl): bool
{
    return str_contains(file_get_contents($wsdl), 'body use="encoded"');
}

function call(string $wsdl, string $version): void
{
    $client = new SoapClient($wsdl, [
        'soap_version' => $version === 'soap12' ? SOAP_1_2 : SOAP_1_1,
        // Without this a list of one is no array.
        'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
        'cache_wsdl' => WSDL_CACHE_NONE,
    ]);
    $is_rpc = is_rpc($wsdl);
    $session = new SoapHeader('urn:desk', 'Session', ['token' => TOKEN]);
    $order = order(is_encoded($wsdl));
    for ($time = 0; $time < 2; $time++) {
        // The second time with what came back.
        $arguments = [$is_rpc ? $order : ['order' => $order]];
        $answer = $client->__soapCall('place', $arguments, null, $session, $headers);
        echo 'receipt ', $headers['Receipt']->number, "\n";
        $order = $is_rpc ? $answer : $answer->placed;
    }
    try {
        $client->__soapCall('refuse', [$is_rpc ? 8 : ['quantity' => 8]]);
    } catch (SoapFault $fault) {
        $limit = $fault->detail->Limit;
        $steps = implode(' ', (array) $limit->window->steps);
        echo $fault->getMessage(), ": $limit->most $limit->why until {$limit->window->until} $steps\n";
    }
}

class Desk
{
    private bool $is_known = false;

    public function __construct(private SoapServer $server, private string $wsdl)
    {
    }

    /** The header block of a request, before its operation. */
    public function Session(object $session): void
    {
        $this->is_known = $session->token === TOKEN;
    }

    public function place(object $argument): object|array
    {
        if (!$this->is_known) {
            throw new SoapFault('Client', 'not the token');
        }
        $this->server->addSoapHeader(new SoapHeader('urn:desk', 'Receipt', ['number' => 17]));
        $is_rpc = is_rpc($this->wsdl);
        $order = $is_rpc ? $argument : $argument->order;
        $order->id++;
        $order->side = 'Buy';
        unset($order->limit);
        $order->peg = ['to' => 'bid', 'offset' => '-0.05'];
        $order->seller = ['name' => 'N'];
        $order->notes[] = 'seen';
        array_shift($order->legs);
        $order->sizes = items([], is_encoded($this->wsdl));
        $order->comment = ' seen ';
        $order->open = false;
        return $is_rpc ? $order : ['placed' => $order];
    }

    public function refuse(): void
    {
        $window = ['until' => '2026-03-01', 'steps' => [3, 5]];
        $limit = ['most' => 7, 'why' => 'a < b', 'window' => $window];
        throw new SoapFault('Client', 'too many', null, $limit, 'Limit');
    }
}

if (PHP_SAPI === 'cli') {
    call($argv[2], $argv[3] ?? '');
} else {
    $wsdl = getenv('WSDL');
    $server = new SoapServer($wsdl, ['features' => SOAP_SINGLE_ELEMENT_ARRAYS, 'cache_wsdl' => WSDL_CACHE_NONE]);
    $server->setObject(new Desk($server, $wsdl));
    $server->handle();
}

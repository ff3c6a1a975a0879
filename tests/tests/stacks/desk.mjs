// The desk through the package soap of npm, by its WSDL alone: as caller, and in its place.
//
// usage: node desk.mjs MODULES call|serve WSDL [soap12]       MODULES is the folder of packages, WSDL a URL or a file

import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';

const [modules, verb, wsdl, version] = process.argv.slice(2);
const soap = createRequire(import.meta.url)(`${modules}/soap`);
const asWritten = (text) => text;
// By default it trims texts, speaks SOAP 1.1 whatever the WSDL says, and reads moments and days as Date, of which a day
// with a zone is none; a Date it writes as an empty element.
const options = {
  preserveWhitespace: true,
  forceSoap12Headers: version === 'soap12',
  customDeserializer: { date: asWritten, dateTime: asWritten },
};
const TOKEN = 'T-1 <&>';

const order = {
  attributes: { id: 7, channel: 'fax & phone' },
  side: 'SellShort',
  limit: '6.35',
  buyer: { attributes: { code: 5 }, name: 'Z\u00fcrich <&>', city: 'Z' },
  notes: ['one', 'two  words'],
  legs: [
    { symbol: 'IBM', quantity: 5000000000, ratio: 0.5 },
    { symbol: 'CBG', quantity: -1 },
  ],
  sizes: { item: [1, -2, 3] },
  quantity: 5000000000,
  rate: 0.25,
  total: '12345678.25',
  open: true,
  raw: Buffer.from([0, 255, 10]).toString('base64'),
  at: '2026-02-28T23:30:15.25-05:00',
  day: '2026-02-28+02:00',
  clock: '10:15:30+01:00',
  hold: 'P1DT2H',
};

async function call() {
  const client = await soap.createClientAsync(wsdl, options);
  client.addSoapHeader({ Session: { token: TOKEN } }, '', 'tns', 'urn:desk');
  let sent = order;
  for (let time = 0; time < 2; time++) {
    // The second time with what came back.
    const [answer, , header] = await client.placeAsync({ order: sent });
    console.log(`receipt ${header.Receipt.number}`);
    sent = answer.placed;
  }
  try {
    await client.refuseAsync({ quantity: 8 });
  } catch (error) {
    const { faultstring, detail, Reason, Detail } = error.root.Envelope.Body.Fault;
    const { most, why, window } = (detail ?? Detail).Limit;
    console.log(`${faultstring ?? Reason.Text.$value}: ${most} ${why} until ${window.until} ${window.steps.join(' ')}`);
  }
}

const service = {
  Desk: {
    DeskPort: {
      place({ order }, answer, header) {
        if (header.Session.token !== TOKEN) throw new Error('not the token');
        order.attributes.id = Number(order.attributes.id) + 1;
        order.side = 'Buy';
        delete order.limit;
        order.peg = { to: 'bid', offset: '-0.05' };
        // What the schema says of other namespaces is not looked at here.
        order.seller = { 'n1:name': 'N' };
        const { attributes, name, city } = order.buyer;
        order.buyer = { attributes, 'n1:name': name, 'n1:city': city };
        order.notes.push('seen');
        order.legs.shift();
        order.sizes = { item: [] };
        order.comment = ' seen ';
        order.open = false;
        return { placed: order };
      },
      refuse() {
        throw {
          Fault: {
            faultcode: 'soap:Client',
            faultstring: 'too many',
            detail: {
              Limit: {
                attributes: { xmlns: 'urn:desk' }, most: 7, why: 'a < b', window: { until: '2026-03-01', steps: [3, 5] },
              },
            },
          },
        };
      },
    },
  },
};

function serve() {
  const server = http.createServer();
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    const xml = fs.readFileSync(wsdl, 'utf8');
    const callback = (error, listener) => {
      listener.addSoapHeader({ Receipt: { number: 17 } }, '', 'tns', 'urn:desk');
      console.log(`http://127.0.0.1:${port}/desk`);
    };
    soap.listen(server, { path: '/desk', services: service, xml, callback, ...options });
  });
  process.stdin.on('end', () => process.exit()).resume();
}

await (verb === 'call' ? call() : serve());

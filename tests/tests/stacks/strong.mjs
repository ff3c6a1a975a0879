// The desk through the package strong-soap of npm, by its WSDL alone: as caller, and in its place.
//
// usage: node strong.mjs MODULES call|serve WSDL       MODULES is the folder of packages, WSDL a URL or a file

import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';

const [modules, verb, wsdl] = process.argv.slice(2);
const required = createRequire(import.meta.url);
const { soap } = required(`${modules}/strong-soap`);
// By default it reads times of day as a Date and durations as a number, which they are not, and a day without its zone.
const { schemaTypes } = required(`${modules}/strong-soap/src/parser/helper`);
Object.assign(schemaTypes, { date: String, time: String, duration: String });
// By default a client and a service call attributes differently, and a day without a zone is written with one.
const options = { attributesKey: 'attributes', date: { timezone: { enabled: false } } };
const TOKEN = 'T-1 <&>';
const HEADER = (name) => new soap.QName('urn:desk', name);

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
  const client = await new Promise((resolve, reject) =>
    soap.createClient(wsdl, options, (error, client) => (error ? reject(error) : resolve(client))));
  client.addSoapHeader({ token: TOKEN }, HEADER('Session'));
  let sent = order;
  for (let time = 0; time < 2; time++) {
    // The second time with what came back.
    const { result, soapHeader } = await client.place({ order: sent });
    console.log(`receipt ${soapHeader.Receipt.number}`);
    sent = result.placed;
  }
  try {
    await client.refuse({ quantity: 8 });
  } catch (error) {
    const { faultstring, detail } = error.root.Envelope.Body.Fault;
    const { most, why, window } = detail.Limit;
    console.log(`${faultstring}: ${most} ${why} until ${window.until} ${window.steps.join(' ')}`);
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
        order.seller = { name: 'N' };
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
            detail: { Limit: { most: 7, why: 'a < b', window: { until: '2026-03-01', steps: [3, 5] } } },
          },
        };
      },
    },
  },
};

function serve() {
  const server = http.createServer();
  server.listen(0, '127.0.0.1', () => {
    const xml = fs.readFileSync(wsdl, 'utf8');
    const listener = soap.listen(server, { path: '/desk', services: service, xml, ...options });
    listener.addSoapHeader({ number: 17 }, HEADER('Receipt'));
    console.log(`http://127.0.0.1:${server.address().port}/desk`);
  });
  process.stdin.on('end', () => process.exit()).resume();
}

await (verb === 'call' ? call() : serve());

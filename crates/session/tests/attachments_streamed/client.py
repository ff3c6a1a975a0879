"""A client of others: http.client sends the chunks of a generator, email takes the answer apart.

usage: client.py HOST:PORT MEGABYTES
"""
import email.parser
import email.policy
import http.client
import re
import sys

MTOM = ('multipart/related; type="application/xop+xml"; start="<root@python>"; '
        'start-info="application/soap+xml"; boundary="py"')
STORE = b'''<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>
<store xmlns="urn:archive"><name>py</name><sound><xop:Include
xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:sound@python"/></sound></store>
</s:Body></s:Envelope>'''
FETCH = b'''<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>
<fetch xmlns="urn:archive"><bytes>%d</bytes></fetch></s:Body></s:Envelope>'''

host, megabytes = sys.argv[1], int(sys.argv[2])
size = megabytes << 20


def package():
    block = bytes(range(256)) * 4096
    yield (b'--py\r\nContent-Type: application/xop+xml; charset=UTF-8; type="application/soap+xml"\r\n'
           b'Content-Transfer-Encoding: 8bit\r\nContent-ID: <root@python>\r\n\r\n')
    yield STORE
    yield (b'\r\n--py\r\nContent-Type: audio/wav\r\nContent-Transfer-Encoding: binary\r\n'
           b'Content-ID: <sound@python>\r\n\r\n')
    for _ in range(megabytes):
        yield block
    yield b'\r\n--py--\r\n'


connection = http.client.HTTPConnection(host)
headers = {'Content-Type': MTOM, 'Transfer-Encoding': 'chunked'}
connection.request('POST', '/12', body=package(), encode_chunked=True, headers=headers)
answer = connection.getresponse()
body = answer.read()
assert answer.status == 200 and b'<bytes>%d</bytes>' % size in body, body

headers = {'Content-Type': 'text/xml', 'SOAPAction': '""'}
connection.request('POST', '/archive', body=FETCH % size, headers=headers)
answer = connection.getresponse()
head = b'Content-Type: ' + answer.getheader('Content-Type').encode() + b'\r\n\r\n'
parser = email.parser.BytesParser(policy=email.policy.HTTP)
parts = list(parser.parsebytes(head + answer.read()).iter_parts())
root, *others = [part.get_payload(decode=True) for part in parts]
assert [len(it) for it in others] == [len(b'\r\n--cover'), size], [len(it) for it in others]
ids = re.findall(rb'href="cid:([^"]+)"', root)
assert sorted(b'<%s>' % it for it in ids) == sorted(it['Content-ID'].encode() for it in parts[1:])
print('both ways')

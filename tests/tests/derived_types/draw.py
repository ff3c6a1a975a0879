"""Calls a service with shapes of derived types, and shows what zeep finds in the answer."""

import sys

import zeep
from zeep import xsd

url = sys.argv[1]
client = zeep.Client(url + "?wsdl")
service = client.service
shape, circle, group = (client.get_type("{urn:shapes}" + it) for it in ("Shape", "Circle", "Group"))
pen = client.get_type("{urn:drawing}Pen")

round_one = circle(name="c", radius=0.5)
plain = shape(name="p")
inner = group(name="g", shapes=[round_one, plain, group(shapes=[])])
steps = [{"move": round_one}, {"turn": 0.25}, {"move": round_one}, {"note": "n"}]
anything = [xsd.AnyObject(xsd.Int(), 7), xsd.AnyObject(xsd.String(), "text"), round_one]
answer = service.draw(
    first=inner, shapes=[plain, round_one, inner], any=anything, tool=pen(width=3), _value_1=steps
)


def shown(value):
    if value is None or isinstance(value, (int, str)):
        return repr(value)
    inside = "".join(shown(it) for it in getattr(value, "shapes", []))
    radius = getattr(value, "radius", "")
    return f"{type(value).__name__}({value.name}{radius}{inside})"


print(shown(answer.first))
for one in answer.shapes + answer.any:
    print(shown(one))
print(type(answer.tool).__name__, answer.tool.width)
for step in answer._value_1:
    for name in ("move", "turn", "note"):
        if name in step and step[name] is not None:
            print(name, getattr(step[name], "radius", step[name]))

"""corpus.py pack FOLDER...: prints the inputs in the folders, each once, a line of base64 each.
corpus.py unpack FILE FOLDER: writes them to the folder."""
import base64
import hashlib
import os
import sys

command, *names = sys.argv[1:]
if command == 'pack':
    inputs = {open(os.path.join(folder, name), 'rb').read() for folder in names for name in os.listdir(folder)}
    for data in sorted(inputs, key=lambda data: (len(data), data)):
        print(base64.b64encode(data).decode())
elif command == 'unpack':
    os.makedirs(names[1], exist_ok=True)
    for line in open(names[0]):
        data = base64.b64decode(line)
        with open(os.path.join(names[1], hashlib.sha1(data).hexdigest()), 'wb') as out:
            out.write(data)
else:
    sys.exit(__doc__)

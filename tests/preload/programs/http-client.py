# SPDX-License-Identifier: MIT
# http-client.py --make FOLDER: writes the files 0 to 49.
# http-client.py PORT THREADS COUNT: each thread fetches so many of them, by connections of its own, and looks at each answer: the file's
# text, or the hash of its path.
import hashlib
import http.client
import os
import sys
import threading

FILES = 50


def text(number):
    return (b"file %d, " % number) * (1000 + 100 * number)


if sys.argv[1] == "--make":
    for number in range(FILES):
        with open(os.path.join(sys.argv[2], str(number)), "wb") as file:
            file.write(text(number))
    sys.exit()

port, threads, count = map(int, sys.argv[1:])
lock = threading.Lock()
right = 0
wrong = []


def fetch(me):
    global right
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for i in range(count):
        number = (7 * i + me) % FILES
        connection.request("GET", "/%d" % number)
        answer = connection.getresponse()
        body = answer.read()
        hashed = hashlib.sha1(b"/%d" % number).hexdigest().upper().encode()
        with lock:
            if answer.status == 200 and body in (text(number), hashed):
                right += 1
            else:
                wrong.append((number, answer.status, body[:60]))
        if i % 100 == 99:
            connection.close()
    connection.close()


crew = [threading.Thread(target=fetch, args=(me,)) for me in range(threads)]
for thread in crew:
    thread.start()
for thread in crew:
    thread.join()
print("%d answers are right" % right)
for one in wrong[:3]:
    print("wrong:", one)
sys.exit(bool(wrong) or right != threads * count)

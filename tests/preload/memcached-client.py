# SPDX-License-Identifier: MIT
# memcached-client.py SOCKET: clients set, get, count and delete at once, and verify every answer.
import socket
import sys
import threading

CLIENTS, ROUNDS = 8, 400
wrong = []


class Client:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(sys.argv[1])
        self.file = self.socket.makefile("rwb")

    def ask(self, line, data=None):
        self.file.write(line + b"\r\n" + (data + b"\r\n" if data is not None else b""))
        self.file.flush()
        answer = self.file.readline()
        if answer.startswith(b"VALUE"):
            answer = self.file.read(int(answer.split()[3]))
            self.file.readline()
            self.file.readline()
        return answer


def work(me):
    client = Client()
    for i in range(ROUNDS):
        key, data = b"%d-%d" % (me, i), b"%d" % (me * i) * 50
        answers = [
            client.ask(b"set %s 0 0 %d" % (key, len(data)), data) == b"STORED\r\n",
            client.ask(b"get %s" % key) == data,
            client.ask(b"incr count 1").strip().isdigit(),
            i % 2 == 0 or client.ask(b"delete %s" % key) == b"DELETED\r\n",
            i % 2 == 0 or client.ask(b"get %s" % key) == b"END\r\n",
        ]
        if not all(answers):
            wrong.append((key, answers))


first = Client()
first.ask(b"set count 0 0 1", b"0")
threads = [threading.Thread(target=work, args=(i,)) for i in range(CLIENTS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("wrong:", wrong)
print("count:", first.ask(b"get count").decode())

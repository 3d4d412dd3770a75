# SPDX-License-Identifier: MIT
# Python threads: a lock, a condition, a queue, a pool; prints what has to come out.
import concurrent.futures
import hashlib
import queue
import threading

count = 0
lock = threading.Lock()


def add():
    global count
    for _ in range(20000):
        with lock:
            count += 1


threads = [threading.Thread(target=add) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(count)

items = queue.Queue(maxsize=4)
total = []


def take():
    taken = 0
    while (item := items.get()) is not None:
        taken += item
    with lock:
        total.append(taken)


threads = [threading.Thread(target=take) for _ in range(4)]
for thread in threads:
    thread.start()
for i in range(5000):
    items.put(i)
for _ in threads:
    items.put(None)
for thread in threads:
    thread.join()
print(sum(total))

condition = threading.Condition()
turn = 0


def take_turns(me):
    global turn
    for _ in range(500):
        with condition:
            condition.wait_for(lambda: turn % 3 == me)
            turn += 1
            condition.notify_all()


threads = [threading.Thread(target=take_turns, args=(i,)) for i in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(turn)

with concurrent.futures.ThreadPoolExecutor(8) as pool:
    digests = pool.map(lambda i: hashlib.sha256(b"%d" % i * 20000).hexdigest(), range(100))
print(hashlib.sha256("".join(digests).encode()).hexdigest())

done = threading.Event()
print(done.wait(0.01))
threading.Timer(0.01, done.set).start()
print(done.wait(60))

# SPDX-License-Identifier: MIT
# Ruby's threads: a mutex, a condition variable, a queue, ractors, and threads that wait for processes. Prints what has to come out.
require 'digest'

count = 0
mutex = Mutex.new
8.times.map { Thread.new { 20_000.times { mutex.synchronize { count += 1 } } } }.each(&:join)
puts count

turn = 0
condition = ConditionVariable.new
3.times.map do |me|
  Thread.new do
    500.times do
      mutex.synchronize do
        condition.wait(mutex) until turn % 3 == me
        turn += 1
        condition.broadcast
      end
    end
  end
end.each(&:join)
puts turn

items = SizedQueue.new(4)
sums = 4.times.map do
  Thread.new do
    sum = 0
    while (item = items.pop)
      sum += item
    end
    sum
  end
end
5000.times { |i| items << i }
4.times { items << nil }
puts sums.sum(&:value)

puts(4.times.map { |me| Ractor.new(me) { |n| 20_000.times.sum { |i| (i * n) % 7 } } }.sum(&:take))
puts(8.times.map { |i| Thread.new { Digest::SHA256.hexdigest(`seq #{i} 1000`) } }.map(&:value).join(' '))

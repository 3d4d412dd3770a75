// SPDX-License-Identifier: MIT
import java.util.concurrent.*;
import java.util.stream.*;

/** Threads of a JVM: monitors, a pool, parallel streams and garbage; prints what has to come out. */
public class Threads {
    static long count;

    public static void main(String[] words) throws Exception {
        Object monitor = new Object();
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int j = 0; j < 50000; j++)
                    synchronized (monitor) {
                        count++;
                    }
            });
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println(count);
        System.out.println(LongStream.range(0, 2_000_000).parallel().map(i -> i * i % 7).sum());
        ExecutorService pool = Executors.newFixedThreadPool(8);
        var answers = pool.invokeAll(IntStream.range(0, 100).<Callable<Integer>>mapToObj(i -> () -> {
            StringBuilder text = new StringBuilder();
            for (int j = 0; j < 2000; j++)
                text.append(new int[64].length).append(i);
            return text.toString().hashCode();
        }).toList());
        long sum = 0;
        for (var answer : answers)
            sum += answer.get();
        pool.shutdown();
        System.out.println(sum);
    }
}

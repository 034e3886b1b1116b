import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;

/** A server for the scripts beside this file: Service PORT. A line is a job. */
public class Service {
    static final Object lock = new Object();
    static final ExecutorService pool = Executors.newFixedThreadPool(2, job -> new Thread(job, "pooled"));
    static Object[] heap = {};

    static void compute(long ms) {
        long end = System.nanoTime() + ms * 1000000;
        while (System.nanoTime() < end)
            ;
    }

    static void answer(OutputStream out) throws IOException {
        out.write("ok\n".getBytes());
    }

    static void serve(Socket socket) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
        OutputStream out = socket.getOutputStream();
        socket.setTcpNoDelay(true);
        for (String job; (job = in.readLine()) != null;) {
            switch (job) {
            case "synchronized":
                synchronized (lock) { }
                answer(out);
                break;
            case "hold":
                Thread.currentThread().setName("holder");
                synchronized (lock) {
                    answer(out);
                    compute(200);
                }
                break;
            case "pool":
                pool.submit(() -> 0).get();
                answer(out);
                break;
            case "flood":
                for (int i = 0; i < 4; i++)
                    pool.submit(() -> compute(100));
                answer(out);
                break;
            case "fill":
                heap = new Object[3000000];
                for (int i = 0; i < heap.length; i++)
                    heap[i] = new int[] {i};
                answer(out);
                break;
            case "gc":
                answer(out);
                System.gc();
                break;
            default:
                answer(out);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        ServerSocket server = new ServerSocket(Integer.parseInt(arguments[0]), 16, InetAddress.getLoopbackAddress());
        for (;;) {
            Socket socket = server.accept();
            new Thread(() -> {
                try {
                    serve(socket);
                } catch (Exception e) {
                    e.printStackTrace();
                }
            }, "handler").start();
        }
    }
}

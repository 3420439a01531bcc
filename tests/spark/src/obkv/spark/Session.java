package obkv.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Jobs of one cluster, one after the other, for the tests: a cluster takes longer to start than a small job to run. A line of standard
 * input has the arguments of a job, with tabs between; the answer on standard output is its exit code. */
public final class Session {
    private Session() {
    }

    public static void main(String[] args) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (JavaSparkContext sc = new JavaSparkContext(new SparkConf().setIfMissing("spark.app.name", "obkv tests"))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int code = 0;
                try {
                    new SparkJob(sc, Options.parse(line.split("\t", -1))).run();
                } catch (Exception e) {
                    code = SparkJob.explain(e);
                }
                System.out.println("exit " + code);
            }
        }
    }
}

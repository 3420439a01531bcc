import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;

/** YARN with two node managers, for tests: MiniYarn DIRECTORY. Writes DIRECTORY/conf/yarn-site.xml, prints "ok", and ends with its
 * standard input. */
public final class MiniYarn {
    private MiniYarn() {
    }

    public static void main(String[] args) {
        try {
            run(new File(args[0], "conf"));
            System.exit(0);
        } catch (Throwable e) { /* other threads do not end by themselves */
            e.printStackTrace();
            System.exit(1);
        }
    }

    private static void run(File made) throws Exception {
        YarnConfiguration conf = new YarnConfiguration();
        conf.setInt("yarn.scheduler.minimum-allocation-mb", 128);
        conf.setBoolean("yarn.nodemanager.vmem-check-enabled", false);
        conf.setBoolean("yarn.nodemanager.pmem-check-enabled", false);
        conf.setBoolean("yarn.nodemanager.disk-health-checker.enable", false);
        conf.set("yarn.scheduler.capacity.root.queues", "default");
        conf.set("yarn.scheduler.capacity.root.default.capacity", "100");
        conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.9");
        MiniYARNCluster yarn = new MiniYARNCluster("yarn", 2, 1, 1);
        yarn.init(conf);
        yarn.start();
        if (!yarn.waitForNodeManagersToConnect(30000)) throw new IllegalStateException("node managers do not connect");
        made.mkdirs();
        try (OutputStream o = new FileOutputStream(new File(made, "yarn-site.xml"))) {
            Configuration own = new Configuration(false);
            for (String name : new String[] {"yarn.resourcemanager.address", "yarn.resourcemanager.scheduler.address",
                    "yarn.resourcemanager.resource-tracker.address", "yarn.resourcemanager.admin.address",
                    "yarn.resourcemanager.webapp.address", "yarn.resourcemanager.hostname"})
                if (yarn.getConfig().get(name) != null) own.set(name, yarn.getConfig().get(name));
            own.writeXml(o);
        }
        System.out.println("ok");
        while (System.in.read() >= 0) continue;
        yarn.stop();
    }
}

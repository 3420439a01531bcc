import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.security.token.delegation.DelegationTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;

/**
 * A real HDFS in this process, on free ports of this machine: MiniHdfs DIR pair|kerberos
 *
 * <p>pair: two namenodes, of which one is active, and two datanodes, without security but with delegation tokens. kerberos: a KDC, a
 * namenode and a datanode that let in only who has a ticket or a token. Blocks have 1 MB and listings 5 names, so that small files
 * have several of them. Commands come on standard input, a line each, and each is answered by "ok …" or "failed …"; it ends with
 * its standard input.
 */
final class MiniHdfs {
    private static final String PAIR = "pair";
    private static final String HOST = "localhost";

    private final Path dir;
    private final Configuration conf = new Configuration();
    private MiniDFSCluster cluster;
    private MiniKdc kdc;
    private int active;

    private MiniHdfs(Path dir) {
        this.dir = dir;
    }

    public static void main(String[] args) throws Exception {
        MiniHdfs hdfs = new MiniHdfs(Path.of(args[0]).toAbsolutePath());
        if (args[1].equals(PAIR)) {
            hdfs.startPair();
        } else {
            hdfs.startKerberos();
        }
        System.out.println("ok " + hdfs.addresses());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            try {
                System.out.println("ok " + hdfs.obey(line.split("\t")));
            } catch (Exception e) {
                System.out.println("failed " + e.toString().replace('\n', ' '));
            }
        }
        Runtime.getRuntime().halt(0); /* nothing is to be kept */
    }

    private MiniDFSCluster.Builder builder() {
        conf.setInt("dfs.replication", 2);
        conf.setInt("dfs.blocksize", 1 << 20);
        conf.setInt("dfs.ls.limit", 5);
        conf.setInt("dfs.namenode.fs-limits.min-block-size", 1 << 20);
        conf.setBoolean("dfs.namenode.delegation.token.always-use", true);
        conf.setBoolean("dfs.webhdfs.user.provider.user.pattern.check", false);
        return new MiniDFSCluster.Builder(conf, dir.resolve("hdfs").toFile());
    }

    private void startPair() throws Exception {
        cluster = builder().nnTopology(MiniDFSNNTopology.simpleHATopology()).numDataNodes(2).build();
        cluster.waitActive();
        cluster.transitionToActive(0);
    }

    private void startKerberos() throws Exception {
        File keys = dir.resolve("services.keytab").toFile();
        kdc = new MiniKdc(MiniKdc.createConf(), dir.toFile());
        kdc.start();
        kdc.createPrincipal(keys, "hdfs/" + HOST, "HTTP/" + HOST);
        kdc.createPrincipal(dir.resolve("reader.keytab").toFile(), "reader");
        String hdfs = "hdfs/" + HOST + "@" + kdc.getRealm();
        String http = "HTTP/" + HOST + "@" + kdc.getRealm();
        conf.set("hadoop.security.authentication", "kerberos");
        conf.setBoolean("dfs.block.access.token.enable", true);
        conf.setBoolean("ignore.secure.ports.for.testing", true);
        conf.set("hadoop.http.filter.initializers", "org.apache.hadoop.security.AuthenticationFilterInitializer");
        conf.set("hadoop.http.authentication.type", "kerberos");
        conf.set("hadoop.http.authentication.kerberos.principal", http);
        conf.set("hadoop.http.authentication.kerberos.keytab", keys.toString());
        conf.set("dfs.web.authentication.kerberos.principal", http);
        conf.set("dfs.web.authentication.kerberos.keytab", keys.toString());
        for (String who : new String[] {"namenode", "datanode"}) {
            conf.set("dfs." + who + ".kerberos.principal", hdfs);
            conf.set("dfs." + who + ".keytab.file", keys.toString());
            conf.set("dfs." + who + ".kerberos.internal.spnego.principal", http);
        }
        UserGroupInformation.setConfiguration(conf);
        UserGroupInformation.loginUserFromKeytab(hdfs, keys.toString());
        cluster = builder().numDataNodes(1).build();
        cluster.waitActive();
    }

    private String addresses() {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < cluster.getNumNameNodes(); i++) {
            all.append(HOST + ":" + cluster.getNameNode(i).getHttpAddress().getPort());
            all.append(" " + HOST + ":" + cluster.getNameNode(i).getNameNodeAddress().getPort() + " ");
        }
        return all.append(kdc == null ? "" : kdc.getKrb5conf().toString()).toString();
    }

    private DistributedFileSystem files() throws Exception {
        return cluster.getFileSystem(active);
    }

    private UserGroupInformation user(String name) throws Exception {
        return kdc == null ? UserGroupInformation.createRemoteUser(name)
            : UserGroupInformation.loginUserFromKeytabAndReturnUGI(name, dir.resolve("reader.keytab").toString());
    }

    private String obey(String[] words) throws Exception {
        DistributedFileSystem fs = files();
        switch (words[0]) {
            case "put": /* LOCAL REMOTE */
                fs.mkdirs(path(words[2]).getParent());
                fs.copyFromLocalFile(path(new File(words[1]).toURI().toString()), path(words[2]));
                return "";
            case "get": /* REMOTE LOCAL */
                fs.copyToLocalFile(false, path(words[1]), path(new File(words[2]).toURI().toString()), true);
                return "";
            case "remove":
                return "" + fs.delete(path(words[1]), true);
            case "exists":
                return "" + fs.exists(path(words[1]));
            case "own": /* REMOTE USER MODE */
                fs.setOwner(path(words[1]), words[2], null);
                fs.setPermission(path(words[1]), new FsPermission(words[3]));
                return "";
            case "blocks":
                return "" + fs.getFileBlockLocations(path(words[1]), 0, Long.MAX_VALUE).length;
            case "token": /* USER: who may renew it is who it is of */
                return user(words[1]).doAs((PrivilegedExceptionAction<String>) () ->
                    ((DistributedFileSystem) FileSystem.newInstance(fs.getUri(), fs.getConf()))
                        .getDelegationToken(words[1]).encodeToUrlString());
            case "cancel": /* USER TOKEN */
                Token<DelegationTokenIdentifier> token = new Token<>();
                token.decodeFromUrlString(words[2]);
                user(words[1]).doAs((PrivilegedExceptionAction<Void>) () -> {
                    cluster.getNameNodeRpc(active).cancelDelegationToken(token);
                    return null;
                });
                return "";
            case "switch": /* the active namenode becomes the standby one */
                cluster.transitionToStandby(active);
                active = 1 - active;
                cluster.transitionToActive(active);
                return "";
            case "kill": /* the datanode with this port of HTTP, or "any": one of them */
                return kill(words[1]);
            case "revive":
                return revive();
            default:
                throw new IllegalArgumentException(words[0]);
        }
    }

    private MiniDFSCluster.DataNodeProperties dead;

    private String kill(String port) throws Exception {
        for (int i = 0; i < cluster.getDataNodes().size(); i++) {
            DataNode node = cluster.getDataNodes().get(i);
            if (port.equals("any") || port.equals("" + node.getInfoPort())) {
                int was = node.getInfoPort();
                dead = cluster.stopDataNode(i);
                return "" + was;
            }
        }
        throw new IllegalArgumentException("no datanode at " + port);
    }

    private String revive() throws Exception {
        cluster.restartDataNode(dead, true);
        cluster.waitActive(active);
        int n = 0;
        for (DatanodeInfo node : files().getDataNodeStats()) {
            n += node.isDecommissioned() ? 0 : 1;
        }
        return "" + n;
    }

    private static org.apache.hadoop.fs.Path path(String text) {
        return new org.apache.hadoop.fs.Path(text);
    }
}

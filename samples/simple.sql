-- The table of samples/simple_snapshot.tar.gz: the versions are those of its families in HBase.
CREATE TABLE `simple$cf1` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL,
  V varbinary(10240) NOT NULL, PRIMARY KEY (K, Q, T))
  KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 5}}' PARTITION BY KEY(K) PARTITIONS 7;
CREATE TABLE `simple$cf2` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL,
  V varbinary(10240) NOT NULL, PRIMARY KEY (K, Q, T))
  KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 2}}' PARTITION BY KEY(K) PARTITIONS 7;

CREATE TABLE `drive$sub` (K varbinary(256) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1048576) NOT NULL,
  PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K) PARTITIONS 7;
CREATE TABLE `drive$id` (K varbinary(256) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1048576) NOT NULL,
  PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K) PARTITIONS 7;
CREATE TABLE `drive$c` (K varbinary(256) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1048576) NOT NULL,
  PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K) PARTITIONS 7;

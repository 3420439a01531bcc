CREATE TABLE `parent$directory` (K varbinary(36) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL,
  PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K) PARTITIONS 7;
CREATE TABLE `parent$file` (K varbinary(36) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL,
  PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K) PARTITIONS 7;

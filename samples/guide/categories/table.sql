CREATE TABLE `category$info` (K varbinary(20) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL,
  PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K) PARTITIONS 7;
CREATE TABLE `category$parent` (K varbinary(20) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL,
  PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K) PARTITIONS 7;
CREATE TABLE `category$child` (K varbinary(20) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL,
  PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K) PARTITIONS 7;

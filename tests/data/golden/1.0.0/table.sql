CREATE TABLEGROUP golden SHARDING = 'ADAPTIVE';
CREATE TABLE `golden$cf` (K varbinary(64) NOT NULL, Q varbinary(64) NOT NULL, T bigint NOT NULL, V varbinary(256) NOT NULL,
  PRIMARY KEY (K, Q, T)) TABLEGROUP = golden KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 2, "TimeToLive": 100000000}}'
  PARTITION BY KEY(K) PARTITIONS 3;
CREATE TABLE `golden$g` (K varbinary(64) NOT NULL, Q varbinary(64) NOT NULL, T bigint NOT NULL, V varbinary(256) NOT NULL,
  PRIMARY KEY (K, Q, T)) TABLEGROUP = golden KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K) PARTITIONS 3;

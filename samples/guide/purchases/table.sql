CREATE TABLE `purchase$d` (K varbinary(64) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL, K_PREFIX varbinary(8) GENERATED ALWAYS AS (substring(K, 1, 8)),
  PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K_PREFIX) PARTITIONS 7;

-- The first six bytes of the key are the user: a scan of a user's files reads one partition.
CREATE TABLE `file$info` (K varbinary(20) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL,
  K_PREFIX varbinary(6) GENERATED ALWAYS AS (substring(K, 1, 6)), PRIMARY KEY (K, Q, T))
  KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K_PREFIX) PARTITIONS 7;

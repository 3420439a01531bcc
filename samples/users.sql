-- The table `users` as OBKV-HBase keeps it: one SQL table per column family, all in one tablegroup and partitioned alike.
CREATE TABLEGROUP IF NOT EXISTS users SHARDING = 'ADAPTIVE';

-- Two versions of what a user wrote about himself.
CREATE TABLE IF NOT EXISTS `users$info` (
    K varbinary(64) NOT NULL,
    Q varbinary(256) NOT NULL,
    T bigint(20) NOT NULL,
    V varbinary(1024) NOT NULL,
    PRIMARY KEY (K, Q, T)
) TABLEGROUP = users
  KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 2}}'
  PARTITION BY KEY(K) PARTITIONS 7;

-- The newest counters, kept for 30 days.
CREATE TABLE IF NOT EXISTS `users$stat` (
    K varbinary(64) NOT NULL,
    Q varbinary(256) NOT NULL,
    T bigint(20) NOT NULL,
    V varbinary(64) NOT NULL,
    PRIMARY KEY (K, Q, T)
) TABLEGROUP = users
  KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1, "TimeToLive": 2592000}}'
  PARTITION BY KEY(K) PARTITIONS 7;

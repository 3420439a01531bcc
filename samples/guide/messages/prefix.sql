-- KEY over the first byte of the key: of msgtype|msgid the type, of which there are four.
CREATE TABLE `message$f` (K varbinary(64) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL,
  K_PREFIX varbinary(64) GENERATED ALWAYS AS (substring(K, 1, 1)), PRIMARY KEY (K, Q, T))
  PARTITION BY KEY(K_PREFIX) PARTITIONS 7;

-- The key as the source has it, timestamp|msgid, in ranges of time: every new row goes to the last one.
CREATE TABLE `message$f` (K varbinary(64) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL,
  PRIMARY KEY (K, Q, T))
  PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('1700000010000'), PARTITION p1 VALUES LESS THAN (MAXVALUE));

-- The key msgtype|msgid in ranges of types: the new rows of a type all go to its range.
CREATE TABLE `message$f` (K varbinary(64) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL,
  PRIMARY KEY (K, Q, T))
  PARTITION BY RANGE COLUMNS(K) (PARTITION p1 VALUES LESS THAN ('2'), PARTITION p2 VALUES LESS THAN ('3'),
    PARTITION p3 VALUES LESS THAN ('4'), PARTITION p4 VALUES LESS THAN (MAXVALUE));

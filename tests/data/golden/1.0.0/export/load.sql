-- obkv-export 1.0.0: 135 rows in 6 files. Run it in the database of the tables, for instance
--   mysql --comments -h HOST -P PORT -u USER -p DATABASE < load.sql
-- (--comments: without it the mariadb client strips the hints, and loads are slow and not atomic).
-- It stops at the first error. Afterwards check.sql says whether all is there.
-- MariaDB runs it as it is, too, in tables with the same partitions (but for KEY: its hash is another).
SET sql_mode = 'STRICT_ALL_TABLES';
SET /*M!100000 @oceanbase_only = ' */ ob_query_timeout = 604800000000, ob_trx_timeout = 604800000000 /*M!100000 ' */;

-- Two cells with all byte values: does LOAD DATA keep them, by direct load? If not, the second INSERT fails.
DROP TABLE IF EXISTS obkv_probe, obkv_probe_verdict;
CREATE TABLE obkv_probe (K varbinary(1024) NOT NULL, Q varbinary(1024) NOT NULL, T bigint NOT NULL, V varbinary(1024) NOT NULL, PRIMARY KEY (K, Q, T));
CREATE TABLE obkv_probe_verdict (verdict varchar(200) NOT NULL PRIMARY KEY);
LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/srv/export/probe.kqvt' INTO TABLE `obkv_probe` CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n' (K, Q, V, T);
INSERT INTO obkv_probe_verdict VALUES ('LOAD DATA changes bytes on this server: nothing was loaded');
INSERT INTO obkv_probe_verdict SELECT 'LOAD DATA changes bytes on this server: nothing was loaded' FROM (SELECT COUNT(*) AS row_count, IFNULL(SUM(LENGTH(K)+LENGTH(Q)+IFNULL(LENGTH(V),0)),0) AS byte_count, IFNULL(SUM(CRC32(CONCAT(LENGTH(K),',',LENGTH(Q),',',T,',',IFNULL(CRC32(V),'N'),',',K,Q))),0) AS crc_sum, BIT_XOR(CRC32(CONCAT(LENGTH(K),',',LENGTH(Q),',',T,',',IFNULL(CRC32(V),'N'),',',K,Q))) AS crc_xor FROM `obkv_probe`) d WHERE NOT (row_count = 2 AND byte_count = 768 AND crc_sum = 5865157557 AND crc_xor = 1548135349);
DROP TABLE obkv_probe, obkv_probe_verdict;

LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/srv/export/data/golden%24cf.p0.00000-000.kqvt' INTO TABLE `golden$cf` PARTITION (`p0`) CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n' (K, Q, V, T);
LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/srv/export/data/golden%24cf.p1.00001-000.kqvt' INTO TABLE `golden$cf` PARTITION (`p1`) CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n' (K, Q, V, T);
LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/srv/export/data/golden%24cf.p2.00002-000.kqvt' INTO TABLE `golden$cf` PARTITION (`p2`) CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n' (K, Q, V, T);

LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/srv/export/data/golden%24g.p0.00000-000.kqvt' INTO TABLE `golden$g` PARTITION (`p0`) CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n' (K, Q, V, T);
LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/srv/export/data/golden%24g.p1.00001-000.kqvt' INTO TABLE `golden$g` PARTITION (`p1`) CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n' (K, Q, V, T);
LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ INFILE '/srv/export/data/golden%24g.p2.00002-000.kqvt' INTO TABLE `golden$g` PARTITION (`p2`) CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\t' ESCAPED BY '\\' LINES TERMINATED BY '\n' (K, Q, V, T);

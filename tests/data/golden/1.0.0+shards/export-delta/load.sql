-- obkv-export 1.0.0: 0 rows in 0 files. Run it in the database of the tables, for instance
--   mysql --comments -h HOST -P PORT -u USER -p DATABASE < load.sql
-- (--comments: without it the mariadb client strips the hints, and loads are slow and not atomic).
-- It stops at the first error. Afterwards, obkv-verify target checks that everything was loaded.
-- MariaDB also runs it unchanged, in tables with the same partitions (except KEY, whose hash differs).
SET NAMES utf8mb4;
SET sql_mode = 'STRICT_ALL_TABLES';
SET /*M!100000 @oceanbase_only = ' */ ob_query_timeout = 604800000000, ob_trx_timeout = 604800000000 /*M!100000 ' */;
SET /*M!100000 @oceanbase_only = ' */ ob_query_timeout = 604800000000, ob_trx_timeout = 604800000000 /*M!100000 ' */;
DELETE FROM `t$cf` PARTITION (`p0`) WHERE (K = x'726f773039' AND Q = x'71' AND T >= -1700000001000);
SET /*M!100000 @oceanbase_only = ' */ ob_query_timeout = 604800000000, ob_trx_timeout = 604800000000 /*M!100000 ' */;
DELETE FROM `t$cf` PARTITION (`p1`) WHERE (K, Q) IN ((x'726f773138', x'71')) AND (K, Q, T) IN (SELECT K, Q, T FROM (SELECT K, Q, T, ROW_NUMBER() OVER (PARTITION BY K, Q ORDER BY T) AS N FROM `t$cf` WHERE (K, Q) IN ((x'726f773138', x'71'))) AS X WHERE N > 3);
DELETE FROM `t$cf` PARTITION (`p1`) WHERE (K, Q, T) IN ((x'726f773138', x'71', -1700000001000));
SET /*M!100000 @oceanbase_only = ' */ ob_query_timeout = 604800000000, ob_trx_timeout = 604800000000 /*M!100000 ' */;
DELETE FROM `t$cf` PARTITION (`p2`) WHERE (K, Q) IN ((x'726f773030', x'71'), (x'726f773336', x'71')) AND (K, Q, T) IN (SELECT K, Q, T FROM (SELECT K, Q, T, ROW_NUMBER() OVER (PARTITION BY K, Q ORDER BY T) AS N FROM `t$cf` WHERE (K, Q) IN ((x'726f773030', x'71'), (x'726f773336', x'71'))) AS X WHERE N > 3);
DELETE FROM `t$cf` PARTITION (`p2`) WHERE (K, Q, T) IN ((x'726f773030', x'71', -1700000001000), (x'726f773336', x'71', -1700000001000));
DELETE FROM `t$cf` PARTITION (`p2`) WHERE (K = x'726f773237' AND Q = x'71' AND T >= -1700000001000);

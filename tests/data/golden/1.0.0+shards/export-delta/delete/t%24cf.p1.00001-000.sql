SET /*M!100000 @oceanbase_only = ' */ ob_query_timeout = 604800000000, ob_trx_timeout = 604800000000 /*M!100000 ' */;
DELETE FROM `t$cf` PARTITION (`p1`) WHERE (K, Q) IN ((x'726f773138', x'71')) AND (K, Q, T) IN (SELECT K, Q, T FROM (SELECT K, Q, T, ROW_NUMBER() OVER (PARTITION BY K, Q ORDER BY T) AS N FROM `t$cf` WHERE (K, Q) IN ((x'726f773138', x'71'))) AS X WHERE N > 3);
DELETE FROM `t$cf` PARTITION (`p1`) WHERE (K, Q, T) IN ((x'726f773138', x'71', -1700000001000));

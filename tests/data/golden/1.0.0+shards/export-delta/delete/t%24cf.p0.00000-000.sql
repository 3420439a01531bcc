SET /*M!100000 @oceanbase_only = ' */ ob_query_timeout = 604800000000, ob_trx_timeout = 604800000000 /*M!100000 ' */;
DELETE FROM `t$cf` PARTITION (`p0`) WHERE (K = x'726f773039' AND Q = x'71' AND T >= -1700000001000);

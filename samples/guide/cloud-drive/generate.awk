# Entries of a larger drive in the form of entries.csv: 20,000 files of 60 days, in the order in which they were written. Ten users
# join every day, with ids that count up. Half of the files are theirs; the others are spread over all users, more over old ones.
function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
BEGIN {
    seed = 20120901
    split("show clip text advert", category, " ")
    print "id,user,parent,path,type,created,category,bytes"
    for (id = 1; id <= 20000; id++) {
        day = int((id - 1) * 60 / 20000)
        users = 210 + 10 * day
        x = random()
        user = random() < 0.5 ? users - int(10 * x) : 1 + int((users - 10) * x * x)
        created = day < 30 ? 20120901 + day : 20121001 + day - 30
        printf "%d,%d,/,/%d.dat,file,%d,%s,%d\n", id, user, id, created, category[1 + id % 4], 1000 + int(random() * 1000000)
    }
}

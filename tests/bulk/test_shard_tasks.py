from lcshap.bulk.shard_tasks import MAX_TRIES, ShardTask
from lcshap.bulk.shards import Shard


def test_the_number_of_tries_is_no_argument_of_the_worker():
    task = ShardTask(Shard(3, 10, ()), {"kind": "output"}, "digest")
    assert task.max_tries == MAX_TRIES == 3
    assert task.arguments == (task.shard, task.expected, "digest", False)
    assert task._replace(alone=True, max_tries=1).arguments[-1] is True

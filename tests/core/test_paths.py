"""Rules that are asked on sizes which are not known: every answer is tried."""

import pytest

from gradtape.core.dims import Dim, Undecided, new_size
from gradtape.core.paths import PATHS, explore, join
from gradtape.core.shape import broadcast


def broadcasts(*shapes):
    def run(path):
        found = broadcast(*shapes)
        if found is None:
            raise ValueError("they do not fit")
        return found

    return explore(run, (ValueError,))


def test_a_size_against_a_known_one_is_the_known_one():
    n = new_size()
    assert join(broadcasts((n, 3), (5, 3)).results) == (5, 3)


def test_a_size_against_1_stays_itself():
    n = new_size()
    (found,) = join(broadcasts((n,), (1,)).results)
    assert found is n


def test_two_sizes_are_a_new_one():
    m, n = new_size(), new_size()
    (found,) = join(broadcasts((m,), (n,)).results)
    assert type(found) is Dim
    assert found is not m
    assert found is not n


def test_what_fits_on_no_path_is_an_error_on_all():
    found = broadcasts((new_size(), 4), (3, 5))
    assert not found.results
    assert found.problems
    assert found.is_complete


def test_what_follows_from_an_answer_is_known_on_its_path():
    n, m = new_size(), new_size()

    def run(path):
        if n == m:
            return n * m == n * n and m - n == 0
        if n > 4:
            return n >= 5 and not n < 3 and n != 4 and n + 1 > 5
        return not n > 6

    found = explore(run, ())
    assert found.is_complete
    assert all(result for result, _ in found.results)


def test_a_number_in_a_range_has_each_value_on_a_path():
    n = new_size()

    def run(path):
        if not 2 <= n + 1 <= 4:
            raise ValueError("out of range")
        return list(range(n))

    found = explore(run, (ValueError,))
    assert sorted(len(r) for r, _ in found.results) == [1, 2, 3]


def test_a_number_that_nothing_limits_is_not_told():
    n = new_size()
    with pytest.raises(Undecided):
        explore(lambda path: list(range(n)), ())


def test_too_many_paths_end():
    sizes = [new_size() for _ in range(30)]
    found = explore(lambda path: [n == 3 for n in sizes], (Undecided,))
    assert not found.is_complete
    assert len(found.results) + len(found.problems) == PATHS


def test_ranks_that_differ_have_no_shape():
    n = new_size()
    assert join(explore(lambda path: (1,) if n == 2 else (1, 1), ()).results) is None


def test_limits_of_paths_are_those_of_the_join():
    n = new_size()
    (found,) = join(explore(lambda path: (n,) if n < 3 else (3,), ()).results)
    assert explore(lambda path: found <= 3, ()).results[0][0]

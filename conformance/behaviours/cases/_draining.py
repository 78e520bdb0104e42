"""What a dataset gives, errors included, as plain data."""

from typing import Any

CLASSES = [
    "OutOfRangeError",
    "InvalidArgumentError",
    "FailedPreconditionError",
    "NotFoundError",
    "AlreadyExistsError",
    "DataLossError",
    "UnimplementedError",
    "UnknownError",
    "InternalError",
    "PermissionDeniedError",
    "StopIteration",
    "TypeError",
    "ValueError",
    "KeyError",
    "IndexError",
    "AttributeError",
    "ZeroDivisionError",
    "RuntimeError",
]


def kind(error: BaseException) -> str:
    """The name of the first public class of an error."""
    return next((c.__name__ for c in type(error).__mro__ if c.__name__ in CLASSES), type(error).__name__)


def plain(tf: Any, value: Any) -> Any:
    """An element with datasets in it as lists, and optionals as their values."""
    if isinstance(value, tf.data.Dataset):
        return ["dataset", *drain(tf, value)]
    if isinstance(value, tf.experimental.Optional):
        return ["optional", plain(tf, value.get_value()) if value.has_value() else None]
    if isinstance(value, (tuple, list)):
        return [plain(tf, v) for v in value]
    if isinstance(value, dict):
        return {k: plain(tf, v) for k, v in value.items()}
    return value


def drain(tf: Any, dataset: Any, most: int = 30) -> list[Any]:
    """The elements of a dataset; an error as the name of its class, and the end as "end"."""
    return remaining(tf, iter(dataset), most)


def remaining(tf: Any, iterator: Any, most: int = 30) -> list[Any]:
    """What an iterator still gives."""
    found: list[Any] = []
    for _ in range(most):
        try:
            found.append(plain(tf, next(iterator)))
        except StopIteration:
            return [*found, "end"]
        except Exception as error:
            found.append(kind(error))
    return found


def refusal(make: Any) -> str:
    """ "none" if a function raises nothing."""
    make()
    return "none"

"""LinearOperator: the members common to all operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from gradtape.api import arguments
from gradtape.arrays.movement import broadcast_to, expand_dims, squeeze
from gradtape.core import convert, dtypes, errors
from gradtape.core.dimension import Dimension
from gradtape.core.shape import TensorShape
from gradtape.core.tensor import Tensor
from gradtape.core.variable import Variable
from gradtape.linalg import _diagonals as diagonals
from gradtape.linalg._decompositions import cholesky, eigvalsh, svd
from gradtape.linalg._determinants import det, slogdet
from gradtape.linalg._operators import late
from gradtape.linalg._operators.dispatch import answer
from gradtape.linalg._operators.parts import given_arguments, parts, pieces_of, rebuilt, sliced
from gradtape.linalg._products import matmul
from gradtape.linalg._solvers import solve
from gradtape.math._conversion import real
from gradtape.math._elementwise import abs as absolute
from gradtape.math._reductions import reduce_max, reduce_min
from gradtape.ops.family import dims
from gradtape.toplevel.module import Module

# Operators that are made of others. The modules above this one that define them write them here, and `__init__.py` loads those.
DERIVED: dict[str, Callable[..., LinearOperator]] = {}


class LinearOperator(Module):
    """A matrix, or a batch of matrices, defined by the methods that apply it.

    Subclasses implement `_shape` and `_matmul`, and what they can do better than the dense matrix: `_solve`, `_to_dense`,
    `_diag_part`, `_determinant`, `_log_abs_determinant`, `_eigvals`, `_adjoint`, `_inverse`, `_cholesky`. Where sizes may be unknown,
    `_shape_tensor` tells them.

    Args:
      dtype: of the elements.
      graph_parents: accepted and ignored.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: what is known of the matrix: True, False or None.
        Nobody checks it; better methods are chosen by it.
      name: a name.
      parameters: the arguments of the subclass's constructor, by name; by default those that it got.
    """

    _TF_MODULE_IGNORED_PROPERTIES = frozenset(["_recipe", "_arguments", "_parameters"])
    _is_late = False
    # The number of last dimensions of each tensor argument that belong to the matrix; the others are batch dimensions.
    _matrix_ranks: ClassVar[dict[str, int]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _make_patient(cls)

    def __getattr__(self, name: str) -> Any:
        """The available attributes of a late operator: the dtype, and the arguments of its constructor."""
        if not vars(self).get("_is_late") or not name.startswith("_") or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name in late.FACTS:
            vars(self).update(late.facts(vars(self)["_recipe"]))
        else:
            vars(self)[name] = _argument(self, name.removeprefix("_"))
        return vars(self)[name]

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: Any = None,
    ) -> None:
        super().__init__(name=(name or type(self).__name__).replace("/", "_"))
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        if is_square is False and (is_non_singular or is_self_adjoint):
            raise ValueError("A non-singular or self-adjoint matrix is always square.")
        if is_non_singular or is_self_adjoint:
            is_square = True
        self._dtype = dtypes.as_dtype(dtype)
        self._is_non_singular, self._is_self_adjoint = is_non_singular, is_self_adjoint
        self._is_positive_definite, self._is_square = is_positive_definite, is_square
        self._parameters = parameters

    def __gradtape_function__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a function of `tf.linalg` with operators as arguments; NotImplemented if it takes none."""
        return answer(LinearOperator, function, args, kwargs)

    dtype = property(lambda self: self._dtype, doc="The type of the elements.")
    is_non_singular = property(lambda self: self._is_non_singular, doc="Whether it has an inverse, if that is known.")
    is_self_adjoint = property(lambda self: self._is_self_adjoint, doc="Whether it is its adjoint, if that is known.")
    is_positive_definite = property(
        lambda self: self._is_positive_definite, doc="Whether `x^H A x` is positive, if that is known."
    )
    shape = property(lambda self: TensorShape(self._static_dims()), doc="The shape of the dense matrix.")
    batch_shape = property(lambda self: self.shape[:-2], doc="The shape of the batch of matrices.")
    tensor_rank = property(lambda self: self.shape.rank, doc="The number of dimensions.")
    domain_dimension = property(lambda self: Dimension(self.shape[-1]), doc="How many columns there are.")
    range_dimension = property(lambda self: Dimension(self.shape[-2]), doc="How many rows there are.")
    graph_parents = property(lambda self: [], doc="Always empty: there is no graph.")
    H = property(lambda self: self.adjoint(), doc="The adjoint.")

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments of the constructor by name."""
        given: dict[str, Any] | None = self._parameters
        return dict(given) if given is not None else given_arguments(self)

    def __tensor_parts__(self) -> list[Any]:
        """The tensors that it is made of: gradients with respect to it are those with respect to them."""
        return parts(self)

    def _with_parts(self, tensors: list[Any]) -> LinearOperator:
        """The same operator of other tensors, such as gradients."""
        result: LinearOperator = rebuilt(self, tensors)
        return result

    def __getitem__(self, slices: Any) -> LinearOperator:
        """The operator of a part of the batch."""
        entries = list(slices) if isinstance(slices, (tuple, list)) else [slices]
        result: LinearOperator = sliced(self, entries, self._dims()[:-2])
        return result

    def _pieces(self) -> Any:
        """The operator as a structure of tensors, which a function can return."""
        return pieces_of(self)

    @property
    def is_square(self) -> bool | None:
        """Whether the matrix is square, if that is known."""
        rows, columns = self.shape[-2:] if self.shape.rank is not None else (None, None)
        if rows is None or columns is None:
            return self._is_square
        if self._is_square is False and rows == columns:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return bool(rows == columns)

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """The shape of the dense matrix, an int32 vector."""
        return convert.convert_to_tensor(self._dims(), dtypes.int32)

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape of the batch of matrices, an int32 vector."""
        return convert.convert_to_tensor(self._dims()[:-2], dtypes.int32)

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """The number of columns, an int32 scalar."""
        return convert.convert_to_tensor(self._dims()[-1], dtypes.int32)

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """The number of rows, an int32 scalar."""
        return convert.convert_to_tensor(self._dims()[-2], dtypes.int32)

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """The number of dimensions, an int32 scalar."""
        return convert.convert_to_tensor(len(self._dims()), dtypes.int32)

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Any:
        """The product with a matrix, or with another operator.

        Args:
          x: a tensor of shape `[..., columns, n]`, or a LinearOperator.
          adjoint: multiply by the adjoint of this operator.
          adjoint_arg: multiply the adjoint of `x`.
          name: ignored.
        """
        if isinstance(x, LinearOperator):
            return self._composed(self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x)
        rhs = self._operand("matmul", x, adjoint_arg, self._dims()[-2 if adjoint else -1])
        return self._matmul(rhs, adjoint)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The product with a vector of shape `[..., columns]`."""
        return squeeze(self.matmul(expand_dims(x, -1), adjoint), -1)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Any:
        """The matrix whose product with this operator is `rhs`; see `matmul`. The operator must be square and not singular."""
        self._require_square("Exact solve")
        if self.is_non_singular is False:
            raise NotImplementedError(
                errors.compose(
                    f"solve: {self.name} is declared singular.",
                    "use tf.linalg.lstsq with to_dense().",
                )
            )
        if isinstance(rhs, LinearOperator):
            inverse = (self.adjoint() if adjoint else self).inverse()
            return self._composed(inverse, rhs.adjoint() if adjoint_arg else rhs)
        right = self._operand("solve", rhs, adjoint_arg, self._dims()[-1 if adjoint else -2])
        return self._solve(right, adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Tensor:
        """The vector whose product with this operator is `rhs`, of shape `[..., rows]`."""
        return squeeze(self.solve(expand_dims(rhs, -1), adjoint), -1)

    def determinant(self, name: str = "det") -> Any:
        """The determinants."""
        self._require_square("Determinant")
        return self._determinant()

    def log_abs_determinant(self, name: str = "log_abs_det") -> Any:
        """The logarithms of the absolute values of the determinants."""
        self._require_square("Determinant")
        return self._log_abs_determinant()

    def trace(self, name: str = "trace") -> Tensor:
        """The sums of the diagonals."""
        from gradtape.math._reductions import reduce_sum

        return reduce_sum(self.diag_part(), -1)

    def diag_part(self, name: str = "diag_part") -> Any:
        """The diagonals."""
        return self._diag_part()

    def to_dense(self, name: str = "to_dense") -> Any:
        """The matrix, with all its elements."""
        return self._to_dense()

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Any:
        """The sum with a matrix."""
        return self.to_dense() + convert.convert_to_tensor(x, self._dtype)

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The operator of the conjugate transpose."""
        return self if self.is_self_adjoint else self._adjoint()

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The operator that undoes this one."""
        if self.is_square is False:
            raise ValueError(
                errors.compose(
                    f"Cannot take the Inverse: {self.name} represents a non square matrix, {self.shape}.",
                    "use tf.linalg.pinv with to_dense().",
                )
            )
        if self.is_non_singular is False:
            raise ValueError(f"Cannot take the inverse: {self.name} is singular.")
        return self._inverse()

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular operator whose product with its adjoint is this one, which must be said to be self-adjoint and
        positive definite."""
        if not (self.is_positive_definite and self.is_self_adjoint):
            raise ValueError(
                errors.compose(
                    "Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.",
                    "make the operator with is_self_adjoint=True and is_positive_definite=True.",
                )
            )
        return self._cholesky()

    def eigvals(self, name: str = "eigvals") -> Any:
        """The eigenvalues of an operator declared to be self-adjoint."""
        if not self.is_self_adjoint:
            raise NotImplementedError(
                errors.compose(
                    "Only self-adjoint matrices are supported.",
                    "make the operator with is_self_adjoint=True, or use tf.linalg.eigvals.",
                )
            )
        return self._eigvals()

    def cond(self, name: str = "cond") -> Any:
        """The condition numbers: the largest over the smallest singular value."""
        self._require_square("The condition number")
        sizes = absolute(self._eigvals()) if self.is_self_adjoint else svd(self.to_dense(), compute_uv=False)
        return reduce_max(sizes, -1) / reduce_min(sizes, -1)

    def assert_non_singular(self, name: str = "assert_non_singular") -> None:
        """InvalidArgumentError if the condition number is that of a singular matrix in this dtype."""
        from gradtape.debugging._value_checks import assert_less

        found = self.cond()
        limit = 1.0 / np.finfo(found.dtype.as_numpy_dtype).eps
        assert_less(found, convert.convert_to_tensor(limit, found.dtype), "Singular matrix encountered.")

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> None:
        """InvalidArgumentError if a self-adjoint operator is not positive definite."""
        from gradtape.debugging._value_checks import assert_positive

        dense = self.to_dense()
        # The eigenvalues of a Hermitian matrix are real, also where their dtype is complex.
        assert_positive(real(eigvalsh(dense + diagonals.adjoint(dense))), "Matrix was not positive definite.")

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> None:
        """InvalidArgumentError if the matrix is not its adjoint."""
        from gradtape.debugging._value_checks import assert_equal

        dense = self.to_dense()
        assert_equal(dense, diagonals.adjoint(dense), "Matrix was not equal to its adjoint.")

    def _assert_eigenvalues(self, values: Any, held_in: str, positive: bool) -> None:
        """InvalidArgumentError unless known eigenvalues are not zero, or their real parts positive."""
        from gradtape.debugging._value_checks import assert_less, assert_positive

        values = tensor_of(values)
        if positive:
            said = (
                f"Not positive definite:  Real part of {held_in} was not all positive: it had non-positive real parts,"
            )
            assert_positive(real(values), f"{said} thus was not positive definite.")
        else:
            sizes = absolute(values)
            zero = convert.convert_to_tensor(0, sizes.dtype)
            assert_less(
                zero, sizes, f"Singular operator:  The operator was singular: its {held_in} contained zero values."
            )

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} shape={self.shape} dtype={self._dtype.name}>"

    def _static_dims(self) -> Any:
        """The shape as far as it is known."""
        return self.to_dense().get_shape() if self._is_late else self._dims()

    def _dims(self) -> tuple[Any, ...]:
        shape = TensorShape(self._shape())
        return tuple(shape) if shape.is_fully_defined() else dims_of(self._shape_tensor())

    def _shape(self) -> Any:
        raise NotImplementedError(
            errors.compose(
                f"{type(self).__name__} does not tell its shape.",
                "define the method _shape, which returns a TensorShape.",
            )
        )

    def _shape_tensor(self) -> Any:
        raise NotImplementedError(
            errors.compose(f"{type(self).__name__} does not tell its sizes.", "define the method _shape_tensor.")
        )

    def _matmul(self, x: Tensor, adjoint: bool) -> Any:
        raise NotImplementedError(
            errors.compose(
                f"{type(self).__name__} does not define its product with a matrix.",
                "define the method _matmul(x, adjoint).",
            )
        )

    def _solve(self, rhs: Tensor, adjoint: bool) -> Any:
        return solve(self.to_dense(), rhs, adjoint=adjoint)

    def _to_dense(self) -> Any:
        return self._matmul(identity(self._dims()[-1], self._dims()[:-2], self._dtype), False)

    def _diag_part(self) -> Any:
        return diagonals.diag_part(self.to_dense())

    def _determinant(self) -> Any:
        return det(self.to_dense())

    def _log_abs_determinant(self) -> Any:
        return slogdet(self.to_dense()).log_abs_determinant

    def _eigvals(self) -> Any:
        return eigvalsh(self.to_dense())

    def _adjoint(self) -> LinearOperator:
        return DERIVED["adjoint"](self)

    def _inverse(self) -> LinearOperator:
        return DERIVED["inverse"](self)

    def _cholesky(self) -> LinearOperator:
        return DERIVED["lower triangular"](cholesky(self.to_dense()), is_non_singular=True)

    def _composed(self, left: LinearOperator, right: LinearOperator) -> LinearOperator:
        return DERIVED["product"](left, right)

    def _operand(self, what: str, x: Any, adjoint: bool, size: Any) -> Any:
        """The argument of a product, which must have a given number of rows."""
        tensor = (
            convert.convert_to_tensor(x, self._dtype)
            if not isinstance(x, (Tensor, Variable))
            else convert.convert_to_tensor(x)
        )
        if tensor.dtype is not self._dtype:
            raise errors.build(
                errors.DTypeError,
                f"{what}: dtypes differ: {self.name} is {self._dtype.name}, the argument is {tensor.dtype.name}.",
                f"use tf.cast(x, tf.{self._dtype.name}).",
            )
        if adjoint:
            tensor = diagonals.adjoint(tensor)
        rows = dims(tensor)[-2] if tensor.ndim > 1 else None
        if tensor.ndim < 2 or (rows is not None and size is not None and rows != size):
            raise errors.build(
                errors.ShapeError,
                f"{what}: the inner dimension does not match: {self.name} is {self.shape}, the argument is {tensor.shape}. "
                f"Dimensions {size} and {rows} are not compatible.",
                f"give a matrix with {size} rows; for vectors use matvec and solvevec.",
            )
        return tensor

    def _require_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                errors.compose(
                    f"{what} not implemented for an operator that is expected to not be square: {self.name} is {self.shape}.",
                    "use tf.linalg.lstsq.",
                    depth=2,
                )
            )


def _become_late(self: LinearOperator) -> None:
    """Initialise an operator with the facts that do not depend on sizes."""
    vars(self)["_is_late"] = True
    Module.__init__(self, name=(_argument(self, "name", None) or type(self).__name__).replace("/", "_"))


def _argument(self: LinearOperator, name: str, *default: Any) -> Any:
    """An argument of a late operator, as an operator keeps it."""
    recipe: late.Recipe = vars(self)["_recipe"]
    try:
        found = late.argument(recipe, name)
    except AttributeError:
        if default:
            return default[0]
        raise
    return kept(found) if isinstance(found, (Tensor, np.ndarray)) else found


def _late(recipe: late.Recipe) -> LinearOperator:
    return _LateOperator.of(recipe)


def _make_patient(cls: type[LinearOperator]) -> None:
    """Let the methods that a class defines, and its constructor, wait for sizes which are not known."""
    own = vars(cls)
    for name in (late.TENSORS | late.OPERATORS) & set(own):
        setattr(cls, name, late.patient(own[name], _late, lambda x: isinstance(x, LinearOperator)))
    if "__init__" in own:
        setattr(cls, "__init__", late.patient_init(own["__init__"], _become_late))  # noqa: B010 - mypy refuses the assignment


_make_patient(LinearOperator)


class _LateOperator(LinearOperator):
    """The result of a late operator's method, if it is an operator: its class is known when the function runs."""

    @classmethod
    def of(cls, recipe: late.Recipe) -> _LateOperator:
        """The operator that a recipe creates."""
        made = cls.__new__(cls)
        vars(made)["_recipe"] = recipe
        _become_late(made)
        return made


def identity(size: int, batch: Any, dtype: Any) -> Any:
    """Identity matrices."""
    from gradtape.arrays.creation import eye

    return eye(size, batch_shape=list(batch) or None, dtype=dtype)


def kept(value: Any, dtype: Any = None) -> Any:
    """A value in the form that an operator stores: variables, and modules that compute a tensor from variables, are
    kept and read on use."""
    return value if _is_reference(value) else convert.convert_to_tensor(value, dtype)


def _is_reference(value: Any) -> bool:
    return isinstance(value, Variable) or (
        isinstance(value, Module) and hasattr(value, "dtype") and hasattr(value, "shape")
    )


def of_rank(who: str, value: Any, rank: int) -> Any:
    """A parameter of an operator; ValueError unless it has at least a given rank, if its shape is known before it is computed."""
    if TensorShape(value.shape).rank is not None and len(value.shape) < rank:
        raise ValueError(
            errors.compose(
                f"{who}: the argument must have at least {rank} dimension{'s' * (rank > 1)} (rank {rank}), got shape {value.shape}.",
                "add axes.",
            )
        )
    return value


def sizes_of(value: Any) -> tuple[Any, ...]:
    """The sizes of a parameter of an operator; those of its value, where only computing it tells them."""
    shape = TensorShape(value.shape)
    return tuple(shape if shape.rank is not None or not _is_reference(value) else tensor_of(value).shape)


def tensor_of(value: Any) -> Any:
    """The current value of a parameter of an operator."""
    return convert.convert_to_tensor(value)


def batch_of(*shapes: Any) -> tuple[Any, ...]:
    """The shape to which batches broadcast."""
    try:
        return tuple(np.broadcast_shapes(*[tuple(s) for s in shapes]))
    except ValueError:
        raise ValueError(
            errors.compose(
                f"Incompatible shapes for broadcasting: the batches have the shapes {[tuple(s) for s in shapes]}.",
                "in each dimension, they must be equal, or one of them 1.",
            )
        ) from None


def dims_of(shape: Any) -> tuple[Any, ...]:
    """The sizes that a tensor holds."""
    return arguments.shape(shape, "LinearOperator")


def spread(x: Tensor, batch: Any) -> Any:
    """Matrices, repeated for a batch."""
    wanted = (*batch_of(batch, dims(x)[:-2]), *dims(x)[-2:])
    return x if dims(x) == wanted else broadcast_to(x, wanted)


def product(a: Any, b: Any, adjoint: bool = False) -> Any:
    """The product of dense matrices."""
    return matmul(a, b, adjoint_a=adjoint)


def require_hint(value: bool | None, wanted: bool, sentence: str) -> bool:
    """The known value of a hint; ValueError if the given hint contradicts it."""
    if value is not None and value is not wanted:
        raise ValueError(errors.compose(sentence, "leave the hint out."))
    return wanted


def all_known(values: Any) -> bool | None:
    """True if all flags are True; None if one is not known or False."""
    return True if all(values) else None

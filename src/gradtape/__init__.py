from gradtape.core.convert import *
from gradtape.core.variable import Variable
from gradtape.ops import arithmetic, movement, reduction, operators
from gradtape.transform.tape import GradientTape

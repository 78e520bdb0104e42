"""Samples of choices among boxes, against plain loops."""

import numpy as np

from gradtape.core.errors import DTypeError, InvalidArgumentError, ShapeError
from gradtape.ops.boxes import DistortedBox, NonMaxSuppression, NonMaxSuppressionOverlaps
from gradtape.testing.sample import bad, sample

random = np.random.default_rng(14)
REALS = "float16 float32 float64"
LOWEST = float("-inf")


def iou(a, b):
    """The intersection of two boxes over their union."""
    sides = []
    areas = [1.0, 1.0]
    for low, high in ((0, 2), (1, 3)):
        spans = [(min(box[low], box[high]), max(box[low], box[high])) for box in (a, b)]
        sides.append(max(0.0, min(s[1] for s in spans) - max(s[0] for s in spans)))
        areas = [area * (s[1] - s[0]) for area, s in zip(areas, spans, strict=True)]
    common = sides[0] * sides[1]
    return common / (areas[0] + areas[1] - common) if min(areas) > 0 else 0.0


def kept(overlap_of, scores, limit, overlap, least, sigma=0.0):
    left = {i: s for i, s in enumerate(scores.tolist()) if s > least}
    chosen = []
    while left and len(chosen) < limit:
        best = max(left, key=lambda i: (left[i], -i))
        chosen.append(best)
        del left[best]
        for i in list(left):
            common = overlap_of(i, best)
            if sigma:
                left[i] *= np.exp(-(common**2) / (2 * sigma))
            if (common > overlap and not sigma) or left[i] <= least:
                del left[i]
    return chosen + [0] * (limit - len(chosen)), len(chosen)


def for_each(one):
    def reference(values, scores, limit, **params):
        lead = scores.shape[:-1]
        pairs = [one(values[place], scores[place], limit, **params) for place in np.ndindex(*lead)]
        return np.reshape([p[0] for p in pairs], (*lead, limit)), np.reshape([p[1] for p in pairs], lead)

    return reference


by_boxes = for_each(lambda boxes, scores, *a, **p: kept(lambda i, j: iou(boxes[i], boxes[j]), scores, *a, **p))
by_matrix = for_each(lambda table, scores, *a, **p: kept(lambda i, j: table[i, j], scores, *a, **p))

CORNERS = random.uniform(0, 1, size=(12, 2))
BOXES = np.concatenate((CORNERS, CORNERS + random.uniform(-0.4, 0.4, size=(12, 2))), axis=1)
SCORES = np.linspace(1.0, -0.5, 12)[random.permutation(12)]
TABLE = random.uniform(size=(5, 5))
NMS = {"limit": 6, "overlap": 0.3, "least": LOWEST}

sample(NonMaxSuppression, BOXES, SCORES, reference=by_boxes, dtypes=REALS, **NMS)
sample(NonMaxSuppression, BOXES, SCORES, reference=by_boxes, limit=20, overlap=0.1, least=0.2)
sample(NonMaxSuppression, BOXES[:6], np.array([0.5, 0.5, 0.25, 0.5, 0.25, 0.125]), reference=by_boxes, **NMS)
sample(NonMaxSuppression, BOXES, SCORES, reference=by_boxes, limit=8, overlap=0.5, least=0.1, sigma=0.25)
sample(
    NonMaxSuppression, BOXES.reshape(3, 4, 4), SCORES.reshape(3, 4), reference=by_boxes, limit=3, overlap=0.1, least=0.0
)
sample(NonMaxSuppression, np.zeros((0, 4)), np.zeros(0), reference=by_boxes, limit=2, overlap=0.5, least=LOWEST)
sample(NonMaxSuppression, np.zeros((3, 4)), np.arange(3.0), reference=by_boxes, limit=2, overlap=0.5, least=LOWEST)
bad(NonMaxSuppression, BOXES, SCORES[:3], error=ShapeError, match="boxes is f64[12,4], scores is f64[3]", **NMS)
bad(NonMaxSuppression, BOXES[:, :3], SCORES, error=ShapeError, match="boxes must be [n, 4]", **NMS)
bad(
    NonMaxSuppression,
    BOXES,
    SCORES,
    error=ShapeError,
    match="max_output_size must not be negative, got -1",
    limit=-1,
    overlap=0.5,
    least=LOWEST,
)
bad(NonMaxSuppression, np.ones((2, 4), int), np.ones(2, int), error=DTypeError, match="boxes is i64[2,4]", **NMS)

sample(
    NonMaxSuppressionOverlaps, TABLE, SCORES[:5], reference=by_matrix, dtypes=REALS, limit=4, overlap=0.5, least=-1.0
)
sample(NonMaxSuppressionOverlaps, TABLE, SCORES[:5], reference=by_matrix, limit=1, overlap=1.0, least=LOWEST)
bad(NonMaxSuppressionOverlaps, TABLE, SCORES[:4], error=ShapeError, match="overlaps must be [n, n]", **NMS)


def first_fitting(draws, image_size, boxes, covered, aspects, areas):
    """By counting pixels on a grid."""
    height, width = int(image_size[0]), int(image_size[1])
    picture = np.zeros((height, width), int)
    top, left, bottom, right = (boxes.reshape(4) * [height, width, height, width]).astype(int)
    picture[top:bottom, left:right] = 1
    for a, b, c, d in draws.tolist():
        aspect = aspects[0] + a * (aspects[1] - aspects[0])
        rows = [
            h
            for h in range(1, height + 1)
            if areas[0] * height * width <= h * round(h * aspect) <= areas[1] * height * width
            and 1 <= round(h * aspect) <= width
        ]
        if rows:
            h = rows[int(b * len(rows))]
            w = round(h * aspect)
            y, x = int(c * (height - h + 1)), int(d * (width - w + 1))
            if picture[y : y + h, x : x + w].sum() >= covered * picture.sum():
                return [y, x, 0], [h, w, -1], [[[y / height, x / width, (y + h) / height, (x + w) / width]]]
    return [0, 0, 0], [height, width, -1], [[[0.0, 0.0, 1.0, 1.0]]]


SIZE = np.array([20, 30, 3], np.int32)
OBJECT = np.array([[[0.2, 0.3, 0.6, 0.7]]])
DRAWS = random.uniform(size=(6, 4))
CROP = {"covered": 0.5, "aspects": (0.8, 1.25), "areas": (0.2, 0.5)}
sample(DistortedBox, DRAWS, SIZE, OBJECT, reference=first_fitting, **CROP)
sample(
    DistortedBox, DRAWS[:1], SIZE, OBJECT, reference=first_fitting, covered=1.1, aspects=(1.0, 1.0), areas=(0.1, 1.0)
)
sample(DistortedBox, DRAWS, SIZE, OBJECT, reference=first_fitting, covered=0.1, aspects=(9.0, 9.0), areas=(0.9, 1.0))
bad(DistortedBox, DRAWS, SIZE[:2], OBJECT, error=ShapeError, match="image_size is i32[2]", **CROP)
bad(DistortedBox, DRAWS, SIZE, OBJECT[0], error=ShapeError, match="bounding_boxes is f64[1,4]", **CROP)
bad(DistortedBox, DRAWS, SIZE, 2.0 * OBJECT, error=InvalidArgumentError, match="must be in [0.0, 1.0]", **CROP)

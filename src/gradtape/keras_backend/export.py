"""Exporting to TensorFlow's SavedModel, which Keras refuses for backends it does not know."""

from keras.src.export.saved_model_export_archive import SavedModelExportArchive

__all__ = ["SavedModelExportArchive"]

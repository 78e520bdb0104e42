"""The command `gradtape`: run TensorFlow programs, check them without running, examine the installation."""

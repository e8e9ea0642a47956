"""What the tests of official clients share: a real `weft serve` in front of a scripted model's server."""

from weft_server import WeftServer


class BehindModel:
    """`self.server` is Weft, `self.model` the server behind it, of the class `Model`."""

    Model = None

    @classmethod
    def serve(cls):
        return WeftServer(cls.model.url)

    @classmethod
    def setUpClass(cls):
        cls.model = cls.Model()
        cls.server = cls.serve()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.model.close()

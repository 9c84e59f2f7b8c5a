"""An OpenID Connect provider for tests: django-oidc-provider on the loopback, with people and groups of Django."""
import pathlib
import socketserver
import sys
import threading
import wsgiref.simple_server

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".build/python"))
import django
from django.conf import settings

LOGIN_PAGE = "<form method=post>{% csrf_token %}{{ form.as_p }}<button>Continue</button></form>"
CLIENT, SECRET, PASSWORD = "larder", "client secret".replace(" ", "-"), "a long pass phrase"
# Claims that replace those of the next ID tokens.
overrides = {}


def finish_token(id_token, user, **_):
    """Adds the groups of the person, and what a test overrides."""
    groups = [group.name for group in user.groups.order_by("name")]
    return {**id_token, "groups": groups, **overrides}


def describe(claims, user):
    """Returns the claims of a person."""
    return {**claims, "preferred_username": user.username, "email": f"{user.username}@acme.example"}


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *_):
        pass


class Threading(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class Provider:
    """A provider that runs until stop()."""

    def __init__(self, folder, callback):
        settings.configure(
            DEBUG=False, SECRET_KEY="x" * 50, ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF="django_provider_urls", USE_TZ=True,
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder}/provider.sqlite",
                                   "OPTIONS": {"timeout": 60}}},
            INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "oidc_provider"],
            MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware",
                        "django.contrib.auth.middleware.AuthenticationMiddleware"],
            TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": {
                "context_processors": ["django.template.context_processors.request"],
                "loaders": [("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN_PAGE})]}}],
            PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"], LOGIN_URL="/login/",
            DEFAULT_AUTO_FIELD="django.db.models.AutoField", OIDC_IDTOKEN_INCLUDE_CLAIMS=True,
            OIDC_USERINFO="django_provider.describe", OIDC_IDTOKEN_PROCESSING_HOOK="django_provider.finish_token")
        django.setup()
        from django.core.management import call_command
        from django.core.wsgi import get_wsgi_application
        call_command("migrate", verbosity=0)
        self.rotate()
        from oidc_provider.models import Client, ResponseType
        client = Client(name="Larder", client_id=CLIENT, client_secret=SECRET, client_type="confidential",
                        jwt_alg="RS256", require_consent=False, reuse_consent=False)
        client.redirect_uris = [callback]
        client.save()
        client.response_types.add(ResponseType.objects.get(value="code"))
        self.server = wsgiref.simple_server.make_server(
            "127.0.0.1", 0, get_wsgi_application(), server_class=Threading, handler_class=Quiet)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}/openid"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def rotate(self):
        """Replaces the signing key."""
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import rsa
        from oidc_provider.models import RSAKey
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        RSAKey.objects.all().delete()
        RSAKey.objects.create(key=pem.decode())

    def set_person(self, name, *groups):
        """Creates a person, or replaces the person's groups."""
        from django.contrib.auth.models import Group, User
        if not User.objects.filter(username=name).exists():
            User.objects.create_user(name, password=PASSWORD)
        user = User.objects.get(username=name)
        user.groups.set([Group.objects.get_or_create(name=group)[0] for group in groups])

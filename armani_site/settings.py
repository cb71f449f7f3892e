"""Settings of the site, read from the environment: ``.env.example`` explains every name.

With nothing set this is the *embedded* profile: one machine, no services, SQLite and everything else
inside one process. ``DATABASE_URL`` and ``REDIS_URL`` make it the production form.
"""

import secrets
import sys
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.FileAwareEnv()
environ.Env.read_env(BASE_DIR / ".env")

#: Whatever this machine keeps: the embedded database, the secret key made at the first start, mails.
DATA_DIR = Path(env("DATA_DIR", default=str(BASE_DIR / "data")))
TESTING = "pytest" in sys.modules
DEBUG = env.bool("DEBUG", default=False)


def _secret_key() -> str:
    """The key of the environment, else one made once for this data folder."""
    given = env.str("SECRET_KEY", default="")
    if given:
        return given
    path = DATA_DIR / "secret_key"
    if not path.exists():
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(50), encoding="ascii")
    return path.read_text(encoding="ascii")


SECRET_KEY = _secret_key()
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])

REDIS_URL = env.str("REDIS_URL", default="")
#: Whether channel layer and broker live inside this one process.
EMBEDDED = not REDIS_URL
#: Development conveniences: the mailbox page. Never on a site that others reach.
DEV_TOOLS = env.bool("DEV_TOOLS", default=EMBEDDED)

SITE_URL = env.str("SITE_URL", default="http://localhost:8000").rstrip("/")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "daphne",
    "accounts",
    "games",
    "channels",
    "allauth",
    "allauth.account",
    "axes",
    "csp",
    "anymail",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "armani_site.urls"
ASGI_APPLICATION = "armani_site.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Database. SQLite needs IMMEDIATE transactions and WAL, or two writers answer "database is locked".
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'armani.sqlite3'}")}
_database = DATABASES["default"]
if _database["ENGINE"].endswith("sqlite3"):
    _database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": f"PRAGMA journal_mode=WAL;PRAGMA synchronous={env.str('SQLITE_SYNCHRONOUS', default='NORMAL')};",
    }
    # In a file, because threads of one test share it.
    _database["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
_database["CONN_MAX_AGE"] = None
_database["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

CHANNEL_LAYERS = {
    "default": {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
    if REDIS_URL
    else {"BACKEND": "games.live.layer.LocalChannelLayer"}
}

# Celery: rows are the truth, tasks only make them prompt; every task may run twice.
CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"visibility_timeout": 300, "unacked_restore_interval": 5, "unacked_restore_throttle": 1}
    if REDIS_URL
    else {"polling_interval": 0.02}
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {"games.tasks.ai_turn": {"queue": "ai"}, "accounts.tasks.*": {"queue": "mail"}}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "games.tasks.sweep", "schedule": 3.0},
    "send-mail": {"task": "accounts.tasks.send_waiting_mail", "schedule": 5.0},
}

# Accounts.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = reverse_lazy("account_login")
LOGIN_REDIRECT_URL = reverse_lazy("my_matches")

# Mail. Everything goes through the outbox, which sends with this backend.
EMAIL_CONFIG = env.email("EMAIL_URL", default="filemail://" if not DEV_TOOLS else "consolemail://")
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="Armani <no-reply@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English"))]
TIME_ZONE = "UTC"
USE_TZ = True
LOCALE_PATHS = [BASE_DIR / "locale"]

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
PERMISSIONS_POLICY = {name: [] for name in ("camera", "geolocation", "microphone", "payment", "usb")}

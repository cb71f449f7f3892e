"""Settings of the site, read from the environment: ``.env.example`` explains every name.

With nothing set, the site is *embedded*: one machine, no services, SQLite, and everything in one process. For
production, set ``DATABASE_URL`` and ``REDIS_URL``.
"""

import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import environ
from celery.schedules import crontab
from csp.constants import NONCE, NONE, SELF
from django.urls import reverse_lazy

from armani_site.schedules import Every

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.FileAwareEnv()
environ.Env.read_env(BASE_DIR / ".env")

#: Everything that this machine keeps: the embedded database, the secret key made at the first start, emails.
DATA_DIR = Path(env("DATA_DIR", default=str(BASE_DIR / "data")))
TESTING = "pytest" in sys.modules
# Developers' commands are only there for manage.py and tests; servers and workers don't have them.
DEVELOPING = TESTING or (Path(sys.argv[0]).name == "manage.py" and sys.argv[1:2] != ["serve"])
DEBUG = env.bool("DEBUG", default=False)


def _secret_key() -> str:
    """The key from the environment, or else one made once for this data folder."""
    given = env.str("SECRET_KEY", default="")
    if given:
        return given
    path = DATA_DIR / "secret_key"
    if not path.exists():
        DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=DATA_DIR, encoding="ascii") as draft:
            draft.write(secrets.token_urlsafe(50))
            draft.flush()
            with suppress(FileExistsError):  # another process was first, and its key counts
                os.link(draft.name, path)
    return path.read_text(encoding="ascii")


SECRET_KEY = _secret_key()
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])

REDIS_URL = env.str("REDIS_URL", default="")
#: Whether channel layer and broker run inside this one process.
EMBEDDED = not REDIS_URL
#: Whether people reach the site by HTTPS, through a proxy that sets X-Forwarded-Proto.
HTTPS = env.bool("HTTPS", default=False)
#: The server of a web process: "daphne" or "uvicorn".
SERVER = env.str("SERVER", default="daphne")
#: How many proxies stand in front of the site, each adding to X-Forwarded-For.
TRUSTED_PROXY_COUNT = env.int("TRUSTED_PROXY_COUNT", default=1 if HTTPS else 0)
_site_url = env.str("SITE_URL", default="").rstrip("/")
_allowed_hosts = [host.strip() for host in env.list("ALLOWED_HOSTS", default=[]) if host.strip()]
#: Whether the environment says that others can reach this site.
PUBLISHED = bool(_site_url or _allowed_hosts or TRUSTED_PROXY_COUNT)
SITE_URL_IS_GIVEN = bool(_site_url)
#: Development conveniences. Never on a site that others can reach.
DEV_TOOLS = env.bool("DEV_TOOLS", default=EMBEDDED and not PUBLISHED)
#: Whether /dev/mailbox/ shows every email of the site, including password links.
MAILBOX = DEV_TOOLS and not PUBLISHED
# Divides the pauses of tables and AI players, so that whole matches can be tried out quickly; never on a real site.
HURRY = max(1.0, env.float("HURRY", default=1.0)) if DEV_TOOLS else 1.0

#: Who runs the site and how to reach them, for the privacy page.
CONTACT = env.str("CONTACT", default="")
#: Where to report vulnerabilities, for /.well-known/security.txt: mailto: and an address, or a page.
SECURITY_CONTACT = env.str("SECURITY_CONTACT", default="")
ALLOWED_HOSTS = _allowed_hosts or ["localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
_first_host = next((host for host in _allowed_hosts if host[0] not in ".*"), "localhost")
#: The beginning of links in emails. Without HTTPS, `serve` puts the port that it listens on into this default.
SITE_URL = _site_url or (f"https://{_first_host}" if HTTPS else f"http://{_first_host}:8000")
#: Requests that one web process answers at once, each with a thread and a database connection.
PARALLEL_REQUESTS = env.int("PARALLEL_REQUESTS", default=20)
#: Requests that may wait for those; one page and its files are some fifty, and a proxy sends them all at once.
WAITING_REQUESTS = env.int("WAITING_REQUESTS", default=1_000)
#: Seconds of processor time that pages of a session, and of an address, may take; a fiftieth comes back each second.
PROCESSOR_PER_SESSION = env.float("PROCESSOR_PER_SESSION", default=10.0)
PROCESSOR_PER_ADDRESS = env.float("PROCESSOR_PER_ADDRESS", default=40.0)
#: Sockets that a session, and an address, may have open in one web process.
SOCKETS_PER_SESSION = env.int("SOCKETS_PER_SESSION", default=12)
SOCKETS_PER_ADDRESS = env.int("SOCKETS_PER_ADDRESS", default=1_000)
#: Seconds within which a request must be complete, and bytes that its body may have.
REQUEST_SECONDS = env.float("REQUEST_SECONDS", default=30.0)
BODY_BYTES = env.int("BODY_BYTES", default=3_145_728)
#: Connections that one web process accepts from one address; a proxy in front has to count them itself.
CONNECTIONS_PER_ADDRESS = env.int("CONNECTIONS_PER_ADDRESS", default=2_000)
#: Incomplete requests of one address, likewise.
UNFINISHED_REQUESTS_PER_ADDRESS = env.int("UNFINISHED_REQUESTS_PER_ADDRESS", default=200)

INSTALLED_APPS = [
    "accounts",
    "accounts.playing_times",
    "accounts.people",
    "accounts.moderation",
    "games.matches",
    "games.table",
    "games.matches.slap_points",
    "games.chat",
    "games.lobby",
    "games.mail",
    "games.plans",
    "games.feeds",
    "games.slaps",
    "games.lessons",
    "games.replays",
    "games.ai_reports",
    "games.moderation",
    "channels",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "games.live",
    "games.operations",
    *(["games.devtools"] if DEVELOPING else []),
    "armani_site",
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
    # Safe against BREACH: compressed pages get a random length, and their only secret, the form token, a new mask each
    # time.
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "armani_site.middleware.refuse_unreadable",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "armani_site.middleware.keep_private",
    "accounts.security_log.middleware",
    "accounts.languages.middleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.throttle.ThrottleMiddleware",
    "accounts.second_factor.AdminMiddleware",
    "accounts.moderation.middleware.RestrictionsMiddleware",
    "accounts.presence.middleware",
    "accounts.playing_times.browser_zone.ZoneMiddleware",
    "games.lessons.middleware.LessonMiddleware",
    # The last one, so that every middleware that looks at the user has run.
    "armani_site.middleware.name_user",
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
                "accounts.context_processors.mailbox",
                "accounts.context_processors.user",
                "accounts.context_processors.preferences",
                "games.operations.views.site_state",
            ],
            "builtins": ["armani_site.quick_tags"],
            "libraries": {"i18n": "armani_site.quick_tags", "static": "armani_site.quick_tags"},
        },
    },
]
# Two libraries take the place of Django's; a test finds any others of the same name.
SILENCED_SYSTEM_CHECKS = ["templates.W003"]

# Database. SQLite needs IMMEDIATE transactions and WAL, or two writers answer "database is locked".
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'armani.sqlite3'}")}
_database = DATABASES["default"]
if _database["ENGINE"].endswith("sqlite3"):
    _database["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL;"
        f"PRAGMA synchronous={env.str('SQLITE_SYNCHRONOUS', default='NORMAL')};",
    }
    # In a file, because the threads of a test share it.
    _database["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
else:
    _options = _database.setdefault("OPTIONS", {})
    # A pooler that lends out its connections for one transaction each may not be able to keep prepared statements.
    _options["prepare_threshold"] = 5 if env.bool("PREPARED_STATEMENTS", default=True) else None
    if not DEVELOPING:
        # An endless query must not hold its connection and locks for good; commands may take as long as they need.
        _ms = env.int("STATEMENT_SECONDS", default=60) * 1000
        _options["options"] = f"-c statement_timeout={_ms} -c idle_in_transaction_session_timeout={_ms}"
_database["CONN_MAX_AGE"] = None
_database["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# The prefix of this site's keys in Redis; parallel test processes have one each, for the keys of the broker, too.
_test_process = env.str("PYTEST_XDIST_WORKER", default="")
_prefix = f"armani{_test_process}"
CACHES = {
    "default": {
        "BACKEND": "armani_site.caching.LastingCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": _prefix,
        "OPTIONS": {"pool_class": "armani_site.caching.SharedPool"},
    }
    if REDIS_URL
    # Rate limits are counted here, and a full cache would drop a third of them.
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 100_000}}
}

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "games.realtime.shared_layer.SharedChannelLayer",
        "CONFIG": {"url": REDIS_URL, "prefix": _prefix},
    }
    if REDIS_URL
    else {"BACKEND": "games.realtime.layer.LocalChannelLayer"}
}

# Celery: rows are the truth, tasks only make them prompt; every task may run twice.
CELERY_BROKER_URL = REDIS_URL or "memory://localhost"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "global_keyprefix": _test_process,
        "visibility_timeout": 300,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
    }
    if REDIS_URL
    else {"polling_interval": 0.02}
)
CELERY_BROKER_TRANSPORT = "armani_site.redis_transport:Transport" if REDIS_URL else None
#: Retry for good: Redis may be away for longer than a hundred attempts take.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {
    "games.matches.tasks.ai_turn": {"queue": "ai"},
    "accounts.tasks.*": {"queue": "mail"},
    "games.mail.tasks.*": {"queue": "mail"},
}
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10
CELERY_TIMEZONE = "UTC"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # in memory: nothing to keep between starts
# No two begin together.
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "games.matches.tasks.sweep", "schedule": Every(3, at=0.9)},
    "watch-sweep": {"task": "games.operations.tasks.watch_sweep", "schedule": Every(60, at=0.15)},
    "sweep-plans": {"task": "games.plans.tasks.sweep", "schedule": Every(15, at=0.3)},
    "send-mail": {"task": "accounts.tasks.send_waiting_mail", "schedule": Every(5, at=0.45)},
    "send-notices": {"task": "games.mail.tasks.send_notices", "schedule": Every(5, at=0.6)},
    "carry-out-decisions": {"task": "games.moderation.tasks.carry_out_decisions", "schedule": Every(15, at=0.75)},
    "remind-moderators": {"task": "games.moderation.tasks.remind_moderators", "schedule": crontab(minute=37)},
    "tidy-notices": {"task": "games.mail.tasks.tidy", "schedule": crontab(minute=13)},
    "close-stale-tables": {"task": "games.lobby.tasks.close_stale_tables", "schedule": crontab(minute=23)},
    "check-matches": {"task": "games.replays.tasks.check_recent_matches", "schedule": crontab(hour=3, minute=40)},
    "tidy-lessons": {"task": "games.lessons.tasks.tidy", "schedule": crontab(minute=43)},
    "tidy-accounts": {"task": "accounts.tasks.tidy", "schedule": crontab(minute=53)},
    "count-days": {"task": "games.operations.tasks.count_days", "schedule": crontab(minute=7)},
    "flag-slaps": {"task": "games.slaps.tasks.flag_slaps", "schedule": crontab(hour=4, minute=10)},
}

# Accounts. Members log in with a confirmed address; no page tells whether an address has an account.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    # Only confirmed addresses count; with allauth's own backend, login would reveal who has tried to sign up.
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("name", "email")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = reverse_lazy("account_login")
LOGIN_REDIRECT_URL = reverse_lazy("my_matches")
SESSION_ENGINE = "accounts.session_store"
SESSION_COOKIE_AGE = 30 * 24 * 3600

ACCOUNT_ADAPTER = "accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "signup": "accounts.forms.SignupForm",
    "login": "accounts.forms.LoginForm",
    "add_email": "accounts.forms.AddEmailForm",
    "change_password": "accounts.forms.ChangePasswordForm",
    "set_password": "accounts.forms.SetPasswordForm",
    "reset_password": "accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "accounts.forms.ResetPasswordKeyForm",
    "reauthenticate": "accounts.forms.ReauthenticateForm",
}
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]  # the form adds the name
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_CONFIRM_EMAIL_ON_GET = False  # mail scanners follow links
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True  # in the browser that signed up, and in no other
ACCOUNT_LOGIN_TIMEOUT = 3600
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_LOGOUT_REDIRECT_URL = reverse_lazy("home")
ACCOUNT_CHANGE_EMAIL = True  # one address each; the new one replaces it when confirmed
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_EMAIL_NOTIFICATIONS = True  # an email when password or address have changed
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False  # accounts.views decides: guests may log in and sign up
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = {
    "send": "300/m/user",
    "send_as_visitor": "300/m/ip",
    "reset_password": "20/m/ip,3/10m/key",
    "confirm_email": "3/10m/key",
    "confirm_code": "30/10m/ip,5/10m/key",
    "guest": f"{env.int('GUESTS_PER_HOUR', default=120)}/h/ip",
    "rename": "10/h/user",
    "export": "5/d/user",
    "open_table": "600/h/ip",
    "report": "20/h/user",
    "people": "120/h/key",
    "report_ai_move": "60/h/user,600/h/ip",
    "turn": "600/m/ip,60/m/key",
    "talk": "6/15s/key,150/h/key",
    "invite": "60/h/key",
    "invite_mail": "20/h/key,60/d/key",
    "invite_address": "4/d/key",
}

# The second factor: passkeys, which also log in alone, authenticator apps, recovery codes.
MFA_ADAPTER = "accounts.second_factor.MFAAdapter"
MFA_SUPPORTED_TYPES = ["webauthn", "totp", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_TOLERANCE = 1  # how many half minutes a phone's clock may be off
MFA_FORMS = {
    "authenticate": "accounts.second_factor.AuthenticateForm",
    "reauthenticate": "accounts.second_factor.ReauthenticateForm",
    "activate_totp": "accounts.second_factor.ActivateTOTPForm",
    "authenticate_webauthn": "accounts.second_factor.PasskeyForm",
    "login_webauthn": "accounts.second_factor.PasskeyLoginForm",
    "reauthenticate_webauthn": "accounts.second_factor.PasskeyReauthenticateForm",
    "add_webauthn": "accounts.second_factor.AddPasskeyForm",
    "edit_webauthn": "accounts.second_factor.RenamePasskeyForm",
}
#: Whether the admin site requires a second factor of everyone, and not only of users who have set one up.
ADMIN_SECOND_FACTOR = env.bool("ADMIN_SECOND_FACTOR", default=HTTPS)

# Email. Every email is first a row of the outbox, which sends it with MAIL_BACKEND. Without EMAIL_URL, you can read
# emails at /dev/mailbox/; a site without that page writes them to files.
EMAIL_BACKEND = "accounts.outbox.OutboxBackend"
_email = env.email("EMAIL_URL", default="dummymail://" if MAILBOX else "filemail://")
MAIL_BACKEND = env.str("MAIL_BACKEND", default=_email["EMAIL_BACKEND"])
EMAIL_HOST = _email.get("EMAIL_HOST") or "localhost"
EMAIL_PORT = _email.get("EMAIL_PORT") or 25
EMAIL_HOST_USER = _email.get("EMAIL_HOST_USER") or ""
EMAIL_HOST_PASSWORD = _email.get("EMAIL_HOST_PASSWORD") or ""
EMAIL_USE_TLS = _email.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = _email.get("EMAIL_USE_SSL", False)
EMAIL_FILE_PATH = _email.get("EMAIL_FILE_PATH") or str(DATA_DIR / "mail")
EMAIL_TIMEOUT = 30
ANYMAIL = env.json("ANYMAIL", default={})
#: Whether mail services may report bounces and complaints; they authenticate with the secret.
MAIL_WEBHOOKS = bool(ANYMAIL.get("WEBHOOK_SECRET"))
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="Armani <no-reply@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
#: The address for answers to turn emails, with {} for the token. Empty: emails can't be answered with a move.
REPLY_ADDRESS = env.str("REPLY_ADDRESS", default="")

# Web push: the key made by `manage.py make_push_keys` (it may be in DATA_DIR instead), and the push services of
# browsers. A browser names the address for its pushes; the site only sends to these services.
VAPID_PRIVATE_KEY = env.str("VAPID_PRIVATE_KEY", default="")
PUSH_SERVICES = env.list(
    "PUSH_SERVICES",
    default=["fcm.googleapis.com", "push.services.mozilla.com", "push.apple.com", "notify.windows.com"],
)

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = "armani_site.formats"
#: Each language by its own name, so that its speakers recognize it.
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
TIME_ZONE = "UTC"
USE_TZ = True
LOCALE_PATHS = [BASE_DIR / "locale"]

# Static files: in development straight from their folders, else with hashed names made by collectstatic.
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
_collected = not (DEV_TOOLS or TESTING)
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(DATA_DIR / "static"))) if _collected else None
WHITENOISE_USE_FINDERS = not _collected
WHITENOISE_MAX_AGE = 60 if _collected else env.int("STATIC_MAX_AGE", default=0)
WHITENOISE_ALLOW_ALL_ORIGINS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "armani_site.static_storage.HashedStaticFiles"
        if _collected
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# Logs go to stderr, one line per request or error; operators store them.
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "armani_site.logs.KeyValueFormatter"},
        "json": {"()": "armani_site.logs.JsonFormatter"},
    },
    "filters": {"strangers": {"()": "armani_site.logs.DemoteClientErrors"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": env.str("LOG_FORMAT", default="text"),
            "filters": ["strangers"],
        }
    },
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.request": {"level": "ERROR"},  # answers like 404 have their line in the access log
        "daphne": {"level": "WARNING"},
        "twisted": {"level": "WARNING"},
        "uvicorn": {"level": "ERROR"},  # unreadable requests aren't the site's fault
        "celery": {"level": "WARNING"},
        "kombu": {"level": "WARNING"},
    },
}

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
#: Browsers accept a cookie with such a name only from this host, over HTTPS, for all its pages.
COOKIE_PREFIX = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrftoken"
#: The token that requests for /metrics must send; without one the page doesn't exist.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]  # requested from inside, not through the proxy
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=365 * 24 * 3600) if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        # Inline styles only with the nonce of that very response; other pages have none.
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
PERMISSIONS_POLICY: dict[str, list[str]] = {
    feature: [] for feature in ("camera", "geolocation", "microphone", "payment", "usb")
}

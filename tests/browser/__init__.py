"""Tests in the browser, and programs that measure pages: those set Django up by importing this package."""

import os

import django
from django.apps import apps

if not apps.ready:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "armani_site.settings")
    django.setup()

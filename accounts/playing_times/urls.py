"""URLs of playing times."""

from django.urls import path

from . import views

urlpatterns = [
    path("accounts/settings/times/", views.playing_times, name="account_settings_times"),
    path("accounts/settings/times/leave/<int:number>/", views.give_back, name="leave_give_back"),
]

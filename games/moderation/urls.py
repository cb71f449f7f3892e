"""URLs of moderation for players; moderators work in the admin site."""

from django.urls import path

from games.moderation import views

urlpatterns = [
    path("report/<slug:kind>/<str:ref>/", views.report, name="report"),
    path("accounts/settings/reports/", views.my_reports, name="my_reports"),
    path("accounts/settings/questions/<int:pk>/answer/", views.answer, name="answer_question"),
    path("accounts/settings/standing/", views.my_standing, name="my_standing"),
    path("accounts/settings/standing/<int:pk>/read/", views.read, name="read_sanction"),
    path("accounts/settings/standing/<int:pk>/appeal/", views.appeal, name="appeal"),
]

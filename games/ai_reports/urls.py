"""URLs of reported moves, below that of the match."""

from django.urls import path

from games.ai_reports import views

urlpatterns = [
    path("ai-moves/", views.moves, name="ai_moves"),
    path("ai-moves/<int:number>/report/", views.report, name="report_ai_move"),
]

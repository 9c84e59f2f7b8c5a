"""The routes of the provider in django_provider.py."""
from django.contrib.auth.views import LoginView
from django.urls import include, path

urlpatterns = [
    path("login/", LoginView.as_view()),
    path("openid/", include("oidc_provider.urls", namespace="oidc_provider")),
]

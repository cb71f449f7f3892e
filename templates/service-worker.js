{% load static %}const OFFLINE = "{% url 'offline' %}";
const OFFLINE_FILES = ["{% static 'css/offline.css' %}"];
const STATIC = "{% get_static_prefix %}";
importScripts("{% static 'js/service-worker.js' %}");

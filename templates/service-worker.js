{% load static %}const OFFLINE = "{% url 'offline' %}";
const OFFLINE_FILES = ["{% static 'css/offline.css' %}", "{% static 'js/pages/offline.js' %}"];
const RULES = "{% url 'rules_index' %}";
const STATIC = "{% get_static_prefix %}";
importScripts("{% static 'js/service-worker.js' %}");

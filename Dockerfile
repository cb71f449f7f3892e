# One image for every process of the site: the command says which (see compose.yaml).
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 DATA_DIR=/data STATIC_ROOT=/app/collected
WORKDIR /app

COPY requirements requirements
RUN pip install --no-cache-dir --require-hashes -r requirements/uv.txt \
    && uv pip install --system --no-cache --require-hashes -r requirements/run.txt

COPY . .
RUN SECRET_KEY=only-for-this-step DEV_TOOLS=0 python manage.py collectstatic --no-input \
    && useradd --create-home armani && install -d -o armani /data

USER armani
VOLUME /data
EXPOSE 8000
# For the web process; the host must be in ALLOWED_HOSTS.
HEALTHCHECK CMD python -c "import os, urllib.request as r; host = os.environ.get('ALLOWED_HOSTS', 'localhost').split(',')[0]; r.urlopen(r.Request('http://127.0.0.1:8000/healthz', headers={'Host': host}))"
CMD ["python", "manage.py", "serve", "--host", "0.0.0.0", "--port", "8000", "--proxy-headers"]

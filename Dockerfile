# specviz on a CPU, as a user who owns nothing:  docker build -t specviz . && docker run --rm -p 7860:7860 specviz
# PIP_ARGS names an index of CPU builds of torch; without it the build for CUDA is fetched, which is larger and works too.
# Elsewhere, behind nginx, on Spaces: docs/deploy.md
FROM python:3.12-slim

ARG PIP_ARGS=""
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
    GRADIO_SERVER_NAME=0.0.0.0 GRADIO_SERVER_PORT=7860 GRADIO_ANALYTICS_ENABLED=False \
    XDG_CACHE_HOME=/cache
RUN useradd --create-home --uid 1000 visitor && install --directory --owner visitor /cache
WORKDIR /app

# what changes seldom first
COPY requirements.txt constraints.txt ./
RUN python -m pip install -r requirements.txt -c constraints.txt $PIP_ARGS
COPY app.py ./
COPY specviz specviz
COPY assets assets

USER visitor
# for this processor once, so that no start waits for it; on another one it is compiled again
RUN python -m specviz doctor
EXPOSE 7860
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['GRADIO_SERVER_PORT'] + '/healthz', timeout=4)"]
CMD ["python", "app.py"]
